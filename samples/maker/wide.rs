//! Text whose width on a screen is not its number of characters.

use serde_json::json;

use super::script::{Script, call};

/// Wide characters, joined emoji, combining marks, decomposed Korean, right-to-left text.
pub fn wide() -> Script {
    let mut script = Script::new(9, 13, 30, 0);
    script.line("session-meta", json!({"agent": "通訳者", "model": "kimi-k2", "cwd": "/home/みら/プロジェクト", "owner": "Zoe\u{308} 👩🏽‍💻"}));
    script.system_prompt("日本語でも、한국어로도, auch auf Deutsch. 👋🏽");
    script.user("全角の文字は画面で二桁の幅を取る。ｶﾞは半角で、ガは全角。");
    script.user("family 👨‍👩‍👧‍👦, flags 🇯🇵🇰🇷🇩🇪, skin 👍🏽, heart ❤️ and ❤, keycap 1️⃣, rainbow 🏳️‍🌈, England 🏴󠁧󠁢󠁥󠁮󠁧󠁿, one lone flag letter 🇯");
    script.user("composed é and decomposed e\u{301}; a\u{308}\u{323} has two marks; Z\u{351}\u{36b}\u{343}\u{36a}\u{302}\u{36b}\u{33d}\u{34f}\u{334}\u{319}\u{324}\u{31e}\u{349}\u{35a}\u{32f}\u{31e}\u{320}\u{34d}algo has many");
    script.user("composed 한글 and decomposed \u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}; half-width ﾡﾢﾣ");
    script.user("العربية تُكتب من اليمين إلى اليسار، وעברית גם כן; ไทย กำลังใจ; हिन्दी क्षत्रिय; བོད་ཡིག");
    script.user("no spaces to break at: 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字");
    script.user("tabs\tand\tspaces\u{3000}of\u{a0}several\u{2003}widths, soft\u{ad}hyphens, joiners a\u{200d}b, zero\u{200b}width");
    script.wait(2_500);
    let read = call(
        "呼び出し_1",
        "ファイルを読む",
        json!({"経路": "書類/報告書（最終版）.txt", "e\u{301}": "é"}),
        "read-only",
    );
    script.assistant(
        "読みます。",
        "短い思考 🤔",
        std::slice::from_ref(&read),
        (640, 29),
    );
    script.completes(1, &read, 0.002_4, "┌──────┬────────┐\n│ 品名 │ 数量   │\n├──────┼────────┤\n│ 林檎 │ １２個 │\n│ 🍊   │ 3 boxes│\n└──────┴────────┘\n");
    script.wait(1_800);
    script.assistant(
        "| 品名 | 数量 |\n|---|---|\n| 林檎 | １２個 |\n| 🍊 | 3 箱 |",
        "",
        &[],
        (721, 30),
    );
    script
}
