//! Just enough of Rust's grammar to ask a source file which names it mentions.

/// One identifier or one piece of punctuation, with its byte offset. `::` is one token.
type Token<'a> = (usize, &'a str);

/// The source with comments, the insides of literals and `#[cfg(test)]` items turned into blanks.
/// Offsets and line numbers stay what they were.
pub fn code_of(source: &str) -> String {
    let code = without_comments_and_literals(source);
    without_test_items(&code)
}

/// The identifiers and punctuation of a code.
pub fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = code[at..].chars().next() {
        let rest = &code[at..];
        let length = match first {
            _ if is_word(first) => rest.find(|next| !is_word(next)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            _ => first.len_utf8(),
        };
        if !first.is_whitespace() {
            tokens.push((at, &rest[..length]));
        }
        at += length;
    }
    tokens
}

/// Every path that starts with one of `roots`, groups spelled out: `crate::{a, b::C}` gives
/// `crate::a` and `crate::b::C`, each with its byte offset.
pub fn paths<'a>(tokens: &[Token<'a>], roots: &[&str]) -> Vec<(usize, Vec<&'a str>)> {
    let mut found = Vec::new();
    for (index, &(offset, word)) in tokens.iter().enumerate() {
        let is_start = index == 0 || tokens[index - 1].1 != "::";
        let goes_on = tokens.get(index + 1).is_some_and(|next| next.1 == "::");
        if is_start && goes_on && roots.contains(&word) {
            let mut branches = Vec::new();
            walk(tokens, index, Vec::new(), &mut branches);
            found.extend(branches.into_iter().map(|path| (offset, path)));
        }
    }
    found
}

/// The paths of every `use` item.
pub fn uses<'a>(tokens: &[Token<'a>]) -> Vec<Vec<&'a str>> {
    let mut found = Vec::new();
    for (index, &(_, word)) in tokens.iter().enumerate() {
        if word == "use" {
            walk(tokens, index + 1, Vec::new(), &mut found);
        }
    }
    found
}

/// The line number, from 1, of a byte offset.
pub fn line_at(source: &str, offset: usize) -> usize {
    1 + source.as_bytes()[..offset]
        .iter()
        .filter(|&&byte| byte == b'\n')
        .count()
}

/// Follows one tree of a path from `at`; gives the index of the token after it.
fn walk<'a>(
    tokens: &[Token<'a>],
    mut at: usize,
    mut path: Vec<&'a str>,
    found: &mut Vec<Vec<&'a str>>,
) -> usize {
    while let Some(&(_, token)) = tokens.get(at) {
        if token == "{" {
            at += 1;
            while tokens.get(at).is_some_and(|token| token.1 != "}") {
                at = walk(tokens, at, path.clone(), found);
                while tokens
                    .get(at)
                    .is_some_and(|token| token.1 != "," && token.1 != "}")
                {
                    at += 1;
                }
                at += usize::from(tokens.get(at).is_some_and(|token| token.1 == ","));
            }
            return at + 1;
        }
        if token != "*" && !token.starts_with(is_word) {
            break;
        }
        path.push(token);
        at += 1;
        if tokens.get(at).is_none_or(|next| next.1 != "::") {
            break;
        }
        at += 1;
    }
    found.push(path);
    at
}

fn without_comments_and_literals(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut at = 0;
    while at < source.len() {
        let rest = &source[at..];
        let after_word = source[..at].chars().next_back().is_some_and(is_word);
        let length = match opaque_length(rest, after_word) {
            Some(length) => {
                code.extend(
                    rest[..length]
                        .bytes()
                        .map(|byte| if byte == b'\n' { '\n' } else { ' ' }),
                );
                length
            }
            None => {
                let first = rest.chars().next().map_or(1, char::len_utf8);
                code.push_str(&rest[..first]);
                first
            }
        };
        at += length;
    }
    code
}

