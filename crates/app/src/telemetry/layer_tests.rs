use super::*;
use tokio::sync::mpsc::{self, Receiver};
use tracing::{info, info_span, subscriber::with_default};
use tracing_subscriber::{layer::SubscriberExt as _, registry};

const PLANTED: &str = "planted words";

/// What is sent of whatever happens in `work`.
fn sent(work: impl FnOnce()) -> Vec<EndedSpan> {
    let (sender, mut receiver): (_, Receiver<EndedSpan>) = mpsc::channel(100);
    let layer = SpanLayer::new(sender, || uuid::Uuid::now_v7().as_u128());
    with_default(registry().with(layer.with_filter(SpanLayer::filter())), work);
    let mut all = Vec::new();
    while let Ok(span) = receiver.try_recv() {
        all.push(span);
    }
    all
}

fn attribute<'a>(span: &'a EndedSpan, name: &str) -> Option<&'a Value> {
    span.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
}

#[test]
fn spans_are_sent_when_they_end_each_under_the_one_around_it() {
    let spans = sent(|| {
        let turn =
            info_span!(target: "engine::worker", "turn", turn = "turn_1", outcome = tracing::field::Empty);
        let _inside = turn.enter();
        info_span!(target: "engine::observe", "tool_call", call = "call_1", status = "ok").in_scope(|| {});
        turn.record("outcome", "completed");
        info!(target: "engine::observe", input_tokens = 7_u64, "turn ended");
    });
    let names: Vec<_> = spans.iter().map(|span| span.name).collect();
    assert_eq!(names, ["tool_call", "turn"]);
    assert_eq!((spans[0].trace, spans[0].parent), (spans[1].trace, Some(spans[1].span)));
    assert_eq!(spans[1].parent, None);
    assert_eq!(attribute(&spans[1], "outcome"), Some(&Value::Text("completed".to_owned())));
    assert_eq!(attribute(&spans[1], "input_tokens"), Some(&Value::Number(7)));
    assert!(spans[1].end >= spans[1].start);
}

#[test]
fn what_is_not_named_stays_behind() {
    let work = || {
        let turn = info_span!(target: "engine", "turn", content = PLANTED, outcome = "completed");
        let _inside = turn.enter();
        info!(target: "engine", detail = PLANTED, "{PLANTED}");
        info!(target: "sqlx::query", outcome = PLANTED, "somebody else's line");
        info_span!(target: "engine", "thought", outcome = PLANTED).in_scope(|| {});
        info_span!(target: "hyper", "request", path = PLANTED).in_scope(|| {});
    };
    let spans = sent(work);
    assert_eq!(spans.iter().map(|span| span.name).collect::<Vec<_>>(), ["turn"]);
    assert!(!format!("{spans:?}").contains(PLANTED), "{spans:?}");
    // The control: in a field that is named it would be there, so only the names keep it in.
    let control = sent(|| info_span!(target: "engine", "turn", outcome = PLANTED).in_scope(|| {}));
    assert!(format!("{control:?}").contains(PLANTED));
}

#[test]
fn nobody_waits_for_a_collector() {
    let (sender, mut receiver) = mpsc::channel(1);
    let layer = SpanLayer::new(sender, || 1);
    with_default(registry().with(layer.with_filter(SpanLayer::filter())), || {
        for _ in 0..1_000 {
            info_span!(target: "engine", "turn").in_scope(|| {});
        }
    });
    assert!(receiver.try_recv().is_ok());
    assert!(receiver.try_recv().is_err(), "what does not fit is dropped");
}
