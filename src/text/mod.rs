//! Everything that a person reads in the window or in a figure, in English and Simplified Chinese.
//!
//! [`Lang::text`] looks a [`Key`] up; [`Localized`] is a text that a scenario brings along. The command line, errors and
//! JSON are English and do not pass through here.

mod keys;
mod localized;

pub use keys::Key;
pub use localized::Localized;

/// A language of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Lang {
    /// The text of `key` in this language.
    pub fn text(self, key: Key) -> &'static str {
        let (en, zh) = key.texts();
        match self {
            Self::En => en,
            Self::Zh => zh,
        }
    }

    /// The text of `key` with `{0}`, `{1}`, … replaced by `parts`. A space that would set a Latin word off from Chinese goes
    /// where the part is Chinese itself.
    pub fn fill(self, key: Key, parts: &[&str]) -> String {
        let mut out = String::new();
        let mut rest = self.text(key);
        while let Some((before, number, after)) = next_hole(rest) {
            self.append(&mut out, before);
            self.append(&mut out, parts.get(number).copied().unwrap_or_default());
            rest = after;
        }
        self.append(&mut out, rest);
        out
    }

    fn append(self, out: &mut String, text: &str) {
        let is_space_lost = |before: &str, after: &str| before.ends_with(is_wide) && after.starts_with(is_wide);
        let mut text = text;
        if self == Self::Zh {
            if out.strip_suffix(' ').is_some_and(|before| is_space_lost(before, text)) {
                out.pop();
            }
            text = text.strip_prefix(' ').filter(|after| is_space_lost(out, after)).unwrap_or(text);
        }
        out.push_str(text);
    }

    /// Several things one after the other, with the mark that this language sets between them.
    pub fn list(self, parts: &[impl AsRef<str>]) -> String {
        let separator = self.text(Key::Separator);
        parts.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(separator)
    }
}

/// The first `{n}` of a text: what stands before it, its number, and what stands after it.
fn next_hole(text: &str) -> Option<(&str, usize, &str)> {
    let (before, from) = text.split_once('{')?;
    let (number, after) = from.split_once('}')?;
    Some((before, number.parse().ok()?, after))
}

/// Whether a character is Chinese, or a mark as wide as one.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{303f}' | '\u{4e00}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_space_stays_between_two_chinese_words() {
        assert_eq!(Lang::Zh.fill(Key::FixWait, &["side 流", "默认流"]), "缺少依赖：默认流应等待 side 流。");
        assert_eq!(Lang::Zh.fill(Key::FixWait, &["a", "b"]), "缺少依赖：b 应等待 a。");
        assert_eq!(Lang::En.fill(Key::FixWait, &["a", "中"]), "Missing: 中 must wait for a.");
        assert_eq!(Lang::Zh.fill(Key::AdviceKnob, &["流的数量", "三"]), "流的数量 → 三");
        assert_eq!(Lang::Zh.fill(Key::FixWait, &["{1}", "b"]), "缺少依赖：b 应等待 {1}。", "a part is no template");
    }

    #[test]
    fn both_languages_use_the_same_placeholders() {
        for &key in Key::ALL {
            let (en, zh) = key.texts();
            for i in 0..6 {
                let hole = format!("{{{i}}}");
                assert_eq!(en.contains(&hole), zh.contains(&hole), "{key:?} {hole}");
            }
            assert!(!en.is_empty() && !zh.is_empty(), "{key:?}");
        }
    }
}
