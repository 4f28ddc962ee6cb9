//! The log: to stderr, quiet unless asked, never with contents.

use std::io::IsTerminal as _;
use tracing_subscriber::EnvFilter;

/// `MAJORDOMO_LOG` is a filter such as `info,engine=debug`; it wins over `-v`.
pub fn start(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "info",
        _ => "debug",
    };
    let wanted = std::env::var("MAJORDOMO_LOG").ok().filter(|filter| !filter.trim().is_empty());
    let filter = match &wanted {
        Some(filter) => EnvFilter::try_new(filter).unwrap_or_else(|error| {
            eprintln!("majordomo: MAJORDOMO_LOG is not understood: {error}");
            EnvFilter::new(level)
        }),
        None => EnvFilter::new(level),
    };
    let coloured =
        std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let log =
        tracing_subscriber::fmt().with_writer(std::io::stderr).with_env_filter(filter).with_ansi(coloured);
    // A program that embeds this one may have a log of its own; then that one stays.
    let _ = log.try_init();
}
