use super::*;
use domain::{AgentId, Cursor, Origin, SessionId, Timestamp, TurnId};
use serde_json::json;
use uuid::Uuid;

fn message(number: u128) -> MessageId {
    MessageId::from_uuid(Uuid::from_u128(number))
}

fn envelope(body: EnvelopeBody) -> Envelope {
    Envelope {
        seq: 1,
        cursor: Cursor::default(),
        at: Timestamp::from_millis(0),
        session_id: SessionId::from_uuid(Uuid::nil()),
        turn_id: Some(TurnId::from_uuid(Uuid::nil())),
        body,
    }
}

fn durable(body: EventBody) -> Envelope {
    envelope(EnvelopeBody::Durable(body))
}

fn start(number: u128) -> Envelope {
    let agent_id = AgentId::from_uuid(Uuid::nil());
    durable(EventBody::MessageStart { message_id: message(number), agent_id, agent_name: "main".to_owned() })
}

fn text(number: u128, text: &str) -> Envelope {
    envelope(EnvelopeBody::Live(LiveBody::Text { message_id: message(number), text: text.to_owned() }))
}

fn thinking(text: &str) -> Envelope {
    envelope(EnvelopeBody::Live(LiveBody::Thinking { message_id: message(1), text: text.to_owned() }))
}

fn restarted() -> Envelope {
    durable(EventBody::MessageRestarted { message_id: message(1), attempt: 2, retry: None })
}

fn complete(number: u128, content: &str, stop_reason: StopReason) -> Envelope {
    durable(EventBody::MessageComplete {
        message_id: message(number),
        content: content.to_owned(),
        elements: Vec::new(),
        derived_from: Default::default(),
        stop_reason,
        executed_elements: 0,
        model: None,
    })
}

fn pieces(events: impl IntoIterator<Item = Envelope>) -> Vec<Piece> {
    let mut transcript = Transcript::default();
    events.into_iter().flat_map(|event| transcript.take(event)).collect()
}

/// What stands on the screen in the end: everything shown of the last version.
fn final_text(pieces: &[Piece]) -> String {
    let from = pieces.iter().rposition(|piece| matches!(piece, Piece::Anew(_))).map_or(0, |at| at + 1);
    pieces
        .iter()
        .skip(from)
        .filter_map(|piece| if let Piece::Text(text) = piece { Some(text.as_str()) } else { None })
        .collect()
}

#[test]
fn a_plain_reply_is_shown_once() {
    let events = [start(1), text(1, "Hel"), text(1, "lo"), complete(1, "Hello", StopReason::Completed)];
    assert_eq!(pieces(events), [Piece::Begin, Piece::Text("Hel".to_owned()), Piece::Text("lo".to_owned())]);
}

#[test]
fn a_model_that_is_asked_again_is_told_of() {
    let error = TurnError { code: "x".to_owned(), message: "it is away".to_owned(), retryable: true };
    let retry = Some(Box::new(Retrying { of: 8, wait_ms: 4_000, error }));
    let again = durable(EventBody::MessageRestarted { message_id: message(1), attempt: 2, retry });
    let shown = pieces([start(1), again]);
    let Some(Piece::Retrying { attempt, of, wait_ms, why }) = shown.last() else { panic!("{shown:?}") };
    assert_eq!(
        Piece::retrying(*attempt, *of, *wait_ms, why),
        "Retrying (2 of 8) in 4 seconds: the model did not answer (it is away)"
    );
    assert_eq!(pieces([start(1), restarted()]), pieces([start(1)]), "a crash is not the model's");
}

#[test]
fn what_was_missed_comes_with_the_whole() {
    let events = [start(1), text(1, "Hel"), complete(1, "Hello there", StopReason::Completed)];
    assert_eq!(final_text(&pieces(events)), "Hello there");
    assert_eq!(final_text(&pieces([complete(1, "All of it", StopReason::Completed)])), "All of it");
}