/// The length of the comment or literal that starts here.
fn opaque_length(rest: &str, after_word: bool) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return Some(block_comment_length(rest));
    }
    if rest.starts_with('"') {
        return Some(quoted_length(rest, '"'));
    }
    if !after_word && let Some(length) = raw_string_length(rest) {
        return Some(length);
    }
    let mut quoted = rest.strip_prefix('\'')?.chars();
    let is_char = match quoted.next()? {
        '\\' => true,
        _ => quoted.next() == Some('\''),
    };
    is_char.then(|| quoted_length(rest, '\''))
}

fn block_comment_length(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        match rest.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    at
}

fn quoted_length(rest: &str, quote: char) -> usize {
    let mut characters = rest.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        if character == '\\' {
            characters.next();
        } else if character == quote {
            return at + 1;
        }
    }
    rest.len()
}

/// The length of `r"…"`, `r#"…"#`, `br"…"` and so on.
fn raw_string_length(rest: &str) -> Option<usize> {
    let after_r = rest.trim_start_matches(['b', 'c']).strip_prefix('r')?;
    let body = after_r.trim_start_matches('#');
    let hashes = &after_r[..after_r.len() - body.len()];
    let inside = body.strip_prefix('"')?;
    let end = format!("\"{hashes}");
    let length = inside.find(&end).map_or(inside.len(), |at| at + end.len());
    Some(rest.len() - inside.len() + length)
}

fn without_test_items(code: &str) -> String {
    let tokens = tokens(code);
    let words: Vec<&str> = tokens.iter().map(|token| token.1).collect();
    let mut bytes = code.as_bytes().to_vec();
    for start in 0..words.len() {
        if words[start..].starts_with(&["#", "[", "cfg", "(", "test", ")", "]"]) {
            let end = item_end(&words, start + 7);
            let until = tokens.get(end).map_or(code.len(), |token| token.0);
            for byte in &mut bytes[tokens[start].0..until] {
                if *byte != b'\n' {
                    *byte = b' ';
                }
            }
        }
    }
    String::from_utf8(bytes).expect("whole tokens were blanked")
}

/// The index after the item at `at`: past its closing brace, or past its semicolon.
fn item_end(words: &[&str], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while let Some(&word) = words.get(at) {
        at += 1;
        match word {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (word == "}" || word == ";") {
            break;
        }
    }
    at
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[test]
fn what_is_no_code_turns_into_blanks_of_the_same_length() {
    let source = "a /* b /* c */ d */ e // f\n'\\'' 'g' \"h\\\" i\" r#\"j\" k\"# br\"l\" &'m n;";
    let code = code_of(source);
    assert_eq!(code.len(), source.len());
    let words: Vec<&str> = tokens(&code).iter().map(|token| token.1).collect();
    assert_eq!(words, ["a", "e", "&", "'", "m", "n", ";"]);
}

#[test]
fn test_modules_are_left_out() {
    let code = code_of(
        "use a;\n#[cfg(test)]\nmod tests { fn b() { c([1]); } }\nuse d;\n#[cfg(test)]\nmod e;\nuse f;",
    );
    let words: Vec<&str> = tokens(&code).iter().map(|token| token.1).collect();
    assert_eq!(words, ["use", "a", ";", "use", "d", ";", "use", "f", ";"]);
}

#[test]
fn a_group_of_imports_is_spelled_out() {
    let code = "use crate::{a, b::{self, C as D}, e::*};\nlet x = crate::f::g::<H>(not::crate::i);";
    let tokens = tokens(code);
    let found: Vec<(usize, String)> = paths(&tokens, &["crate"])
        .into_iter()
        .map(|(offset, path)| (line_at(code, offset), path.join("::")))
        .collect();
    let expected = [
        (1, "crate::a"),
        (1, "crate::b::self"),
        (1, "crate::b::C"),
        (1, "crate::e::*"),
        (2, "crate::f::g"),
    ];
    let expected: Vec<(usize, String)> =
        expected.map(|(line, path)| (line, path.to_owned())).into();
    assert_eq!(found, expected);
}
