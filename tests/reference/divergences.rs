//! Where our answer is another one, why, and what it is.
//!
//! The answers do not come from a run of ours: a refusal leaves the file as it was, and the rest was
//! worked out by another program from the input, by the rules of the decision.

/// Decisions of the specification, by number.
const DIV_1: &str = "13.1-1: what does not begin as a transcript is not touched";
const DIV_2: &str = "13.1-2: the prefix is replayed before a repair changes the file";
const DIV_7: &str = "13.1-7: peek reads what can be read and does not fail";
const DIV_10: &str = "13.1-10: a whole value with more bytes behind it is damage, no torn tail";
const DIV_12: &str = "13.1-12: the version is the number 1";
const DIV_13: &str = "13.1-13: a line that others may name has an id that is a string";
const DIV_15: &str = "13.1-15: a second session-meta line is warned of";
const DIV_17: &str = "13.1-17: what makes a message is of the right type";
/// Decisions of the design, section 3.
const SURROGATE: &str = "design 3: half a surrogate pair is whole JSON and reads as U+FFFD";
const LOOSE: &str = "design 3: what only a lax parser takes is damage, and not cut off";
/// Not decisions of anybody.
const ACCIDENT: &str = "an argument limit of the reference's machine";
const SKIPPED: &str = "the reference did not digest a message of this size";

/// Field name and value; an empty value: the field does not exist.
type Changes = &'static [(&'static str, &'static str)];

/// One case.
pub struct Divergence {
    /// The case's name.
    pub case: &'static str,
    /// The decision.
    pub reason: &'static str,
    /// Loading is refused with this kind, and leaves the file and what stands beside it alone.
    pub refused: Option<&'static str>,
    /// Fields that are ours.
    pub fields: &'static [Changes],
}

const fn refused(
    case: &'static str,
    reason: &'static str,
    kind: &'static str,
    fields: &'static [Changes],
) -> Divergence {
    Divergence {
        case,
        reason,
        refused: Some(kind),
        fields,
    }
}

const fn answered(
    case: &'static str,
    reason: &'static str,
    fields: &'static [Changes],
) -> Divergence {
    Divergence {
        case,
        reason,
        refused: None,
        fields,
    }
}

