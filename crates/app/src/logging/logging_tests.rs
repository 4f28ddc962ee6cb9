use super::*;
use std::{
    io::Write,
    sync::{Arc, Mutex},
};
use tracing::{subscriber::with_default, trace, warn};
use tracing_subscriber::fmt::MakeWriter;

#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Paper {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// What is written at the most talkative setting, with the guard or without.
fn written(guarded: bool) -> String {
    let paper = Paper::default();
    let lines = tracing_subscriber::fmt::layer().with_writer(paper.clone());
    let everything = Targets::new().with_default(Level::TRACE);
    let lines = match guarded {
        true => lines.with_filter(everything.and(discreet())).boxed(),
        false => lines.with_filter(everything).boxed(),
    };
    with_default(registry().with(lines), || {
        trace!(target: "tungstenite::protocol", "Received message: planted");
        trace!(target: "log", "planted by way of another log");
        warn!(target: "hyper", "a connection broke");
        trace!(target: "engine::worker", "our own details");
    });
    String::from_utf8(paper.0.lock().unwrap().clone()).unwrap()
}

#[test]
fn libraries_are_not_asked_for_details_however_talkative_the_log() {
    let log = written(true);
    assert!(!log.contains("planted"), "{log}");
    assert!(log.contains("a connection broke") && log.contains("our own details"), "{log}");
    // The control: without the guard they tell everything.
    assert_eq!(written(false).matches("planted").count(), 2);
}
