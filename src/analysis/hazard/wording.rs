//! A hazard in words.

use super::{Class, Conflict, Hazard, MissingKind};
use crate::recording::Origin;
use crate::text::{Key, Lang};

fn sentence_key(hazard: &Hazard) -> Key {
    match hazard.class {
        _ if hazard.access == Conflict::Lifetime => Key::HazardLifetime,
        Class::Reuse if hazard.access.is_after_free() => Key::HazardAfterFree,
        Class::Pool if hazard.access == Conflict::WriteOwned => Key::HazardOwner,
        Class::Stale | Class::Fragile if hazard.access == Conflict::WriteInPartRead => Key::HazardPart,
        Class::Stale if hazard.access == Conflict::WarmUpRead => Key::HazardWarmUp,
        Class::Stale if hazard.access == Conflict::WriteOnceRead => Key::HazardOnce,
        Class::HostRaw if !hazard.is_host_second => Key::HazardRaw,
        Class::HostWar if !hazard.is_host_second => Key::HazardWar,
        Class::Raw => Key::HazardRaw,
        Class::War => Key::HazardWar,
        Class::Waw => Key::HazardWaw,
        Class::HostRaw => Key::HazardHostRaw,
        Class::HostWar => Key::HazardHostWar,
        Class::Reuse => Key::HazardReuse,
        Class::Pool => Key::HazardPool,
        Class::Stale => Key::HazardStale,
        Class::Uncaptured => Key::HazardUncaptured,
        Class::Fragile => Key::HazardFragile,
    }
}

fn fix_key(kind: MissingKind) -> Key {
    match kind {
        MissingKind::Wait => Key::FixWait,
        MissingKind::Sync => Key::FixSync,
        MissingKind::RecordStream => Key::FixRecordStream,
        MissingKind::Keep => Key::FixKeep,
    }
}

/// What the badge of a class stands for.
pub fn class_key(class: Class) -> Key {
    match class {
        Class::Raw => Key::ClassRaw,
        Class::War => Key::ClassWar,
        Class::Waw => Key::ClassWaw,
        Class::HostRaw => Key::ClassHostRaw,
        Class::HostWar => Key::ClassHostWar,
        Class::Reuse => Key::ClassReuse,
        Class::Pool => Key::ClassPool,
        Class::Stale => Key::ClassStale,
        Class::Uncaptured => Key::ClassUncaptured,
        Class::Fragile => Key::ClassFragile,
    }
}

/// `RAW X: fill → add`, in English.
pub fn short(hazard: &Hazard) -> String {
    let label = |origin: &Origin| origin.label.get(Lang::En).to_owned();
    let times = if hazard.count > 1 { format!(" ({}×)", hazard.count) } else { String::new() };
    format!("{} {}: {} → {}{times}", hazard.class.id(), hazard.object, label(&hazard.first), label(&hazard.second))
}

/// What the hazard is about, as a person calls it.
pub fn object(hazard: &Hazard, lang: Lang) -> &str {
    if hazard.object == Lang::En.text(Key::NoName) { lang.text(Key::NoName) } else { &hazard.object }
}

/// What happens, what is missing, and whether this run was spoiled.
pub fn explain(hazard: &Hazard, lang: Lang) -> String {
    let what = lang.fill(
        sentence_key(hazard),
        &[object(hazard, lang), hazard.first.label.get(lang), hazard.second.label.get(lang)],
    );
    let fix = if hazard.access == Conflict::WriteInPartRead { Key::FixRefresh } else { fix_key(hazard.missing.kind) };
    let (from, to) = (&hazard.missing.from, &hazard.missing.to);
    let (from_shown, to_shown) = (from.shown(lang), to.shown(lang));
    let missing = match hazard.missing.kind {
        // As it would be typed.
        MissingKind::RecordStream => lang.fill(fix, &[&from.name, &to.name, &to_shown]),
        MissingKind::Wait | MissingKind::Sync | MissingKind::Keep => lang.fill(fix, &[&from_shown, &to_shown]),
    };
    let space = if lang == Lang::En { " " } else { "" };
    let spoiled = match hazard.corrupted {
        Some(true) => Some(Key::HazardSpoiled),
        Some(false) if hazard.class != Class::Fragile => Some(Key::HazardLucky),
        Some(false) | None => None,
    };
    let spoiled = spoiled.map_or_else(String::new, |key| format!("{space}{}", lang.text(key)));
    format!("{what}{space}{missing}{spoiled}")
}