#[test]
fn a_reply_that_begins_again_with_the_same_words_goes_on_without_a_seam() {
    for cut in 0..=11 {
        let whole = "Hello world, this is it";
        let (first, _) = whole.split_at(11);
        let (again, rest) = whole.split_at(cut);
        let events = [
            start(1),
            text(1, first),
            restarted(),
            text(1, again),
            text(1, rest),
            complete(1, whole, StopReason::Completed),
        ];
        let shown = pieces(events);
        assert_eq!(final_text(&shown), whole, "cut at {cut}");
        assert!(!shown.iter().any(|piece| matches!(piece, Piece::Anew(_))));
    }
}

#[test]
fn a_reply_that_begins_again_with_other_words_is_shown_anew() {
    let events = [
        start(1),
        text(1, "Hello wor"),
        restarted(),
        text(1, "Hello"),
        text(1, " you"),
        complete(1, "Hello you", StopReason::Completed),
    ];
    let shown = pieces(events);
    assert!(shown.contains(&Piece::Anew(Some("The server restarted."))), "{shown:?}");
    assert_eq!(final_text(&shown), "Hello you");

    // The model's own failure is told when it is asked again.
    let error = TurnError { code: "x".to_owned(), message: "it is away".to_owned(), retryable: true };
    let retry = Some(Box::new(Retrying { of: 8, wait_ms: 4_000, error }));
    let again = durable(EventBody::MessageRestarted { message_id: message(1), attempt: 2, retry });
    let shown = pieces([start(1), text(1, "Hello"), again, text(1, "Good day")]);
    assert!(shown.contains(&Piece::Anew(None)), "{shown:?}");
}

#[test]
fn a_reply_that_begins_again_and_is_shorter_is_shown_anew() {
    let events =
        [start(1), text(1, "Hello"), restarted(), text(1, "He"), complete(1, "He", StopReason::Completed)];
    let shown = pieces(events);
    assert!(shown.contains(&Piece::Anew(Some("The server restarted."))));
    assert_eq!(final_text(&shown), "He");
}

#[test]
fn a_restart_before_the_first_word_is_not_seen() {
    let events = [start(1), restarted(), text(1, "Hi"), complete(1, "Hi", StopReason::Completed)];
    assert_eq!(pieces(events), [Piece::Begin, Piece::Text("Hi".to_owned())]);
}

#[test]
fn thinking_is_not_shown_twice() {
    let events = [start(1), thinking("hm"), text(1, "Hi"), restarted(), thinking("hm"), text(1, "Hi!")];
    let shown = pieces(events);
    assert_eq!(shown.iter().filter(|piece| matches!(piece, Piece::Thinking(_))).count(), 1);
}

#[test]
fn each_message_begins_on_its_own_and_calls_have_their_arguments() {
    let call_id = CallId::from_uuid(Uuid::nil());
    let arguments = json!({ "a": 1 });
    let call = EventBody::ToolUseStart {
        message_id: message(1),
        call_id,
        name: "add".to_owned(),
        origin: Origin::Native,
        element_id: None,
        arguments: arguments.clone(),
        offset: None,
    };
    let result = EventBody::ToolResult {
        call_id,
        name: "add".to_owned(),
        status: ResultStatus::Ok,
        content: "2".to_owned(),
        order: Vec::new(),
        offset: None,
    };
    let events = [
        start(1),
        durable(call),
        complete(1, "", StopReason::ToolUse),
        durable(result),
        start(2),
        text(2, "2"),
    ];
    let expected = [
        Piece::Begin,
        Piece::Call { name: "add".to_owned(), arguments, status: ResultStatus::Ok, content: "2".to_owned() },
        Piece::Begin,
        Piece::Text("2".to_owned()),
    ];
    assert_eq!(pieces(events), expected);
}

#[test]
fn a_stop_is_said_and_the_end_is_kept() {
    let mut transcript = Transcript::default();
    let shown = transcript.take(complete(1, "Hel", StopReason::Cancelled));
    assert_eq!(shown.last(), Some(&Piece::Stopped(StopReason::Cancelled)));
    assert!(transcript.ended().is_none());
    let end = EventBody::TurnEnded { outcome: TurnOutcome::Cancelled, error: None, usage: Usage::ZERO };
    assert!(transcript.take(durable(end)).is_empty());
    assert_eq!(transcript.ended().map(|ended| ended.outcome), Some(TurnOutcome::Cancelled));
}

