//! What a run came to, in one sentence.

use super::{Failed, Found, Outcome, error_cause};
use crate::analysis::serialized::WrongValue;
use crate::recording::{Recording, number};
use crate::text::{Key, Lang};

/// Wrong values that are told in the sentence.
const MAX_TOLD: usize = 2;

/// The sentence, without a full stop.
pub fn sentence(recording: &Recording, outcome: &Outcome, lang: Lang) -> String {
    match outcome {
        Outcome::Failed(failed) => of_error(recording, failed, lang),
        Outcome::Corrupted { found, values } => {
            let said = lang.fill(Key::HazardsSpoiled, &[&hazards(*found, lang)]);
            let told = values
                .iter()
                .take(MAX_TOLD)
                .map(|value| format!("{}{}", stop(lang), wrong_value(recording, value, lang)));
            with_fragile(said + &told.collect::<String>(), *found, lang)
        }
        Outcome::Hazards { found, lucky: true } => {
            with_fragile(lang.fill(Key::HazardsLucky, &[&hazards(*found, lang)]), *found, lang)
        }
        Outcome::Hazards { found, lucky: false } => with_fragile(hazards(*found, lang), *found, lang),
        Outcome::Fragile(found) => {
            let none = lang.text(Key::HazardsNone);
            counted(found.fragile, |count| match count {
                None => lang.fill(Key::FragileOnlyOne, &[none]),
                Some(count) => lang.fill(Key::FragileOnlyMany, &[none, count]),
            })
        }
        Outcome::Right => lang.text(Key::HazardsNone).to_owned(),
    }
}

/// The first error: its name and number, the call, the cause, and what came of it.
fn of_error(recording: &Recording, failed: &Failed, lang: Lang) -> String {
    let Some(error) = recording.errors.first() else { return String::new() };
    let cause = error_cause(error, failed.culprit.as_ref(), lang);
    let mut said = lang.fill(Key::ErrorSentence, &[&error.title(), error.at.label.get(lang), &cause]);
    said += &counted_beside(failed.skipped, [Key::ErrorSkippedOne, Key::ErrorSkippedMany], lang);
    said += &counted_beside(failed.more, [Key::ErrorMoreOne, Key::ErrorMoreMany], lang);
    said
}

fn counted_beside(count: usize, [one, many]: [Key; 2], lang: Lang) -> String {
    match count {
        0 => String::new(),
        1 => lang.text(one).to_owned(),
        _ => lang.fill(many, &[&count.to_string()]),
    }
}

/// Of one `say` needs no number.
fn counted(count: usize, say: impl Fn(Option<&str>) -> String) -> String {
    if count == 1 { say(None) } else { say(Some(&count.to_string())) }
}

fn hazards(found: Found, lang: Lang) -> String {
    counted(found.hazards, |count| match count {
        None => lang.text(Key::HazardsOne).to_owned(),
        Some(count) => lang.fill(Key::HazardsMany, &[count]),
    })
}

fn with_fragile(said: String, found: Found, lang: Lang) -> String {
    let fragile = counted_beside(found.fragile, [Key::FragileOne, Key::FragileMany], lang);
    if fragile.is_empty() { said } else { format!("{said}{}{fragile}", stop(lang)) }
}

/// Between two parts of the sentence.
fn stop(lang: Lang) -> &'static str {
    match lang {
        Lang::En => ". ",
        Lang::Zh => "。",
    }
}

fn wrong_value(recording: &Recording, WrongValue { name, value, meant }: &WrongValue, lang: Lang) -> String {
    let reported = recording.reported().into_iter().find(|reported| reported.name == *name);
    let (label, [value, meant]) = match &reported {
        Some(reported) => (reported.label(lang), [value, meant].map(|it| reported.shown(Some(*it), lang))),
        None => (name.as_str(), [value, meant].map(|it| number(*it))),
    };
    lang.fill(Key::ValueShouldBe, &[label, &value, &meant])
}
