//! Writes a large, healthy transcript, for measuring and for trying out what size does:
//!
//! ```text
//! cargo run --release --example make_big -- --size 1G big.jsonl
//! ```
//!
//! | flag | means | default |
//! |---|---|---|
//! | `--size N` | stop after about N bytes; `K`, `M`, `G` are powers of 1024 | `64M` |
//! | `--lines N` | stop after about N lines instead | |
//! | `--huge-every N` | every Nth tool result has 5 MB | never |
//! | `--seed N` | another seed gives another transcript, the same seed the same bytes | `1` |
//!
//! The file ends with a whole turn. Tool results have 1–8 KB of source code, logs with ANSI colours,
//! quotes, backslashes and non-ASCII text; one in seven is spelled with `\u` escapes throughout.
//! Every call is dispatched, answered and settled; now and then old results are elided and the
//! conversation is compacted. `-` as file name writes to standard output.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use sess::canonical::{Sha256Hex, write_string};

const USAGE: &str =
    "usage: make_big [--size N[K|M|G]] [--lines N] [--huge-every N] [--seed N] FILE";
const HUGE: usize = 5_000_000;
/// A compaction comes after this many lines, an elision after a fifth of it.
const WINDOW: u64 = 2_000;

/// What the lines of tool results are drawn from.
const PHRASES: &[&str] = &[
    "fn main() -> Result<(), Box<dyn std::error::Error>> {\n",
    "\tlet path = Path::new(\"C:\\\\Users\\\\mira\\\\src\\\\tally\\\\Cargo.toml\");\n",
    "    println!(\"{:>8} {name}\", human(size));\n",
    "\u{1b}[32m+        assert_eq!(sum(&table, 1), (6.0, 3));\u{1b}[0m\n",
    "\u{1b}[31m-        assert_eq!(sum(&table, 1), (6.5, 3));\u{1b}[0m\n",
    "\u{1b}[1m\u{1b}[33mwarning\u{1b}[0m: unused variable: `width`\n",
    "   --> src/table.rs:118:21\n",
    "drwxr-xr-x  4 mira mira   4096 Mar 14 09:26 target\n",
    "{\"level\":\"info\",\"msg\":\"request done\",\"path\":\"/v1/rows?limit=50\",\"ms\":12.5}\n",
    "Größe geändert: 4 711 → 18 220 Zeilen, naïve façade, coût 12 €\n",
    "表の行を読み込みました（一万八千行）。\n",
    "テスト: 12 件成功、0 件失敗 ✅\n",
    "Заголовок таблицы не найден, строка пропущена\n",
    "done 🎉 in 3.2 s, 👩🏽‍💻 pushed v0.4.0\n",
    "2026-03-14T09:26:53.083442Z DEBUG tally::table: split into 14 fields, \"quoted\" = true\n",
    "error[E0308]: mismatched types: expected `f64`, found `Option<f64>`\n",
    "\n",
];

/// Tool, arguments and idempotency class of the calls.
const CALLS: &[(&str, &str, &str)] = &[
    ("read_file", r#"{"path":"src/table.rs"}"#, "read-only"),
    (
        "search",
        r#"{"path":"src","pattern":"fn \\w+\\("}"#,
        "read-only",
    ),
    (
        "shell",
        r#"{"command":"cargo test -- --nocapture"}"#,
        "destructive",
    ),
    (
        "edit_file",
        r#"{"new":"Some(mean)","old":"mean","path":"src/sum.rs"}"#,
        "destructive",
    ),
    (
        "write_file",
        r#"{"content":"Größe: 12\n","path":"docs/größe.md"}"#,
        "idempotent",
    ),
];

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("make_big: {problem}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match write(&options) {
        Ok((lines, bytes)) => {
            eprintln!("{lines} lines, {bytes} bytes");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("make_big: {}: {error}", options.file);
            ExitCode::FAILURE
        }
    }
}