#[test]
fn who_works_on_it_is_said() {
    let (call_id, session_id) = (CallId::from_uuid(Uuid::nil()), SessionId::from_uuid(Uuid::nil()));
    let started = durable(EventBody::ErrandStarted {
        call_id,
        session_id,
        agent_id: AgentId::from_uuid(Uuid::nil()),
        agent_name: "cook".to_owned(),
        kind: domain::SessionKind::Colleague,
    });
    let mut transcript = Transcript::default();
    assert_eq!(transcript.take(started), [Piece::Errand("cook".to_owned())]);
    assert!(transcript.is_delegated());
    let outcome = domain::ErrandOutcome::Completed;
    transcript.take(durable(EventBody::ErrandEnded { call_id, session_id, outcome }));
    assert!(!transcript.is_delegated(), "nobody works on it any more");
}

#[test]
fn what_is_asked_is_known_by_its_name_until_it_is_answered_or_withdrawn() {
    let question = domain::Question {
        id: domain::QuestionId::from_uuid(Uuid::nil()),
        session_id: SessionId::from_uuid(Uuid::nil()),
        turn_id: domain::TurnId::from_uuid(Uuid::nil()),
        call_id: CallId::from_uuid(Uuid::nil()),
        question: "Which?".to_owned(),
        mode: domain::QuestionMode::Demand,
        timeout_ms: None,
        options: vec!["a".to_owned()],
        default: None,
        status: domain::QuestionStatus::Pending,
        answer: None,
        created_at: domain::Timestamp::from_millis(0),
    };
    let asks = || durable(EventBody::QuestionPrompt { question: Box::new(question.clone()), offset: None });
    let mut transcript = Transcript::default();
    transcript.take(asks());
    let name = Answers::QuestionId(question.id);
    assert_eq!(transcript.requests().iter().map(Request::name).collect::<Vec<_>>(), [name]);
    let (question_id, answer, by) = (question.id, "a".to_owned(), domain::AnsweredBy::User);
    transcript.take(durable(EventBody::QuestionAnswered { question_id, answer, by }));
    assert!(transcript.requests().is_empty());
    transcript.take(asks());
    transcript.take(durable(EventBody::TurnEnded {
        outcome: TurnOutcome::Cancelled,
        error: None,
        usage: Usage::ZERO,
    }));
    assert!(transcript.requests().is_empty(), "its turn has ended");
}

#[test]
fn trouble_is_told_where_it_goes_on() {
    let trouble = || {
        durable(EventBody::Error(TurnError {
            code: "provider_failed".to_owned(),
            message: "busy".to_owned(),
            retryable: true,
        }))
    };
    let again = durable(EventBody::MessageRestarted { message_id: message(1), attempt: 2, retry: None });
    let told = pieces([trouble(), again]);
    assert!(told.contains(&Piece::Trouble("busy".to_owned())), "{told:?}");
    let error = Some(TurnError { code: "x".to_owned(), message: "busy".to_owned(), retryable: true });
    let end = durable(EventBody::TurnEnded { outcome: TurnOutcome::Failed, error, usage: Usage::ZERO });
    assert_eq!(pieces([trouble(), end]), [], "the end says it");
}

/// What an element did that failed is no success.
#[test]
fn a_failed_element_is_told_as_failed() {
    let (id, kind, told) = ("0".to_owned(), "bash".to_owned(), "{\"exit_code\": 3}".to_owned());
    let call_id = CallId::from_uuid(Uuid::nil());
    let failed = EventBody::ElementError {
        message_id: message(1),
        id: id.clone(),
        kind: kind.clone(),
        error: told.clone(),
        call_id,
        status: ResultStatus::Error,
        offset: None,
    };
    let done = EventBody::ElementResult {
        message_id: message(1),
        id,
        kind: kind.clone(),
        call_id,
        result: told.clone(),
        offset: None,
    };
    let outcome = |ok| Piece::Outcome { kind: kind.clone(), ok, text: told.clone() };
    assert_eq!(pieces([durable(failed), durable(done)]), [outcome(false), outcome(true)]);
}
