//! What every Chinese text of the window, of the presets and of the profiles is held to.

use streamscope::profile::SHIPPED;
use streamscope::scenario::presets;
use streamscope::text::{Key, Lang};

/// Chinese texts that are Latin letters alone: the field says them so in Chinese too, or they are no words.
const SAME_IN_CHINESE: &[(Key, &str)] = &[
    (Key::KindKernel, "as in the lecture"),
    (Key::PartKernels, "as in the lecture"),
    (Key::LabelKernel, "as in the lecture"),
    (Key::KindMemset, "name of a call"),
    (Key::LayerPython, "name of a language"),
    (Key::LayerDispatcher, "name of a part of PyTorch"),
    (Key::LayerAten, "name of a part of PyTorch"),
    (Key::PlaceGpu, "as in the lecture"),
    (Key::Language, "the language to switch to"),
    (Key::Graph, "name of a feature"),
    (Key::Chapter5, "name of a feature"),
];

/// Words that mean something else than what is meant, or that the course says otherwise.
const NEVER_IN_CHINESE: &[&str] =
    &["核函数", "内存段", "启动", "旁路", "主流", "词元", "分发器", "数据竞争", "检视", "总时间", "异步流", "同步流"];

fn is_han(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

/// Every Chinese text, of the window, of the presets and of the profiles, with where it stands.
fn chinese_texts() -> Vec<(String, String)> {
    let mut texts: Vec<(String, String)> =
        Key::ALL.iter().map(|&key| (format!("{key:?}"), Lang::Zh.text(key).to_owned())).collect();
    let presets = presets().iter().map(|preset| (preset.name, preset.text));
    for (name, text) in presets.chain(SHIPPED) {
        let document: serde_json::Value = serde_json::from_str(text).unwrap();
        collect(name, &document, &mut texts);
    }
    texts
}

fn collect(at: &str, value: &serde_json::Value, texts: &mut Vec<(String, String)>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (name, field) in fields {
                match field.as_str() {
                    Some(text) if name == "zh" => texts.push((at.to_owned(), text.to_owned())),
                    Some(_) | None => collect(&format!("{at}/{name}"), field, texts),
                }
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(at, item, texts)),
        serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Number(_)
        | serde_json::Value::String(_) => {}
    }
}

/// The text with calls such as `.item()` and `x.record_stream(side)` cut down to a letter: their punctuation is that of code.
fn without_calls(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0;
    for c in text.chars() {
        let after_name = out.chars().next_back().is_some_and(|last| last.is_ascii_alphanumeric() || last == '_');
        match c {
            '(' if depth > 0 || after_name => depth += 1,
            ')' if depth > 0 => depth -= 1,
            other if depth == 0 => out.push(other),
            _inside => {}
        }
    }
    out
}

#[test]
fn punctuation_between_chinese_words_is_full_width() {
    for (at, text) in chinese_texts().into_iter().filter(|(_, text)| text.chars().any(is_han)) {
        let text = without_calls(&text);
        // The name of a term in brackets keeps those of its language: 受限于 CPU 发射 (Launch-Bound).
        assert!(!text.contains([',', ':', ';', '!', '?', '"']), "{at}: {text}");
        let characters: Vec<char> = text.chars().collect();
        for pair in characters.windows(2) {
            let &[a, b] = pair else { continue };
            assert!(!(is_han(a) && "().".contains(b) || "()".contains(a) && is_han(b)), "{at}: {text}");
        }
    }
}

#[test]
fn one_space_stands_between_chinese_and_latin_and_none_beside_full_width_marks() {
    let full_width = |c: char| "，。：；（）“”、？！".contains(c);
    for (at, text) in chinese_texts() {
        let characters: Vec<char> = text.chars().collect();
        for pair in characters.windows(2) {
            let &[a, b] = pair else { continue };
            let latin = |c: char| c.is_ascii_alphanumeric();
            assert!(!(is_han(a) && latin(b) || latin(a) && is_han(b)), "{at}: {text}");
            assert!(!(full_width(a) && b == ' ' || a == ' ' && full_width(b)), "{at}: {text}");
            assert!(!(a == ' ' && (b == ' ' || b == '%')), "{at}: {text}");
        }
    }
}

#[test]
fn no_chinese_text_uses_a_word_that_the_course_does_not() {
    for (at, text) in chinese_texts() {
        for word in NEVER_IN_CHINESE {
            assert!(!text.contains(word), "{at}: {text}");
        }
    }
}

#[test]
fn nothing_stays_english_in_chinese_by_accident() {
    for &key in Key::ALL {
        let text = Lang::Zh.text(key);
        let is_latin = text.is_ascii() && text.contains(|c: char| c.is_ascii_alphabetic());
        let allowed = SAME_IN_CHINESE.iter().any(|(same, _)| *same == key);
        assert_eq!(is_latin, allowed, "{key:?}: {text}");
    }
}
