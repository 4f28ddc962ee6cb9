use super::*;
use tracing_subscriber::layer::SubscriberExt as _;

/// The ring as `GET /v1/logs` would show it.
fn written(log: impl FnOnce()) -> String {
    let ring = LogRing::default();
    let layer = RingLayer::new(ring.clone()).with_filter(filter());
    tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), log);
    format!("{ring:?}")
}

#[test]
fn our_own_lines_are_kept_with_their_fields() {
    let lines = written(|| {
        tracing::warn!(turn = "turn_1", tries = 3_u64, again = true, "something happened");
    });
    let fields = r#"{"turn":"turn_1","tries":3,"again":true}"#;
    for part in ["something happened", fields, "Warn"] {
        assert!(lines.contains(part), "{part}: {lines}");
    }
    let none = written(|| tracing::info!("alone"));
    assert!(none.contains("RawValue({})"), "{none}");
}

#[test]
fn lines_of_others_and_fine_details_are_not() {
    let lines = written(|| {
        tracing::error!(target: "hyper::proto", "said by somebody else");
        tracing::error!(target: "enginex", "nearly ours");
        tracing::debug!("too fine");
    });
    assert!(lines.contains("kept: []"), "{lines}");
}

#[test]
fn long_values_are_cut() {
    let lines = written(|| tracing::info!(long = "x".repeat(10_000), "cut"));
    assert!(lines.len() < 1_000 && lines.contains("xxx"), "{}", lines.len());
}