/// What to write; see the table above.
pub struct Options {
    /// Bytes after which no turn begins.
    pub size: u64,
    /// Lines after which no turn begins.
    pub lines: u64,
    /// One in how many tool results is huge; 0: none.
    pub huge_every: u64,
    /// The seed.
    pub seed: u64,
    /// The path, or `-`.
    pub file: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            size: 64 << 20,
            lines: u64::MAX,
            huge_every: 0,
            seed: 1,
            file: "-".to_owned(),
        }
    }
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        let (mut size, mut lines, mut file) = (None, None, None);
        while let Some(argument) = arguments.next() {
            let mut number = || {
                let value = arguments.next().unwrap_or_default();
                number_of(&value).ok_or(format!("{argument} takes a number, not {value:?}"))
            };
            match argument.as_str() {
                "--size" => size = Some(number()?),
                "--lines" => lines = Some(number()?),
                "--huge-every" => options.huge_every = number()?,
                "--seed" => options.seed = number()?,
                flag if flag.starts_with("--") => return Err(format!("there is no {flag}")),
                _ => file = Some(argument),
            }
        }
        if lines.is_some() {
            options.size = u64::MAX;
        }
        Ok(Self {
            size: size.unwrap_or(options.size),
            lines: lines.unwrap_or(options.lines),
            file: file.ok_or("no FILE")?,
            ..options
        })
    }
}

