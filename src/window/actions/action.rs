//! What widgets ask for; applied once a frame.

use std::path::PathBuf;

use super::command::WindowCommand;
use crate::document::Place;
use crate::drawing::{Hit, LegendItem, View, ViewChange};
use crate::recording::Cause;
use crate::scenario::{KnobValue, LaneKind};
use crate::time::Interval;
use crate::window::shown_run::captured_graphs::BoxId;
use crate::window::state::settings::RunOn;

/// What widgets send.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::window) enum WindowAction {
    /// A command.
    Do(WindowCommand),
    /// Open the shipped scenario of that name.
    OpenPreset(&'static str),
    /// Open a scenario from a file.
    OpenFile(PathBuf),
    /// Open what is in the list already.
    Reopen(Place),
    /// Turn a knob.
    SetKnob(String, KnobValue),
    /// Turn the knob of that index to its next value, or back.
    TurnKnob {
        /// Which, counted from 0.
        index: usize,
        /// Whether to the value before.
        back: bool,
    },
    /// Use the profile of that index.
    UseProfile(usize),
    /// Run it on something else.
    RunOn(RunOn),
    /// See another part of the time.
    See(View, ViewChange),
    /// The next change of the view is a step of its own.
    EndGesture,
    /// Select what was pointed at.
    Select(Option<Hit>),
    /// Select the error of that number, and show its call.
    SelectError(usize),
    /// Select the longest bubble of that cause, or the next longest where one of them is selected.
    NextBubble(Cause),
    /// Fold the lanes of that kind to a strip, or open them again.
    FoldLanes(LaneKind),
    /// Select a stretch of time.
    SelectRange(Option<Interval>),
    /// The pointer is there.
    Hover(Option<Hit>),
    /// The pointer is on that entry of the legend.
    HoverItem(Option<LegendItem>),
    /// Select the hazard of that number.
    SelectHazard(Option<usize>),
    /// The pointer is on the card of that hazard.
    HoverHazard(Option<usize>),
    /// Show the captured graph of that number.
    ShowGraph(usize),
    /// The pointer is on that box of a graph.
    HoverBox(Option<BoxId>),
    /// Select what a box of a graph ran.
    SelectBox(BoxId),
    /// Put in the edge that the hazard of that number misses.
    Fix(usize),
    /// Make the change that the advice of that number is about.
    TakeAdvice(usize),
    /// Discard what was edited there and not saved.
    Discard(Place),
    /// Have back what was discarded last.
    TakeBack,
    /// Carry out what the open dialog asks for.
    Submit,
    /// Close the dialog.
    CloseDialog,
    /// Close the list of everything that can be done.
    CloseFinder,
    /// Close the banner.
    CloseBanner,
}
