//! What little must be known of a language to tell comments, texts, numbers and words apart.

/// A language, or several that are alike.
#[derive(Debug)]
pub struct Language {
    /// Its names in fences, and the endings of its files.
    names: &'static [&'static str],
    /// What begins a comment that ends with the line.
    pub comments: &'static [&'static str],
    /// What begins and ends a comment of several lines.
    pub blocks: &'static [(&'static str, &'static str)],
    /// What begins and ends a text on one line.
    pub texts: &'static [&'static str],
    /// What begins and ends a text that may go on over lines. Looked for first.
    pub long_texts: &'static [&'static str],
    /// Words that belong to the language.
    pub words: &'static [&'static str],
    /// What stands behind a key.
    pub keys: Option<char>,
    /// Words are meant in capitals as well.
    pub any_case: bool,
    /// `$name` stands for a value.
    pub variables: bool,
    /// `'` begins a lifetime as well as a character.
    pub lifetimes: bool,
}

/// The language of this name, or of files that end so.
pub fn named(name: &str) -> Option<&'static Language> {
    let is_it = |known: &&&str| known.eq_ignore_ascii_case(name);
    let mut all = LANGUAGES.iter();
    all.find(|language| language.names.iter().any(|known| is_it(&known)))
}

const NONE: Language = Language {
    names: &[],
    comments: &[],
    blocks: &[],
    texts: &["\"", "'"],
    long_texts: &[],
    words: &[],
    keys: None,
    any_case: false,
    variables: false,
    lifetimes: false,
};

/// C, and what took its comments and quotes over.
const BRACES: Language = Language {
    comments: &["//"],
    blocks: &[("/*", "*/")],
    ..NONE
};

#[rustfmt::skip]
const LANGUAGES: &[Language] = &[
    Language {
        names: &["rust", "rs"],
        texts: &[],
        long_texts: &["\""],
        words: &[
            "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "fn", "for",
            "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "Self",
            "static", "struct", "super", "trait", "type", "union", "unsafe", "use", "where", "while",
        ],
        lifetimes: true,
        ..BRACES
    },
    Language {
        names: &["python", "py", "python3", "pyi", "ipython"],
        comments: &["#"],
        long_texts: &["\"\"\"", "'''"],
        words: &[
            "and", "as", "assert", "async", "await", "break", "case", "class", "continue", "def", "del", "elif", "else",
            "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "match", "nonlocal",
            "not", "or", "pass", "raise", "return", "self", "try", "while", "with", "yield",
        ],
        ..NONE
    },
    Language {
        names: &["javascript", "js", "mjs", "cjs", "jsx", "typescript", "ts", "tsx", "mts"],
        long_texts: &["`"],
        words: &[
            "abstract", "any", "as", "async", "await", "boolean", "break", "case", "catch", "class", "const", "continue",
            "debugger", "declare", "default", "delete", "do", "else", "enum", "export", "extends", "finally", "for",
            "from", "function", "if", "implements", "import", "in", "instanceof", "interface", "keyof", "let", "new",
            "number", "of", "private", "protected", "public", "readonly", "return", "static", "string", "super",
            "switch", "this", "throw", "try", "type", "typeof", "var", "void", "while", "with", "yield",
        ],
        ..BRACES
    },
    Language {
        names: &["go", "golang"],
        long_texts: &["`"],
        words: &[
            "break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func", "go",
            "goto", "if", "import", "interface", "map", "package", "range", "return", "select", "struct", "switch",
            "type", "var",
        ],
        ..BRACES
    },
    Language {
        names: &[
            "c", "h", "cpp", "c++", "cc", "cxx", "hpp", "hh", "java", "kotlin", "kt", "csharp", "c#", "cs", "swift",
            "scala", "php", "dart", "zig",
        ],
        words: &[
            "abstract", "auto", "bool", "boolean", "break", "byte", "case", "catch", "char", "class", "const",
            "constexpr", "continue", "default", "delete", "do", "double", "else", "enum", "extends", "extern", "final",
            "finally", "float", "for", "foreach", "fun", "func", "function", "goto", "if", "implements", "import", "in",
            "inline", "int", "interface", "internal", "is", "let", "long", "namespace", "new", "operator", "override",
            "package", "private", "protected", "public", "return", "short", "signed", "sizeof", "static", "string",
            "struct", "super", "switch", "template", "this", "throw", "throws", "try", "typedef", "typename", "union",
            "unsigned", "using", "val", "var", "virtual", "void", "volatile", "when", "while",
        ],
        ..BRACES
    },
    Language {
        names: &["bash", "sh", "shell", "zsh", "fish", "console", "shellscript", "shell-session", "dockerfile", "makefile", "make"],
        comments: &["#"],
        texts: &[],
        long_texts: &["\"", "'"],
        words: &[
            "case", "do", "done", "elif", "else", "esac", "export", "fi", "for", "function", "if", "in", "local",
            "return", "set", "source", "then", "unset", "until", "while",
        ],
        variables: true,
        ..NONE
    },
    Language { names: &["json", "jsonl", "json5", "jsonc"], keys: Some(':'), ..BRACES },
    Language { names: &["yaml", "yml"], comments: &["#"], keys: Some(':'), ..NONE },
    Language {
        names: &["toml", "ini", "cfg", "conf", "properties", "env"],
        comments: &["#", ";"],
        long_texts: &["\"\"\"", "'''"],
        keys: Some('='),
        ..NONE
    },
    Language {
        names: &["sql", "sqlite", "postgres", "postgresql", "mysql", "plpgsql"],
        comments: &["--"],
        blocks: &[("/*", "*/")],
        words: &[
            "alter", "and", "as", "asc", "begin", "by", "case", "commit", "create", "delete", "desc", "distinct", "drop",
            "else", "end", "exists", "from", "full", "group", "having", "if", "in", "index", "inner", "insert", "into",
            "is", "join", "key", "left", "like", "limit", "not", "on", "or", "order", "outer", "primary", "references",
            "right", "rollback", "select", "set", "table", "then", "union", "unique", "update", "using", "values",
            "view", "when", "where", "with",
        ],
        any_case: true,
        ..NONE
    },
    Language {
        names: &["ruby", "rb", "elixir", "ex", "exs", "crystal"],
        comments: &["#"],
        words: &[
            "and", "begin", "break", "case", "class", "def", "do", "else", "elsif", "end", "ensure", "fn", "for", "if",
            "in", "module", "next", "not", "or", "redo", "require", "rescue", "return", "self", "then", "unless",
            "until", "when", "while", "yield",
        ],
        ..NONE
    },
    Language {
        names: &["lua"],
        comments: &["--"],
        blocks: &[("--[[", "]]")],
        words: &[
            "and", "break", "do", "else", "elseif", "end", "for", "function", "goto", "if", "in", "local", "not", "or",
            "repeat", "return", "then", "until", "while",
        ],
        ..NONE
    },
    Language { names: &["css", "scss", "less"], keys: Some(':'), ..BRACES },
    Language { names: &["html", "xml", "svg", "xhtml", "vue"], blocks: &[("<!--", "-->")], keys: Some('='), ..NONE },
];