fn number_of(text: &str) -> Option<u64> {
    let (digits, unit) = match text.chars().last()? {
        'K' => (&text[..text.len() - 1], 1 << 10),
        'M' => (&text[..text.len() - 1], 1 << 20),
        'G' => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// Writes a transcript; returns its lines and bytes.
pub fn write(options: &Options) -> io::Result<(u64, u64)> {
    let target: Box<dyn Write> = match options.file.as_str() {
        "-" => Box::new(io::stdout()),
        path => Box::new(File::create(path)?),
    };
    let mut big = Big::new(options, BufWriter::with_capacity(1 << 20, target));
    big.line("session-meta", |out, _| {
        let _ = write!(
            out,
            "{{\"agent\":\"rook\",\"model\":\"made-up\",\"seed\":{}}}",
            options.seed
        );
    })?;
    big.message(
        "system",
        "You are rook, a coding agent.",
        ",\"sticky\":true,\"sysprompt\":true",
    )?;
    while big.lines < options.lines && big.bytes < options.size {
        big.turn()?;
    }
    big.target.flush()?;
    Ok((big.lines, big.bytes))
}

/// The transcript so far, and what the next lines have to know about it.
struct Big<W> {
    target: W,
    random: Random,
    huge_every: u64,
    lines: u64,
    bytes: u64,
    results: u64,
    round: u64,
    micros: u64,
    out: String,
    content: String,
    /// [`PHRASES`] as they stand inside JSON strings: as the format writes them, and all in escapes.
    phrases: [Vec<String>; 2],
    /// Tool messages that may be elided.
    elidable: Vec<String>,
    next_elision: u64,
    next_compaction: u64,
}

impl<W: Write> Big<W> {
    fn new(options: &Options, target: W) -> Self {
        let plain = PHRASES.iter().map(|phrase| written(phrase)).collect();
        let escaped = PHRASES
            .iter()
            .map(|phrase| ascii_only(&written(phrase)))
            .collect();
        Self {
            target,
            random: Random(options.seed),
            huge_every: options.huge_every,
            lines: 0,
            bytes: 0,
            results: 0,
            round: 0,
            micros: 0,
            out: String::new(),
            content: String::new(),
            phrases: [plain, escaped],
            elidable: Vec::new(),
            next_elision: WINDOW / 5,
            next_compaction: WINDOW,
        }
    }

    /// A model's turn with its calls, or an exchange with the user; then what keeps memory small.
    fn turn(&mut self) -> io::Result<()> {
        self.round += 1;
        let last = if self.random.below(5) == 0 {
            self.message(
                "user",
                "Go on with the next file; keep the tests green.",
                "",
            )?;
            self.message(
                "assistant",
                "All 12 tests pass. I go on with `src/table.rs`.",
                ",\"finish-reason\":\"stop\"",
            )?
        } else {
            self.calls()?
        };
        if self.lines >= self.next_elision {
            self.next_elision = self.lines + WINDOW / 5;
            self.elide()?;
        }
        if self.lines >= self.next_compaction {
            self.next_compaction = self.lines + WINDOW;
            self.elidable.clear();
            self.line("compaction", |out, _| {
                let _ = write!(out, "{{\"fallback\":false,\"replaces-through-id\":\"{last}\",\"summary\":\"[Conversation summary — earlier turns compacted]\\n1. GOALS — keep the tests green\",\"tokens-after\":1200,\"tokens-before\":96000}}");
            })?;
        }
        Ok(())
    }

    /// A turn with one to three calls and their answers; gives the id of the last message.
    fn calls(&mut self) -> io::Result<String> {
        let count = 1 + self.random.below(3);
        let calls: Vec<_> = (0..count)
            .map(|index| {
                let (tool, arguments, class) = CALLS[self.random.below(CALLS.len())];
                (
                    format!("call_{}_{index}", self.round),
                    tool,
                    arguments,
                    class,
                )
            })
            .collect();
        self.line("message", |out, random| {
            out.push_str("{\"content\":\"I'll look at that next.\",\"finish-reason\":\"tool_calls\",\"role\":\"assistant\",\"tool-calls\":[");
            for (index, (id, tool, arguments, _)) in calls.iter().enumerate() {
                out.push_str(if index > 0 { ",{\"function\":{\"arguments\":" } else { "{\"function\":{\"arguments\":" });
                write_string(out, arguments);
                let _ = write!(out, ",\"name\":\"{tool}\"}},\"id\":\"{id}\",\"type\":\"function\"}}");
            }
            let (prompt, completion) = (2_000 + random.below(90_000), 20 + random.below(600));
            let _ = write!(out, "],\"usage\":{{\"completion-tokens\":{completion},\"prompt-tokens\":{prompt},\"total-tokens\":{}}}}}", prompt + completion);
        })?;
        let mut last = String::new();
        for (call, tool, arguments, class) in calls {
            last = self.call(&call, tool, arguments, class)?;
        }
        Ok(last)
    }

    /// One call from dispatch to settled end; gives the id of its tool message.
    fn call(&mut self, call: &str, tool: &str, arguments: &str, class: &str) -> io::Result<String> {
        let round = self.round;
        let operation = self.line("tool-dispatched", |out, _| {
            out.push_str("{\"arguments\":");
            write_string(out, arguments);
            let _ = write!(out, ",\"call-id\":\"{call}\",\"idempotency\":\"{class}\",\"round\":{round},\"run-id\":\"run-1\",\"tool\":\"{tool}\"}}");
        })?;
        let failed = self.random.below(12) == 0;
        let digest = self.make_result();
        let content = std::mem::take(&mut self.content);
        let message = self.line("message", |out, _| {
            let _ = write!(out, "{{\"content\":{content}");
            out.push_str(if failed { ",\"is-error\":true" } else { "" });
            let _ = write!(out, ",\"role\":\"tool\",\"tool-call-id\":\"{call}\"}}");
        })?;
        self.content = content;
        self.line("tool-settled", |out, random| {
            let _ = write!(
                out,
                "{{\"duration\":{}.{:06}",
                random.below(9),
                1 + random.below(999_999)
            );
            out.push_str(if failed {
                ",\"error\":\"exit status: 1\""
            } else {
                ""
            });
            let outcome = if failed { "failed" } else { "completed" };
            let _ = write!(out, ",\"op-id\":\"{operation}\",\"outcome\":\"{outcome}\"");
            if let Some(digest) = digest {
                let _ = write!(out, ",\"result-digest\":\"{digest}\"");
            }
            out.push('}');
        })?;
        self.elidable.push(message.clone());
        Ok(message)
    }

    /// Puts a tool result into `content`, as a JSON string. The digest is that of the text as the
    /// format writes it, so a result spelled in escapes goes without.
    fn make_result(&mut self) -> Option<Sha256Hex> {
        self.results += 1;
        let is_huge = self.huge_every > 0 && self.results.is_multiple_of(self.huge_every);
        let length = if is_huge {
            HUGE
        } else {
            1_000 + self.random.below(7_000)
        };
        let is_escaped = self.random.below(7) == 0;
        let phrases = &self.phrases[usize::from(is_escaped)];
        self.content.clear();
        self.content.push('"');
        while self.content.len() < length {
            self.content
                .push_str(&phrases[self.random.below(phrases.len())]);
        }
        self.content.push('"');
        (!is_escaped).then(|| Sha256Hex::of(self.content.as_bytes()))
    }

    fn elide(&mut self) -> io::Result<()> {
        let old: Vec<String> = self.elidable.drain(..self.elidable.len() / 2).collect();
        if old.is_empty() {
            return Ok(());
        }
        self.line("elision", |out, _| {
            out.push_str("{\"items\":[");
            for (index, id) in old.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                let _ = write!(out, "{{\"id\":\"{id}\",\"stub\":\"[elided by the harness: 4000-char result; re-run the call if you need it again]\"}}");
            }
            out.push_str("]}");
        })?;
        Ok(())
    }

    /// A message whose `extras` start with a comma and sort between `content` and what follows.
    fn message(&mut self, role: &str, content: &str, extras: &str) -> io::Result<String> {
        let (before, after) = if extras.starts_with(",\"f") {
            (extras, "")
        } else {
            ("", extras)
        };
        self.line("message", |out, _| {
            let _ = write!(
                out,
                "{{\"content\":\"{content}\"{before},\"role\":\"{role}\"{after}}}"
            );
        })
    }

    /// Writes one line around a payload and gives its id.
    fn line(
        &mut self,
        kind: &str,
        payload: impl FnOnce(&mut String, &mut Random),
    ) -> io::Result<String> {
        let (high, low) = (self.random.next(), self.random.next());
        let id = format!(
            "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xfff,
            low >> 52,
            low & 0xffff_ffff_ffff
        );
        self.out.clear();
        let _ = write!(self.out, "{{\"id\":\"{id}\",\"payload\":");
        payload(&mut self.out, &mut self.random);
        self.micros += 1 + self.random.below(80_000) as u64;
        let (seconds, micros) = (self.micros / 1_000_000, self.micros % 1_000_000);
        let (day, hour, minute, second) = (
            seconds / 86_400,
            seconds / 3_600 % 24,
            seconds / 60 % 60,
            seconds % 60,
        );
        let (year, month, day) = (2000 + day / 336, 1 + day / 28 % 12, 1 + day % 28);
        let _ = write!(
            self.out,
            ",\"ts\":\"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z\",\"type\":\"{kind}\",\"v\":1}}"
        );
        self.out.push('\n');
        self.lines += 1;
        self.bytes += self.out.len() as u64;
        self.target.write_all(self.out.as_bytes())?;
        Ok(id)
    }
}

/// A phrase as the format writes it, without the quotes.
fn written(phrase: &str) -> String {
    let mut quoted = String::new();
    write_string(&mut quoted, phrase);
    quoted[1..quoted.len() - 1].to_owned()
}

fn ascii_only(written: &str) -> String {
    let mut out = String::new();
    for character in written.chars() {
        if character.is_ascii() {
            out.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

/// SplitMix64: small, fast, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, evenly enough.
    fn below(&mut self, bound: usize) -> usize {
        (((self.next() >> 32) * bound as u64) >> 32) as usize
    }
}
