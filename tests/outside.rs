//! Streamscope from outside: its files and its command line. One binary, because each costs a link.

mod outside {
    mod generated;
    mod loading;
    mod modules;
    mod round_trip;
}
