use super::*;

fn text(tokens: usize) -> String {
    "word".repeat(tokens)
}

#[test]
fn what_was_counted_corrects_what_is_expected() {
    let gauge = Gauge::default();
    assert_eq!(gauge.count(&text(1_000)), 1_000);
    gauge.learn(1_000, 1_500);
    assert_eq!(gauge.count(&text(1_000)), 1_500, "too few is made good at once");
    gauge.learn(1_500, 1_500);
    assert_eq!(gauge.count(&text(1_000)), 1_500, "right stays right");
    gauge.learn(1_500, 1_000);
    let slowly = gauge.count(&text(1_000));
    assert!((1_400..1_500).contains(&slowly), "{slowly}");
    for _ in 0..100 {
        gauge.learn(gauge.count(&text(1_000)), 1_000);
    }
    let in_the_end = gauge.count(&text(1_000));
    assert!((1_000..1_020).contains(&in_the_end), "{in_the_end}");
}

#[test]
fn a_count_that_cannot_be_true_changes_nothing() {
    let gauge = Gauge::default();
    for (expected, counted) in
        [(499, 600), (0, 0), (10_000, 0), (10_000, 2_499), (10_000, 40_001), (u64::MAX, 1), (500, u64::MAX)]
    {
        gauge.learn(expected, counted);
        assert_eq!(gauge.count(&text(1_000)), 1_000, "{expected} {counted}");
    }
}

#[test]
fn the_correction_is_bounded() {
    let gauge = Gauge::default();
    for _ in 0..50 {
        gauge.learn(1_000, 4_000);
    }
    assert_eq!(gauge.count(&text(1_000)), 2_500);
    for _ in 0..500 {
        gauge.learn(1_000, 250);
    }
    assert_eq!(gauge.count(&text(1_000)), 600);
    assert_eq!(gauge.count(""), 0);
}

#[test]
fn a_model_is_remembered_and_others_are_not_touched() {
    let gauges = Gauges::default();
    gauges.of("a/one").learn(1_000, 2_000);
    assert_eq!(gauges.of("a/one").count(&text(10)), 20);
    assert_eq!(gauges.of("a/two").count(&text(10)), 10);
    for number in 0..2 * MOST_MODELS {
        gauges.of(&format!("made up/{number}"));
    }
    assert_eq!(gauges.0.lock().unwrap().len(), MOST_MODELS);
    assert_eq!(gauges.of("a/one").count(&text(10)), 20);
}
