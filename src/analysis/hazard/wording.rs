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
    let what = lang.fill(sentence_key(hazard), &[object(hazard, lang), hazard.first.label.get(lang), hazard.second.label.get(lang)]);
    let fix = if hazard.access == Conflict::WriteInPartRead { Key::FixRefresh } else { fix_key(hazard.missing.kind) };
    let missing = lang.fill(fix, &[&hazard.missing.from.shown(lang), &hazard.missing.to.shown(lang)]);
    let space = if lang == Lang::En { " " } else { "" };
    let spoiled = match hazard.corrupted {
        Some(true) => Some(Key::HazardSpoiled),
        Some(false) if hazard.class != Class::Fragile => Some(Key::HazardLucky),
        Some(false) | None => None,
    };
    let spoiled = spoiled.map_or_else(String::new, |key| format!("{space}{}", lang.text(key)));
    format!("{what}{space}{missing}{spoiled}")
}
