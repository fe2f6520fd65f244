//! The numbers of a range as a table, in words: for the inspector and for the clipboard.

use crate::analysis::{RangeMetrics, cause_key};
use crate::drawing::layout::track_title;
use crate::recording::TrackId;
use crate::text::{Key, Lang};
use crate::time::Ns;
use crate::window::shown_run::ShownRun;

/// Rows that belong together.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::window) struct RangePart {
    pub(in crate::window) heading: &'static str,
    pub(in crate::window) rows: Vec<RangeRow>,
    /// What has to be known to read them.
    pub(in crate::window) note: Option<&'static str>,
}

/// One number.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::window) struct RangeRow {
    pub(in crate::window) name: String,
    pub(in crate::window) value: RangeValue,
}

/// What kind of number it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::window) enum RangeValue {
    /// A time, and which share of the range that is where it is a part of it.
    Time(Ns, Option<f64>),
    /// How many.
    Count(u64),
    /// A mean of counts.
    Mean(f64),
    /// A share of something, 0–1.
    Share(f64),
}

impl RangeValue {
    /// As it is read; a share beside a time stands apart.
    pub(in crate::window) fn text(self) -> String {
        match self {
            Self::Time(time, _) => time.to_string(),
            Self::Count(count) => count.to_string(),
            Self::Mean(mean) => format!("{mean:.1}"),
            Self::Share(share) => percent(share),
        }
    }

    /// The share of a time, as it is read.
    pub(in crate::window) fn share(self) -> Option<String> {
        match self {
            Self::Time(_, share) => share.map(percent),
            Self::Count(_) | Self::Mean(_) | Self::Share(_) => None,
        }
    }
}

/// One digit where it tells something: a GPU that is 0.4% busy is not 0% busy.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 9.95 { format!("{percent:.1}%") } else { format!("{percent:.0}%") }
}

/// The numbers of a range.
pub(in crate::window) fn table(run: &ShownRun, range: &RangeMetrics, lang: Lang) -> Vec<RangePart> {
    let part = |heading: Key, rows| RangePart { heading: lang.text(heading), rows, note: None };
    let smi = RangePart { note: Some(lang.text(Key::RangeSmiNote)), ..part(Key::RangeSmi, utilization(range, lang)) };
    vec![
        part(Key::RangeTitle, extent(range, lang)),
        part(Key::RangeBusy, busy(run, range, lang)),
        part(Key::RangeIdle, idle(range, lang)),
        part(Key::RangeLaunches, launches(range, lang)),
        smi,
    ]
}

fn row(name: impl Into<String>, value: RangeValue) -> RangeRow {
    RangeRow { name: name.into(), value }
}

fn extent(range: &RangeMetrics, lang: Lang) -> Vec<RangeRow> {
    let time = |key: Key, time| row(lang.text(key), RangeValue::Time(time, None));
    let it = range.interval;
    vec![time(Key::FactDuration, it.dur()), time(Key::RangeFrom, it.start), time(Key::RangeTo, it.end)]
}

/// Of each track that did anything in the run.
fn busy(run: &ShownRun, range: &RangeMetrics, lang: Lang) -> Vec<RangeRow> {
    let part = |name: String, time: Ns| row(name, RangeValue::Time(time, Some(range.share(time))));
    let mut rows = Vec::new();
    let is_used = |track: TrackId| run.recording.lanes_of(track).any(|(_, lane)| !lane.spans.is_empty());
    for share in range.tracks.iter().filter(|share| is_used(share.track)) {
        let Some(track) = run.recording.tracks.get(share.track.index()) else { continue };
        let title = track_title(&run.recording, track, lang);
        if track.host_thread().is_some() {
            rows.push(part(lang.fill(Key::RangeWorking, &[&title]), share.busy));
            rows.push(part(lang.fill(Key::RangeWaiting, &[&title]), share.blocked));
        } else {
            rows.push(part(title, share.busy));
        }
    }
    rows.push(part(lang.text(Key::RangeGpu).to_owned(), range.gpu_busy));
    rows
}

fn idle(range: &RangeMetrics, lang: Lang) -> Vec<RangeRow> {
    let part = |key: Key, time: Ns| row(lang.text(key), RangeValue::Time(time, Some(range.share(time))));
    let mut causes: Vec<_> = range.idle_by_cause.iter().map(|(cause, time)| (*cause, *time)).collect();
    causes.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    let outside = range.interval.dur() - range.gpu_busy - range.gpu_idle;
    let mut rows = vec![part(Key::RangeIdleAll, range.gpu_idle)];
    rows.extend(causes.into_iter().map(|(cause, time)| part(cause_key(cause), time)));
    rows.extend((outside > Ns::ZERO).then(|| part(Key::RangeOutside, outside)));
    rows
}

fn launches(range: &RangeMetrics, lang: Lang) -> Vec<RangeRow> {
    let launch = range.launch;
    let mut rows = vec![row(lang.text(Key::RangeLaunchCount), RangeValue::Count(launch.count as u64))];
    if launch.count > 0 {
        rows.push(row(lang.text(Key::RangeLatencyMedian), RangeValue::Time(launch.median, None)));
        rows.push(row(lang.text(Key::RangeLatencyMax), RangeValue::Time(launch.max, None)));
    }
    rows.push(row(lang.text(Key::RangeQueueMax), RangeValue::Count(launch.queue_max.into())));
    rows.push(row(lang.text(Key::RangeQueueMean), RangeValue::Mean(range.queue_mean())));
    rows
}

/// What a monitor says, and beside it what is so.
fn utilization(range: &RangeMetrics, lang: Lang) -> Vec<RangeRow> {
    let share = |key: Key, time: Ns| row(lang.text(key), RangeValue::Share(range.share(time)));
    vec![share(Key::RangeSmiShown, range.kernels), share(Key::RangeSmiBusy, range.gpu_busy)]
}