const LINE_2_DAMAGED: Changes = &[
    ("peek.envelope_types", r#"["session-meta","message"]"#),
    (
        "peek.messages",
        r#"[{"content":"hi","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
    ),
    ("peek.n_envelopes", "2"),
    ("peek.n_messages", "1"),
    ("peek.warnings", "[2]"),
];

const LINE_3_DAMAGED: Changes = &[
    ("peek.envelope_types", r#"["session-meta","message"]"#),
    (
        "peek.messages",
        r#"[{"content":"hi","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
    ),
    ("peek.n_envelopes", "2"),
    ("peek.n_messages", "1"),
    ("peek.warnings", "[3]"),
];

const LINE_3_IS_WHOLE: Changes = &[
    (
        "peek.envelope_types",
        r#"["session-meta","message","message"]"#,
    ),
    (
        "peek.messages",
        r#"[{"content":"hi","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]},{"content":"c","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
    ),
    ("peek.n_envelopes", "3"),
    ("peek.n_messages", "2"),
];

const LINE_2_NO_MESSAGE: Changes = &[
    (
        "peek.messages",
        r#"[{"content":"hi","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
    ),
    ("peek.n_messages", "1"),
    ("peek.warnings", "[2]"),
];

const LINE_2_SKIPPED_NOT_THROWN: Changes = &[
    (
        "peek.envelope_types",
        r#"["session-meta","message","message"]"#,
    ),
    ("peek.error", "false"),
    (
        "peek.messages",
        r#"[{"content":"hi","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
    ),
    ("peek.meta", r#"{"agent":"t","model":"m"}"#),
    ("peek.n_envelopes", "3"),
    ("peek.n_messages", "1"),
    ("peek.threw", ""),
    ("peek.warnings", "[2]"),
];

const TORN_CHARACTER_IN_LINE_21: Changes = &[
    (
        "peek.envelope_types",
        r#"["session-meta","run-context","message","message","message","tool-dispatched","message","tool-settled","tool-dispatched","message","tool-settled","grants","message","elision","compaction","run-context","message","tool-dispatched","x-telemetry","message"]"#,
    ),
    ("peek.error", "false"),
    (
        "peek.messages",
        r#""sha256 a83372c8ed6e928870cc0f18496a0e36ae2e98a551af46f3d3307b0bd7f99770""#,
    ),
    (
        "peek.meta",
        r#"{"agent":"sadna","cwd":"/home/me/src/proj","max-tokens":8192,"model":"kimi-k2","started-at":"2026-08-09T13:10:08Z","tags":["refactor","naïve ✓"],"temperature":0.7}"#,
    ),
    ("peek.n_envelopes", "20"),
    ("peek.n_messages", "8"),
    ("peek.warnings", "[21]"),
];

const TORN_CHARACTER_IN_LINE_3: Changes = &[
    ("peek.envelope_types", r#"["session-meta","message"]"#),
    ("peek.error", "false"),
    (
        "peek.messages",
        r#"[{"content":"hi","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
    ),
    ("peek.meta", r#"{"agent":"t","model":"m"}"#),
    ("peek.n_envelopes", "2"),
    ("peek.n_messages", "1"),
    ("peek.warnings", "[3]"),
];

/// Cases whose text is not in normal form C. Ours keeps it, and agrees after normalising (13.1-14).
pub const NORMALISED: &[&str] = &[
    "boundary-131072-combining-1",
    "boundary-131072-hangul-3",
    "boundary-65536-combining-1",
    "boundary-65536-combining-2",
    "boundary-65536-hangul-3",
    "elision-unicode-stub",
    "json-content-esc-combining",
    "unicode-angstrom",
    "unicode-combining-many",
    "unicode-combining-order",
    "unicode-esc-combining-many",
    "unicode-key-nfd-dup",
    "unicode-thai-tibetan",
    "unicode-type-equiv",
];

/// Every other case that we answer differently.
pub const DIVERGENCES: &[Divergence] = &[
    refused("blank-between-two-bad", DIV_2, "malformed-mid", &[]),
    refused(
        "compaction-summary-array",
        DIV_17,
        "compaction-bad-summary",
        &[],
    ),
    refused(
        "compaction-summary-number",
        DIV_17,
        "compaction-bad-summary",
        &[],
    ),
    refused(
        "compaction-summary-object",
        DIV_17,
        "compaction-bad-summary",
        &[],
    ),
    refused("compaction-target-number", DIV_13, "no-id", &[]),
    refused("cr-inside-string", LOOSE, "loose-json", &[LINE_2_DAMAGED]),
    refused("cr-only", DIV_1, "not-a-transcript", &[]),
    refused("damage-bad-mid-and-tail", DIV_2, "malformed-mid", &[]),
    refused("damage-bad-only", DIV_1, "not-a-transcript", &[]),
    refused("damage-concat-objects-tail", DIV_10, "glued", &[]),
    refused(
        "damage-first-not-meta-and-tail",
        DIV_2,
        "first-not-meta",
        &[],
    ),
    answered(
        "damage-invalid-utf8-first",
        DIV_7,
        &[&[
            ("peek.envelope_types", r#"["session-meta"]"#),
            ("peek.error", "false"),
            ("peek.meta", r#"{"agent":"t","model":"m"}"#),
            ("peek.n_envelopes", "1"),
            ("peek.warnings", "[1]"),
        ]],
    ),
    refused(
        "damage-invalid-utf8-mid-and-tail",
        DIV_2,
        "invalid-utf8",
        &[&[
            ("peek.envelope_types", r#"["session-meta","message"]"#),
            ("peek.error", "false"),
            (
                "peek.messages",
                r#"[{"content":"hi","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
            ),
            ("peek.meta", r#"{"agent":"t","model":"m"}"#),
            ("peek.n_envelopes", "2"),
            ("peek.n_messages", "1"),
            ("peek.warnings", "[2,4]"),
        ]],
    ),
    answered(
        "damage-invalid-utf8-mid",
        DIV_7,
        &[&[
            ("peek.envelope_types", r#"["session-meta","message"]"#),
            ("peek.error", "false"),
            (
                "peek.messages",
                r#"[{"content":"hi","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
            ),
            ("peek.meta", r#"{"agent":"t","model":"m"}"#),
            ("peek.n_envelopes", "2"),
            ("peek.n_messages", "1"),
            ("peek.warnings", "[2]"),
        ]],
    ),
    refused("damage-merge-conflict", DIV_2, "many-malformed", &[]),
    refused("damage-nul-after-json", DIV_10, "glued", &[]),
    refused(
        "damage-valid-json-after-bad-replay",
        DIV_2,
        "bad-version",
        &[],
    ),
    refused("elision-item-number-id", DIV_13, "no-id", &[]),
    answered(
        "final-no-newline-200k",
        ACCIDENT,
        &[&[
            ("append.elems_after_reload", "102"),
            (
                "append.line_shape",
                r#""{\"id\":\"{uuid}\",\"payload\":{\"content\":\"probe\",\"role\":\"user\"},\"ts\":\"{ts}\",\"type\":\"message\",\"v\":1}\n""#,
            ),
            ("append.prefix_unchanged", "true"),
            ("append.second_load_warnings", "0"),
            (
                "file_after_load_sha256",
                r#""8c6bdcb3f116db986102c56ce25d72733870695538631e6840d07057cbe95c25""#,
            ),
            ("file_after_load_size", "211105"),
            (
                "load.conversation_digest",
                r#""fab55cece7220ad1f5882cb463641fc4cd163e551a9e34a877f2890adc2a9a5b""#,
            ),
            ("load.elems", "101"),
            ("load.error", ""),
            (
                "load.event_types",
                r#""sha256 d3fe08ba3690c45360d202270cf02e7d3c2c494d8604f889f4f0d5948f29d568""#,
            ),
            ("load.grants", "[]"),
            (
                "load.message_digests",
                r#""sha256 490535a809b8e1a889cbd2af6396febd6bfa2ce9d2f442b2962007e2bc532566""#,
            ),
            (
                "load.message_ids",
                r#"["m0","m1","m2","m3","m4","m5","m6","m7","m8","m9","m10","m11","m12","m13","m14","m15","m16","m17","m18","m19","m20","m21","m22","m23","m24","m25","m26","m27","m28","m29","m30","m31","m32","m33","m34","m35","m36","m37","m38","m39","m40","m41","m42","m43","m44","m45","m46","m47","m48","m49","m50","m51","m52","m53","m54","m55","m56","m57","m58","m59","m60","m61","m62","m63","m64","m65","m66","m67","m68","m69","m70","m71","m72","m73","m74","m75","m76","m77","m78","m79","m80","m81","m82","m83","m84","m85","m86","m87","m88","m89","m90","m91","m92","m93","m94","m95","m96","m97","m98","m99"]"#,
            ),
            (
                "load.messages",
                r#""sha256 dfe15a5577eaa226f3169ab8f6e12d45499efa32b05ed2e359097408093def5d""#,
            ),
            ("load.meta", r#"{"agent":"t","model":"m"}"#),
            ("load.notes", "[]"),
            ("load.ok", "true"),
            ("load.pending", "[]"),
            ("load.run_context_sections", "{}"),
            ("load.run_contexts", "[]"),
            ("load.warnings", "[]"),
        ]],
    ),
    answered(
        "final-no-newline-65532",
        ACCIDENT,
        &[&[
            ("append.elems_after_reload", "3"),
            (
                "append.line_shape",
                r#""{\"id\":\"{uuid}\",\"payload\":{\"content\":\"probe\",\"role\":\"user\"},\"ts\":\"{ts}\",\"type\":\"message\",\"v\":1}\n""#,
            ),
            ("append.prefix_unchanged", "true"),
            ("append.second_load_warnings", "0"),
            (
                "file_after_load_sha256",
                r#""d9726324ab66f3175cb68871b4a0485dae298de868b114b0867253bb0b2321fa""#,
            ),
            ("file_after_load_size", "65533"),
            (
                "load.conversation_digest",
                r#""c4db5126970a810edf0cdc95812e752cdc769ba04e56895e66358081935c74ae""#,
            ),
            ("load.elems", "2"),
            ("load.error", ""),
            ("load.event_types", r#"["session-meta","message"]"#),
            ("load.grants", "[]"),
            (
                "load.message_digests",
                r#"["6387acb9ae52f2fb4c66f3a4e6055a06ed4ea4d8ff8a697d294c2b5d6b464bd0"]"#,
            ),
            ("load.message_ids", r#"["a"]"#),
            (
                "load.messages",
                r#"[{"content":{"$bytes":65310,"$chars":65310,"$sha256":"8402b261f4be72cfbfc82f26762ff3d67b627939b89647c8acac3b2fa43fdc87"},"depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
            ),
            ("load.meta", r#"{"agent":"t","model":"m"}"#),
            ("load.notes", "[]"),
            ("load.ok", "true"),
            ("load.pending", "[]"),
            ("load.run_context_sections", "{}"),
            ("load.run_contexts", "[]"),
            ("load.warnings", "[]"),
        ]],
    ),
    answered(
        "final-no-newline-65533",
        ACCIDENT,
        &[&[
            ("append.elems_after_reload", "3"),
            (
                "append.line_shape",
                r#""{\"id\":\"{uuid}\",\"payload\":{\"content\":\"probe\",\"role\":\"user\"},\"ts\":\"{ts}\",\"type\":\"message\",\"v\":1}\n""#,
            ),
            ("append.prefix_unchanged", "true"),
            ("append.second_load_warnings", "0"),
            (
                "file_after_load_sha256",
                r#""befcb372ce412910e22eae412d9ffcacea9506da35d540cb13c460cf212589ef""#,
            ),
            ("file_after_load_size", "65534"),
            (
                "load.conversation_digest",
                r#""e3f7482e4127209046f8f5cfa27665c9f17bcad8bd3cb84486e9ca8035908ddf""#,
            ),
            ("load.elems", "2"),
            ("load.error", ""),
            ("load.event_types", r#"["session-meta","message"]"#),
            ("load.grants", "[]"),
            (
                "load.message_digests",
                r#"["b2bc56df8fbb5774c1904ddf81d6c9efc37f87093b78647f45eb8cf2f013114b"]"#,
            ),
            ("load.message_ids", r#"["a"]"#),
            (
                "load.messages",
                r#"[{"content":{"$bytes":65311,"$chars":65311,"$sha256":"3b0273ef4c82f938885abc5446dc1ba91eafca5dd05ab7ac3532aafc7bf3742e"},"depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
            ),
            ("load.meta", r#"{"agent":"t","model":"m"}"#),
            ("load.notes", "[]"),
            ("load.ok", "true"),
            ("load.pending", "[]"),
            ("load.run_context_sections", "{}"),
            ("load.run_contexts", "[]"),
            ("load.warnings", "[]"),
        ]],
    ),
    answered(
        "final-no-newline-65534",
        ACCIDENT,
        &[&[
            ("append.elems_after_reload", "3"),
            (
                "append.line_shape",
                r#""{\"id\":\"{uuid}\",\"payload\":{\"content\":\"probe\",\"role\":\"user\"},\"ts\":\"{ts}\",\"type\":\"message\",\"v\":1}\n""#,
            ),
            ("append.prefix_unchanged", "true"),
            ("append.second_load_warnings", "0"),
            (
                "file_after_load_sha256",
                r#""02336328a23cf62eae2cdf8fca0421236e358e45f1cbd08844a6bc4550786394""#,
            ),
            ("file_after_load_size", "65535"),
            (
                "load.conversation_digest",
                r#""9c441a08b1d5d03ba3fd39330b8414f7548a75234585a63ce4483996be734973""#,
            ),
            ("load.elems", "2"),
            ("load.error", ""),
            ("load.event_types", r#"["session-meta","message"]"#),
            ("load.grants", "[]"),
            (
                "load.message_digests",
                r#"["da287af7d59d4e8b034d884682b8222e68ca25289ed493c524ac86f56003e43b"]"#,
            ),
            ("load.message_ids", r#"["a"]"#),
            (
                "load.messages",
                r#"[{"content":{"$bytes":65312,"$chars":65312,"$sha256":"3443943c862ee46cecf8bef8c337f4f14dee87f8930d2c58a16cc8bed1c93704"},"depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
            ),
            ("load.meta", r#"{"agent":"t","model":"m"}"#),
            ("load.notes", "[]"),
            ("load.ok", "true"),
            ("load.pending", "[]"),
            ("load.run_context_sections", "{}"),
            ("load.run_contexts", "[]"),
            ("load.warnings", "[]"),
        ]],
    ),
    answered(
        "final-no-newline-65535",
        ACCIDENT,
        &[&[
            ("append.elems_after_reload", "3"),
            (
                "append.line_shape",
                r#""{\"id\":\"{uuid}\",\"payload\":{\"content\":\"probe\",\"role\":\"user\"},\"ts\":\"{ts}\",\"type\":\"message\",\"v\":1}\n""#,
            ),
            ("append.prefix_unchanged", "true"),
            ("append.second_load_warnings", "0"),
            (
                "file_after_load_sha256",
                r#""000a97b799344140b5d2bd78ab9c5432ce406cf432bbd4f8478905566fb0c6d0""#,
            ),
            ("file_after_load_size", "65536"),
            (
                "load.conversation_digest",
                r#""328d78358e88b3d4bf73dd90c88320abbee9d6bae769986f041792033982372f""#,
            ),
            ("load.elems", "2"),
            ("load.error", ""),
            ("load.event_types", r#"["session-meta","message"]"#),
            ("load.grants", "[]"),
            (
                "load.message_digests",
                r#"["a037a3e93de25196e8ac80dd355ea907e20032eb247c972f84e2831f30e553b5"]"#,
            ),
            ("load.message_ids", r#"["a"]"#),
            (
                "load.messages",
                r#"[{"content":{"$bytes":65313,"$chars":65313,"$sha256":"84c364d42333aeb32af4819cb4261cba51202934df4ed55ad196ff7be127db17"},"depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
            ),
            ("load.meta", r#"{"agent":"t","model":"m"}"#),
            ("load.notes", "[]"),
            ("load.ok", "true"),
            ("load.pending", "[]"),
            ("load.run_context_sections", "{}"),
            ("load.run_contexts", "[]"),
            ("load.warnings", "[]"),
        ]],
    ),
    answered(
        "final-no-newline-65536",
        ACCIDENT,
        &[&[
            ("append.elems_after_reload", "3"),
            (
                "append.line_shape",
                r#""{\"id\":\"{uuid}\",\"payload\":{\"content\":\"probe\",\"role\":\"user\"},\"ts\":\"{ts}\",\"type\":\"message\",\"v\":1}\n""#,
            ),
            ("append.prefix_unchanged", "true"),
            ("append.second_load_warnings", "0"),
            (
                "file_after_load_sha256",
                r#""48728fd0c0462d8ed32bb8afc08c81cc1aaa1e277dc53aa7f2cfe6277fcb8f27""#,
            ),
            ("file_after_load_size", "65537"),
            (
                "load.conversation_digest",
                r#""ef722a53be77bc1b2f1ceb11e8526d67a9fb0b61a0e57742376f083e6762241f""#,
            ),
            ("load.elems", "2"),
            ("load.error", ""),
            ("load.event_types", r#"["session-meta","message"]"#),
            ("load.grants", "[]"),
            (
                "load.message_digests",
                r#"["05213b08360052533f1ba172884edb9547dc168ca737f9109ede9a5e3e5ab398"]"#,
            ),
            ("load.message_ids", r#"["a"]"#),
            (
                "load.messages",
                r#"[{"content":{"$bytes":65314,"$chars":65314,"$sha256":"3a2e7164ad21743d84f7bdb8ab4389e41b2254e9165a95382cb32d992189d64f"},"depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
            ),
            ("load.meta", r#"{"agent":"t","model":"m"}"#),
            ("load.notes", "[]"),
            ("load.ok", "true"),
            ("load.pending", "[]"),
            ("load.run_context_sections", "{}"),
            ("load.run_contexts", "[]"),
            ("load.warnings", "[]"),
        ]],
    ),
    refused("final-no-newline-bad-envelope", DIV_2, "bad-version", &[]),
    answered(
        "final-no-newline-crlf-65533",
        ACCIDENT,
        &[&[
            ("append.elems_after_reload", "3"),
            (
                "append.line_shape",
                r#""{\"id\":\"{uuid}\",\"payload\":{\"content\":\"probe\",\"role\":\"user\"},\"ts\":\"{ts}\",\"type\":\"message\",\"v\":1}\n""#,
            ),
            ("append.prefix_unchanged", "true"),
            ("append.second_load_warnings", "0"),
            (
                "file_after_load_sha256",
                r#""0251ba93b2580c10bca449369385e72a2572cd3d29784e50383786a4d2b50870""#,
            ),
            ("file_after_load_size", "65535"),
            (
                "load.conversation_digest",
                r#""c4db5126970a810edf0cdc95812e752cdc769ba04e56895e66358081935c74ae""#,
            ),
            ("load.elems", "2"),
            ("load.error", ""),
            ("load.event_types", r#"["session-meta","message"]"#),
            ("load.grants", "[]"),
            (
                "load.message_digests",
                r#"["6387acb9ae52f2fb4c66f3a4e6055a06ed4ea4d8ff8a697d294c2b5d6b464bd0"]"#,
            ),
            ("load.message_ids", r#"["a"]"#),
            (
                "load.messages",
                r#"[{"content":{"$bytes":65310,"$chars":65310,"$sha256":"8402b261f4be72cfbfc82f26762ff3d67b627939b89647c8acac3b2fa43fdc87"},"depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
            ),
            ("load.meta", r#"{"agent":"t","model":"m"}"#),
            ("load.notes", "[]"),
            ("load.ok", "true"),
            ("load.pending", "[]"),
            ("load.run_context_sections", "{}"),
            ("load.run_contexts", "[]"),
            ("load.warnings", "[]"),
        ]],
    ),
    answered(
        "final-no-newline-crlf-65534",
        ACCIDENT,
        &[&[
            ("append.elems_after_reload", "3"),
            (
                "append.line_shape",
                r#""{\"id\":\"{uuid}\",\"payload\":{\"content\":\"probe\",\"role\":\"user\"},\"ts\":\"{ts}\",\"type\":\"message\",\"v\":1}\n""#,
            ),
            ("append.prefix_unchanged", "true"),
            ("append.second_load_warnings", "0"),
            (
                "file_after_load_sha256",
                r#""075b5a6ec2da6108dec49d7fe442867a758822215b8d303ec79fe276b03935e5""#,
            ),
            ("file_after_load_size", "65536"),
            (
                "load.conversation_digest",
                r#""e3f7482e4127209046f8f5cfa27665c9f17bcad8bd3cb84486e9ca8035908ddf""#,
            ),
            ("load.elems", "2"),
            ("load.error", ""),
            ("load.event_types", r#"["session-meta","message"]"#),
            ("load.grants", "[]"),
            (
                "load.message_digests",
                r#"["b2bc56df8fbb5774c1904ddf81d6c9efc37f87093b78647f45eb8cf2f013114b"]"#,
            ),
            ("load.message_ids", r#"["a"]"#),
            (
                "load.messages",
                r#"[{"content":{"$bytes":65311,"$chars":65311,"$sha256":"3b0273ef4c82f938885abc5446dc1ba91eafca5dd05ab7ac3532aafc7bf3742e"},"depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
            ),
            ("load.meta", r#"{"agent":"t","model":"m"}"#),
            ("load.notes", "[]"),
            ("load.ok", "true"),
            ("load.pending", "[]"),
            ("load.run_context_sections", "{}"),
            ("load.run_contexts", "[]"),
            ("load.warnings", "[]"),
        ]],
    ),
    refused("final-no-newline-null", DIV_2, "not-object", &[]),
    refused("final-no-newline-number", DIV_2, "not-object", &[]),
    refused("first-bom-double", DIV_1, "not-a-transcript", &[]),
    refused(
        "first-utf16",
        DIV_1,
        "not-a-transcript",
        &[&[("peek.warnings", "[1,2]")]],
    ),
    answered(
        "fuzz-013",
        DIV_15,
        &[&[("load.notes", r#"["9 second-meta"]"#)]],
    ),
    refused("fuzz-016", DIV_2, "elision-unknown-target", &[]),
    answered(
        "fuzz-020",
        DIV_15,
        &[&[("load.notes", r#"["5 second-meta"]"#)]],
    ),
    answered(
        "fuzz-025",
        DIV_15,
        &[&[("load.notes", r#"["24 second-meta"]"#)]],
    ),
    answered(
        "fuzz-032",
        DIV_15,
        &[&[("load.notes", r#"["11 second-meta"]"#)]],
    ),
    refused("fuzz-042", DIV_2, "elision-unknown-target", &[]),
    answered(
        "fuzz-043",
        DIV_15,
        &[&[("load.notes", r#"["6 second-meta"]"#)]],
    ),
    answered(
        "fuzz-045",
        DIV_15,
        &[&[("load.notes", r#"["6 second-meta"]"#)]],
    ),
    refused("fuzz-052", DIV_2, "elision-unknown-target", &[]),
    refused("fuzz-062", DIV_2, "compaction-unknown-target", &[]),
    answered(
        "fuzz-071",
        DIV_15,
        &[&[("load.notes", r#"["22 second-meta"]"#)]],
    ),
    refused("fuzz-076", DIV_2, "settle-twice", &[]),
    answered(
        "fuzz-084",
        DIV_15,
        &[&[("load.notes", r#"["8 second-meta"]"#)]],
    ),
    answered(
        "fuzz-092",
        DIV_15,
        &[&[("load.notes", r#"["10 second-meta","20 second-meta"]"#)]],
    ),
    answered(
        "fuzz-095",
        DIV_15,
        &[&[("load.notes", r#"["3 second-meta","26 second-meta"]"#)]],
    ),
    refused("id-bignum", DIV_13, "no-id", &[]),
    refused("id-empty", DIV_13, "no-id", &[]),
    refused("id-float", DIV_13, "no-id", &[]),
    refused("id-missing-dispatch", DIV_13, "no-id", &[]),
    refused("id-missing-target-empty", DIV_13, "no-id", &[]),
    refused("id-null", DIV_13, "no-id", &[]),
    refused("id-number-target", DIV_13, "no-id", &[]),
    refused("id-number", DIV_13, "no-id", &[]),
    refused("id-object", DIV_13, "no-id", &[]),
    refused("json-arabic-digit", LOOSE, "loose-json", &[LINE_3_DAMAGED]),
    answered(
        "json-content-lone-low-tail",
        SURROGATE,
        &[&[
            ("append.elems_after_reload", "3"),
            (
                "file_after_load_sha256",
                r#""57ccaaf0b98f4df44691e762b0888f0bafc616fa2911c3e8d6d18dddff7bd641""#,
            ),
            ("file_after_load_size", "204"),
            (
                "load.conversation_digest",
                r#""9fd27a5bc6e29b05c7b144a0e26f6c391f1add164340a084e747a1ce4e57a3c7""#,
            ),
            ("load.elems", "2"),
            ("load.event_types", r#"["session-meta","message"]"#),
            (
                "load.message_digests",
                r#"["b5cea6395e3ba4f023d4310581da8aa178b090f1f25d60516d0ed87d2580051c"]"#,
            ),
            ("load.message_ids", r#"["x"]"#),
            (
                "load.messages",
                r#"[{"content":"a�","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
            ),
            ("load.notes", r#"["2 lone-surrogate"]"#),
            ("load.warnings", "[]"),
            ("peek.envelope_types", r#"["session-meta","message"]"#),
            (
                "peek.messages",
                r#"[{"content":"a�","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
            ),
            ("peek.n_envelopes", "2"),
            ("peek.n_messages", "1"),
        ]],
    ),
    answered(
        "json-content-low-low",
        SURROGATE,
        &[&[
            (
                "load.conversation_digest",
                r#""a795a2f1c57e283fadcb9ba0d5cc4dd83546aca391b46fcbd4a5903dfa5b4c41""#,
            ),
            (
                "load.message_digests",
                r#"["914a6c365a9dd822849cef8ff69bd432dcc81b69c72df4c3e61228f73aa2ac0f"]"#,
            ),
            (
                "load.messages",
                r#"[{"content":"a��","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
            ),
            ("load.notes", r#"["2 lone-surrogate"]"#),
            (
                "peek.messages",
                r#"[{"content":"a��","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
            ),
            ("peek.warnings", "[2]"),
        ]],
    ),
    refused(
        "json-fullwidth-digit",
        LOOSE,
        "loose-json",
        &[LINE_3_DAMAGED],
    ),
    answered(
        "json-high-high",
        SURROGATE,
        &[
            LINE_3_IS_WHOLE,
            &[
                ("append.elems_after_reload", "4"),
                (
                    "file_after_load_sha256",
                    r#""f994e4ca84d7b3e2e1880398554362e38906be873577d9ef885b45fe1a6928e2""#,
                ),
                ("file_after_load_size", "327"),
                (
                    "load.conversation_digest",
                    r#""0f2ed417d70c66ac8f98481edbe2a0285bf7c2ba2b265ef61e4f1ba841afd6d2""#,
                ),
                ("load.elems", "3"),
                (
                    "load.event_types",
                    r#"["session-meta","message","message"]"#,
                ),
                (
                    "load.message_digests",
                    r#"["02cc83f5b8164bff72129fb93eee970c433b97c8e797393e32b1be404f872c59","4253a82735a2a68c2248877801f6782e041e74bcf08186f4b4901c68278c95c3"]"#,
                ),
                ("load.message_ids", r#"["a","x"]"#),
                (
                    "load.messages",
                    r#"[{"content":"hi","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]},{"content":"c","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
                ),
                ("load.notes", r#"["3 lone-surrogate"]"#),
                ("load.warnings", "[]"),
            ],
        ],
    ),
    answered(
        "json-high-then-bmp",
        SURROGATE,
        &[
            LINE_3_IS_WHOLE,
            &[
                ("append.elems_after_reload", "4"),
                (
                    "file_after_load_sha256",
                    r#""5bb08d91b7a9aa82543302dbb7f5180b693eada9076fef52eaf6483b83dc5148""#,
                ),
                ("file_after_load_size", "327"),
                (
                    "load.conversation_digest",
                    r#""0f2ed417d70c66ac8f98481edbe2a0285bf7c2ba2b265ef61e4f1ba841afd6d2""#,
                ),
                ("load.elems", "3"),
                (
                    "load.event_types",
                    r#"["session-meta","message","message"]"#,
                ),
                (
                    "load.message_digests",
                    r#"["02cc83f5b8164bff72129fb93eee970c433b97c8e797393e32b1be404f872c59","4253a82735a2a68c2248877801f6782e041e74bcf08186f4b4901c68278c95c3"]"#,
                ),
                ("load.message_ids", r#"["a","x"]"#),
                (
                    "load.messages",
                    r#"[{"content":"hi","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]},{"content":"c","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
                ),
                ("load.notes", r#"["3 lone-surrogate"]"#),
                ("load.warnings", "[]"),
            ],
        ],
    ),
    answered(
        "json-lone-high-text",
        SURROGATE,
        &[
            LINE_3_IS_WHOLE,
            &[
                ("append.elems_after_reload", "4"),
                (
                    "file_after_load_sha256",
                    r#""54c7e25173e61b3ec810ebac7cde1982766dd1cfbb773e7d61f59d82c45e6a3d""#,
                ),
                ("file_after_load_size", "323"),
                (
                    "load.conversation_digest",
                    r#""0f2ed417d70c66ac8f98481edbe2a0285bf7c2ba2b265ef61e4f1ba841afd6d2""#,
                ),
                ("load.elems", "3"),
                (
                    "load.event_types",
                    r#"["session-meta","message","message"]"#,
                ),
                (
                    "load.message_digests",
                    r#"["02cc83f5b8164bff72129fb93eee970c433b97c8e797393e32b1be404f872c59","4253a82735a2a68c2248877801f6782e041e74bcf08186f4b4901c68278c95c3"]"#,
                ),
                ("load.message_ids", r#"["a","x"]"#),
                (
                    "load.messages",
                    r#"[{"content":"hi","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]},{"content":"c","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
                ),
                ("load.notes", r#"["3 lone-surrogate"]"#),
                ("load.warnings", "[]"),
            ],
        ],
    ),
    answered(
        "json-lone-high",
        SURROGATE,
        &[
            LINE_3_IS_WHOLE,
            &[
                ("append.elems_after_reload", "4"),
                (
                    "file_after_load_sha256",
                    r#""a4d299a4258592fdc7a445dc4accdfb05df4881fd8c2d88402d85a35594faf91""#,
                ),
                ("file_after_load_size", "321"),
                (
                    "load.conversation_digest",
                    r#""0f2ed417d70c66ac8f98481edbe2a0285bf7c2ba2b265ef61e4f1ba841afd6d2""#,
                ),
                ("load.elems", "3"),
                (
                    "load.event_types",
                    r#"["session-meta","message","message"]"#,
                ),
                (
                    "load.message_digests",
                    r#"["02cc83f5b8164bff72129fb93eee970c433b97c8e797393e32b1be404f872c59","4253a82735a2a68c2248877801f6782e041e74bcf08186f4b4901c68278c95c3"]"#,
                ),
                ("load.message_ids", r#"["a","x"]"#),
                (
                    "load.messages",
                    r#"[{"content":"hi","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]},{"content":"c","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
                ),
                ("load.notes", r#"["3 lone-surrogate"]"#),
                ("load.warnings", "[]"),
            ],
        ],
    ),
    answered(
        "json-low-high",
        SURROGATE,
        &[
            LINE_3_IS_WHOLE,
            &[
                ("append.elems_after_reload", "4"),
                (
                    "file_after_load_sha256",
                    r#""fb7ba8bfed43e2588b9cd2cb612c02abd0b842521ac78294181dc6ca23a0e44f""#,
                ),
                ("file_after_load_size", "327"),
                (
                    "load.conversation_digest",
                    r#""0f2ed417d70c66ac8f98481edbe2a0285bf7c2ba2b265ef61e4f1ba841afd6d2""#,
                ),
                ("load.elems", "3"),
                (
                    "load.event_types",
                    r#"["session-meta","message","message"]"#,
                ),
                (
                    "load.message_digests",
                    r#"["02cc83f5b8164bff72129fb93eee970c433b97c8e797393e32b1be404f872c59","4253a82735a2a68c2248877801f6782e041e74bcf08186f4b4901c68278c95c3"]"#,
                ),
                ("load.message_ids", r#"["a","x"]"#),
                (
                    "load.messages",
                    r#"[{"content":"hi","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]},{"content":"c","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
                ),
                ("load.notes", r#"["3 lone-surrogate"]"#),
                ("load.warnings", "[]"),
            ],
        ],
    ),
    refused(
        "json-mid-fullwidth-digit",
        LOOSE,
        "loose-json",
        &[LINE_2_DAMAGED],
    ),
    answered(
        "json-mid-lone-low",
        SURROGATE,
        &[&[
            ("append.elems_after_reload", "4"),
            (
                "append.line_shape",
                r#""{\"id\":\"{uuid}\",\"payload\":{\"content\":\"probe\",\"role\":\"user\"},\"ts\":\"{ts}\",\"type\":\"message\",\"v\":1}\n""#,
            ),
            ("append.prefix_unchanged", "true"),
            ("append.second_load_warnings", "0"),
            (
                "load.conversation_digest",
                r#""fb9af248520f4d6b33f97eac834e768020234881c6cd2055d776eed5a1b5c647""#,
            ),
            ("load.elems", "3"),
            ("load.error", ""),
            (
                "load.event_types",
                r#"["session-meta","message","message"]"#,
            ),
            ("load.grants", "[]"),
            (
                "load.message_digests",
                r#"["4253a82735a2a68c2248877801f6782e041e74bcf08186f4b4901c68278c95c3","02cc83f5b8164bff72129fb93eee970c433b97c8e797393e32b1be404f872c59"]"#,
            ),
            ("load.message_ids", r#"["x","b"]"#),
            (
                "load.messages",
                r#"[{"content":"c","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]},{"content":"hi","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
            ),
            ("load.meta", r#"{"agent":"t","model":"m"}"#),
            ("load.notes", r#"["2 lone-surrogate"]"#),
            ("load.ok", "true"),
            ("load.pending", "[]"),
            ("load.run_context_sections", "{}"),
            ("load.run_contexts", "[]"),
            ("load.warnings", "[]"),
            (
                "peek.envelope_types",
                r#"["session-meta","message","message"]"#,
            ),
            (
                "peek.messages",
                r#"[{"content":"c","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]},{"content":"hi","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
            ),
            ("peek.n_envelopes", "3"),
            ("peek.n_messages", "2"),
        ]],
    ),
    refused("json-mid-raw-ctrl", LOOSE, "loose-json", &[LINE_2_DAMAGED]),
    refused("json-raw-nul", LOOSE, "loose-json", &[LINE_3_DAMAGED]),
    refused("json-raw-vt", LOOSE, "loose-json", &[LINE_3_DAMAGED]),
    answered(
        "meta-second-empty",
        DIV_15,
        &[&[("load.notes", r#"["2 second-meta"]"#)]],
    ),
    refused(
        "msg-content-array-empty",
        DIV_17,
        "message-bad-content",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-content-array",
        DIV_17,
        "message-bad-content",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-content-bigdec",
        DIV_17,
        "message-bad-content",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-content-bignum",
        DIV_17,
        "message-bad-content",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-content-exp-neg",
        DIV_17,
        "message-bad-content",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-content-exp",
        DIV_17,
        "message-bad-content",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-content-false",
        DIV_17,
        "message-bad-content",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-content-float",
        DIV_17,
        "message-bad-content",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-content-negzero-f",
        DIV_17,
        "message-bad-content",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-content-number",
        DIV_17,
        "message-bad-content",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-content-object-empty",
        DIV_17,
        "message-bad-content",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-content-object",
        DIV_17,
        "message-bad-content",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-depth-array",
        DIV_17,
        "message-bad-depth",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-depth-false",
        DIV_17,
        "message-bad-depth",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-depth-float",
        DIV_17,
        "message-bad-depth",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-depth-neg-float",
        DIV_17,
        "message-bad-depth",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-depth-object",
        DIV_17,
        "message-bad-depth",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-depth-string-bad",
        DIV_17,
        "message-bad-depth",
        &[LINE_2_SKIPPED_NOT_THROWN, &[("peek.size", "322")]],
    ),
    refused(
        "msg-depth-string-empty",
        DIV_17,
        "message-bad-depth",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-depth-string-float",
        DIV_17,
        "message-bad-depth",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-depth-string",
        DIV_17,
        "message-bad-depth",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-role-array",
        DIV_17,
        "message-bad-role",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-role-array2",
        DIV_17,
        "message-bad-role",
        &[LINE_2_SKIPPED_NOT_THROWN, &[("peek.size", "314")]],
    ),
    refused(
        "msg-role-number",
        DIV_17,
        "message-bad-role",
        &[LINE_2_SKIPPED_NOT_THROWN, &[("peek.size", "303")]],
    ),
    refused(
        "msg-role-true",
        DIV_17,
        "message-bad-role",
        &[LINE_2_SKIPPED_NOT_THROWN, &[("peek.size", "306")]],
    ),
    refused(
        "msg-role-unknown-tail",
        DIV_17,
        "message-bad-role",
        &[&[
            (
                "peek.envelope_types",
                r#"["session-meta","message","message"]"#,
            ),
            ("peek.error", "false"),
            (
                "peek.messages",
                r#"[{"content":"hi","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
            ),
            ("peek.meta", r#"{"agent":"t","model":"m"}"#),
            ("peek.n_envelopes", "3"),
            ("peek.n_messages", "1"),
            ("peek.size", "313"),
            ("peek.threw", ""),
            ("peek.warnings", "[3]"),
        ]],
    ),
    refused(
        "msg-role-unknown",
        DIV_17,
        "message-bad-role",
        &[LINE_2_SKIPPED_NOT_THROWN, &[("peek.size", "313")]],
    ),
    refused(
        "msg-sticky-string",
        DIV_17,
        "message-bad-field",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-sticky-zero",
        DIV_17,
        "message-bad-field",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-sysprompt-number",
        DIV_17,
        "message-bad-field",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-tcid-array",
        DIV_17,
        "message-bad-field",
        &[LINE_2_NO_MESSAGE],
    ),
    refused(
        "msg-tcid-number",
        DIV_17,
        "message-bad-field",
        &[LINE_2_NO_MESSAGE],
    ),
    refused("nonobject-tail-null-then-half", DIV_2, "not-object", &[]),
    refused(
        "payload-message-missing",
        DIV_17,
        "message-bad-field",
        &[&[
            (
                "peek.messages",
                r#"[{"content":"hi","depth":null,"role":"user","sticky":false,"sysprompt":false,"tool-call-id":null,"tool-calls":[]}]"#,
            ),
            ("peek.n_messages", "1"),
            ("peek.warnings", "[3]"),
        ]],
    ),
    answered(
        "payload-session-meta-missing",
        DIV_15,
        &[&[("load.notes", r#"["3 second-meta"]"#)]],
    ),
    answered(
        "payload-session-meta-number",
        DIV_15,
        &[&[("load.notes", r#"["3 second-meta"]"#)]],
    ),
    answered(
        "payload-session-meta-string",
        DIV_15,
        &[&[("load.notes", r#"["3 second-meta"]"#)]],
    ),
    refused(
        "repair-leftover-first-not-meta",
        DIV_1,
        "first-not-meta",
        &[],
    ),
    answered(
        "size-5mb-line",
        SKIPPED,
        &[&[
            (
                "load.conversation_digest",
                r#""740ea42b867a94bc97cc6e33c3bdd4dda5900739fa3803e4f0cc5e0c91eeef0a""#,
            ),
            (
                "load.message_digests",
                r#"["e8cf8dc5a55506b3cd81351b147340816d193a427d03c9455fc419a0e776b867","02cc83f5b8164bff72129fb93eee970c433b97c8e797393e32b1be404f872c59"]"#,
            ),
        ]],
    ),
    answered(
        "size-5mb-no-newline",
        ACCIDENT,
        &[&[
            ("append.elems_after_reload", "3"),
            (
                "append.line_shape",
                r#""{\"id\":\"{uuid}\",\"payload\":{\"content\":\"probe\",\"role\":\"user\"},\"ts\":\"{ts}\",\"type\":\"message\",\"v\":1}\n""#,
            ),
            ("append.prefix_unchanged", "true"),
            ("append.second_load_warnings", "0"),
            (
                "file_after_load_sha256",
                r#""59a34c29f258e60f87106ce9119f1b3ef5ae101af668892108bc06c40de0f69d""#,
            ),
            ("file_after_load_size", "5000242"),
            (
                "load.conversation_digest",
                r#""c185efde7b62d2cb5b5c4f91bb678a32f5c0a4a7175b0110d970187f908f898d""#,
            ),
            ("load.elems", "2"),
            ("load.error", ""),
            ("load.event_types", r#"["session-meta","message"]"#),
            ("load.grants", "[]"),
            (
                "load.message_digests",
                r#"["894a61927e1288ce4f963c755dd3d08e589f6e6eb8eb6e1a4158f14624b75529"]"#,
            ),
            ("load.message_ids", r#"["a"]"#),
            (
                "load.messages",
                r#"[{"content":{"$bytes":5000000,"$chars":5000000,"$sha256":"c2eba0c1479c2c44756db745866afdcf1b8d9bf92d8d4a5c27964955fb613227"},"depth":null,"role":"tool","sticky":false,"sysprompt":false,"tool-call-id":"c","tool-calls":[]}]"#,
            ),
            ("load.meta", r#"{"agent":"t","model":"m"}"#),
            ("load.notes", "[]"),
            ("load.ok", "true"),
            ("load.pending", "[]"),
            ("load.run_context_sections", "{}"),
            ("load.run_contexts", "[]"),
            ("load.warnings", "[]"),
        ]],
    ),
    refused("tool-settle-op-empty", DIV_13, "no-id", &[]),
    refused("tool-settle-op-number-string", DIV_13, "no-id", &[]),
    answered(
        "trunc-unicode-raw-06947",
        DIV_7,
        &[TORN_CHARACTER_IN_LINE_21],
    ),
    answered(
        "trunc-unicode-raw-06966",
        DIV_7,
        &[TORN_CHARACTER_IN_LINE_21],
    ),
    answered(
        "trunc-unicode-raw-06985",
        DIV_7,
        &[TORN_CHARACTER_IN_LINE_21],
    ),
    answered("trunc-utf8-2byte-1", DIV_7, &[TORN_CHARACTER_IN_LINE_3]),
    answered(
        "trunc-utf8-2byte-terminated",
        DIV_7,
        &[TORN_CHARACTER_IN_LINE_3],
    ),
    answered(
        "trunc-utf8-3byte-terminated",
        DIV_7,
        &[TORN_CHARACTER_IN_LINE_3],
    ),
    answered(
        "trunc-utf8-4byte-terminated",
        DIV_7,
        &[TORN_CHARACTER_IN_LINE_3],
    ),
    answered("trunc-utf8-beyond", DIV_7, &[TORN_CHARACTER_IN_LINE_3]),
    answered("trunc-utf8-latin1-tail", DIV_7, &[TORN_CHARACTER_IN_LINE_3]),
    answered("trunc-utf8-overlong", DIV_7, &[TORN_CHARACTER_IN_LINE_3]),
    refused("unicode-nbsp-after-json", DIV_10, "glued", &[]),
    refused("v-array-x", DIV_12, "bad-version", &[]),
    refused("v-complex-string", DIV_12, "bad-version", &[]),
    refused("v-rat-string", DIV_12, "bad-version", &[]),
    refused("v-string-abc", DIV_12, "bad-version", &[]),
    refused("v-true", DIV_12, "bad-version", &[]),
];
