//! Streamscope from outside: its files and its command line. One binary, because each costs a link.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking, also in what tests share")]

mod outside {
    #[expect(dead_code, reason = "the checks on a GPU use the rest")]
    mod acceptance;
    mod advice;
    mod bubbles;
    mod calls;
    mod captures;
    mod cases;
    mod causes;
    mod command_line;
    mod contents;
    mod critical_path;
    mod documents;
    mod edits;
    mod experiments;
    mod extremes;
    #[expect(dead_code, reason = "the checks on a GPU use the rest")]
    mod faults;
    mod generated;
    mod graphs;
    mod guides;
    mod hazards;
    mod host_threads;
    mod judging;
    mod kernels;
    mod labels;
    mod limits;
    mod loading;
    mod lowering;
    mod modules;
    mod outcomes;
    mod paths;
    mod programs;
    mod properties;
    mod ranges;
    mod recordings;
    mod regions;
    mod round_trip;
    #[expect(dead_code, reason = "the checks on a GPU use the rest")]
    mod running;
    mod sm_use;
    mod texts;
    mod threads;
    mod traces;
    mod validating;
    mod what_if;
    #[cfg(unix)]
    mod worker;
}
