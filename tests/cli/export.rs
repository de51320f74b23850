//! `sess export`: a transcript as a document that needs no `sess`.

use super::{Ran, TestEnv};

const RUN: &str = r##"{"id":"m","payload":{"model":"small"},"ts":"2026-01-02T03:04:05.000000Z","type":"session-meta","v":1}
{"id":"u","payload":{"content":"# Do\n<script>alert(1)</script>","role":"user"},"ts":"2026-01-02T03:04:06.000000Z","type":"message","v":1}
{"id":"a","payload":{"content":"","role":"assistant","tool-calls":[{"function":{"arguments":"{\"p\":1}","name":"read"},"id":"c","type":"function"}]},"ts":"2026-01-02T03:04:07.000000Z","type":"message","v":1}
{"id":"t","payload":{"content":"a ```b\n\u001b[2Jc","role":"tool","tool-call-id":"c"},"ts":"2026-01-02T03:04:08.000000Z","type":"message","v":1}
"##;

#[test]
fn markdown_quotes_prose_and_fences_the_rest() {
    let env = TestEnv::new();
    env.write("run.jsonl", RUN);
    let expected = r#"# run.jsonl

- **state**: ends in the middle: the model has not gone on after the last tool's answer
- **begun**: 2026-01-02 03:04:05Z
- **took**: 3.0 s
- **meta**: \{"model":"small"\}
- **size**: 4 lines, 544 B

## 1 meta · 2026-01-02 03:04:05Z

payload

```
{"model":"small"}
```

## 2 user · 2026-01-02 03:04:06Z

```
# Do
<script>alert(1)</script>
```

## 3 assistant · 2026-01-02 03:04:07Z

→ read

```
{"p":1}
```

## 4 tool · 2026-01-02 03:04:08Z

read

````
a ```b
␛[2Jc
````
"#;
    let ran = env.sess(&["export", "--md", "run.jsonl"]);
    let size = format!("{} B", RUN.len());
    assert_eq!(ran, Ran::new(0, &expected.replace("544 B", &size), ""));
}

#[test]
fn html_is_one_file_in_which_nothing_of_the_transcript_is_markup() {
    let env = TestEnv::new();
    env.write("run.jsonl", RUN);
    let ran = env.sess(&["export", "run.jsonl", "-o", "run.html"]);
    assert_eq!(ran, Ran::new(0, "", "note: written to run.html\n"));
    let html = std::fs::read_to_string(env.path("run.html")).unwrap();
    assert!(html.starts_with("<!DOCTYPE html><html lang=\"en\"><head>"));
    assert!(html.ends_with("</main></html>\n"));
    let entries: Vec<&str> = html
        .lines()
        .filter(|line| line.starts_with("<article"))
        .collect();
    assert_eq!(entries.len(), 4);
    let user = "<article id=\"L2\" class=\"user\"><h2><a href=\"#L2\">2</a> <span>user</span> \
                <time>2026-01-02 03:04:06Z</time></h2><div class=\"prose\"># Do";
    assert_eq!(entries[1], user);
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(html.contains("<pre>a ```b\n␛[2Jc</pre>"));
    for loud in ["<script", "http:", "https:", "\u{1b}"] {
        assert!(!html.contains(loud), "{loud}");
    }
}

#[test]
fn hostile_transcripts_make_harmless_documents() {
    let env = TestEnv::new();
    for name in [
        "hostile.jsonl",
        "hostile-replay.jsonl",
        "wide.jsonl",
        "glued.jsonl",
    ] {
        env.sample(name);
        for kind in ["--md", "--html"] {
            let ran = env.sess(&["export", kind, name]);
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{name} {kind}");
            let is_loud = |it: char| {
                it.is_control() && it != '\n'
                    || matches!(it, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            };
            assert_eq!(ran.out.find(is_loud), None, "{name} {kind}");
        }
    }
}

#[test]
fn filters_choose_and_json_is_the_document_of_peek() {
    let env = TestEnv::new();
    env.sample("healthy.jsonl");
    let words = ["--role", "assistant", "healthy.jsonl"];
    let peeked = env.sess(&[&["peek", "--json"], &words[..]].concat());
    let exported = env.sess(&[&["export", "--json"], &words[..]].concat());
    assert_eq!(exported, peeked);
    let to_file = env.sess(&[&["export", "-o", "out.json"], &words[..]].concat());
    assert_eq!(to_file, Ran::new(0, "", "note: written to out.json\n"));
    assert_eq!(
        std::fs::read_to_string(env.path("out.json")).unwrap(),
        peeked.out
    );

    let ran = env.sess(&[&["export", "--md"], &words[..]].concat());
    let headings = ran.out.lines().filter(|line| line.starts_with("## "));
    assert!(headings.clone().count() > 1);
    assert!(
        headings
            .into_iter()
            .all(|line| line.contains(" assistant · "))
    );
    let none = env.sess(&["export", "--md", "--tool", "nothing", "healthy.jsonl"]);
    let told = "sess: healthy.jsonl: no entry matches\n\
                hint: without --type, --role, --tool and --grep every entry is shown\n";
    assert_eq!((none.code, none.err.as_str()), (Some(1), told));
}

#[test]
fn the_transcript_itself_is_never_written_over() {
    let env = TestEnv::new();
    env.write("run.jsonl", RUN);
    let refused =
        "sess: ./run.jsonl: this is the transcript itself\nhint: choose another name behind -o\n";
    let ran = env.sess(&["export", "--md", "run.jsonl", "-o", "./run.jsonl"]);
    assert_eq!(ran, Ran::new(3, "", refused));
    assert_eq!(std::fs::read_to_string(env.path("run.jsonl")).unwrap(), RUN);
}

#[test]
fn what_cannot_be_done_is_said_and_leaves_nothing_behind() {
    let env = TestEnv::new();
    env.write("run.jsonl", RUN);
    env.write("text", "no transcript");
    let what = env.sess(&["export", "run.jsonl"]);
    let hint = "sess: what to write is not said\nhint: one of --html, --md and --json\n";
    assert_eq!(what, Ran::new(2, "", hint));
    let both = env.sess(&["export", "--md", "--json", "run.jsonl"]);
    assert_eq!(both.code, Some(2));
    let other = env.sess(&["export", "text", "-o", "out.md"]);
    assert_eq!(other.code, Some(2));
    let folder = env.sess(&["export", "run.jsonl", "-o", "no/folder/out.md"]);
    assert_eq!(folder.code, Some(2));
    let mut left: Vec<_> = std::fs::read_dir(env.folder())
        .unwrap()
        .map(|it| it.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["run.jsonl", "text"]);
}
