//! Long output goes through a pager, as with git.
//!
//! `SESS_PAGER` names it, else `PAGER`, else it is `less -FRX`. An empty name or `cat` means none.
//! Where `LESS` is unset the pager gets `FRX`: leave at once when all fits on the screen, let
//! colours through, keep the text on the screen afterwards.

use std::process::{Child, ChildStdin, Command, Stdio};

use super::signal;

/// A running pager.
pub struct Pager {
    child: Child,
}

impl Pager {
    /// Starts the pager. `None` when there is to be none or it cannot be started: then the output
    /// goes to the terminal directly.
    pub fn start() -> Option<(Self, ChildStdin)> {
        let variable = |name: &str| std::env::var(name).ok();
        let mut command = command(&chosen(variable)?)?;
        if std::env::var_os("LESS").is_none() {
            command.env("LESS", "FRX");
        }
        let mut child = command.stdin(Stdio::piped()).spawn().ok()?;
        let input = child.stdin.take()?;
        signal::leave_interrupts_to_the_pager();
        Some((Self { child }, input))
    }

    /// Waits until the person has left the pager. Its input must have been closed.
    pub fn wait(mut self) {
        // How the pager ended changes nothing for the command.
        let _ = self.child.wait();
    }
}

fn chosen(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let pager = variable("SESS_PAGER")
        .or_else(|| variable("PAGER"))
        .unwrap_or_else(|| "less -FRX".to_owned());
    let pager = pager.trim();
    (!pager.is_empty() && pager != "cat").then(|| pager.to_owned())
}

/// Words without anything a shell would interpret are run directly, so that a pager that is not
/// there is noticed; everything else is for the shell.
fn command(pager: &str) -> Option<Command> {
    if pager.contains(|mark| "|&;<>()$`\\\"'*?[]#~=%{}".contains(mark)) {
        let mut shell = Command::new("sh");
        shell.args(["-c", pager]);
        return Some(shell);
    }
    let mut words = pager.split_whitespace();
    let mut command = Command::new(words.next()?);
    command.args(words);
    Some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_choice(variables: &[(&str, &str)], expected: Option<&str>) {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        assert_eq!(chosen(variable).as_deref(), expected);
    }

    #[test]
    fn our_own_variable_wins_and_nothing_or_cat_means_none() {
        check_choice(&[], Some("less -FRX"));
        check_choice(&[("PAGER", "more")], Some("more"));
        check_choice(
            &[("PAGER", "more"), ("SESS_PAGER", "most -w")],
            Some("most -w"),
        );
        check_choice(&[("PAGER", "more"), ("SESS_PAGER", "")], None);
        check_choice(&[("PAGER", "cat")], None);
        check_choice(&[("PAGER", " ")], None);
    }

    #[test]
    fn a_plain_command_needs_no_shell() {
        let words = |pager| {
            let command = command(pager).unwrap();
            let rest = command.get_args().map(|word| word.to_owned());
            let all = std::iter::once(command.get_program().to_owned()).chain(rest);
            all.map(|word| word.into_string().unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(words("less -F -X"), ["less", "-F", "-X"]);
        assert_eq!(words("less '+/a b'"), ["sh", "-c", "less '+/a b'"]);
    }
}
