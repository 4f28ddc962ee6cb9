use super::*;
use domain::{
    AgentId, AgentState, AnsweredBy, Approval, ApprovalId, ApprovalStatus, CallId, Danger, LiveBody,
    MessageId, Origin, ResultStatus, StopReason, Timestamp, Usage,
};
use serde_json::json;
use uuid::Uuid;

fn id<T>(make: fn(Uuid) -> T, number: u128) -> T {
    make(Uuid::from_u128(number))
}

fn envelope(body: EnvelopeBody) -> Envelope {
    Envelope {
        seq: 1,
        cursor: Cursor::default(),
        at: Timestamp::from_millis(0),
        session_id: id(SessionId::from_uuid, 0),
        turn_id: Some(id(TurnId::from_uuid, 1)),
        body,
    }
}

fn durable(body: EventBody) -> Envelope {
    envelope(EnvelopeBody::Durable(body))
}

fn begins() -> Envelope {
    let message_id = id(MessageId::from_uuid, 1);
    let agent_id = id(AgentId::from_uuid, 0);
    durable(EventBody::MessageStart { message_id, agent_id, agent_name: "main".to_owned() })
}

fn words(text: &str) -> Envelope {
    let message_id = id(MessageId::from_uuid, 1);
    envelope(EnvelopeBody::Live(LiveBody::Text { message_id, text: text.to_owned() }))
}

fn said_elsewhere(content: &str) -> Envelope {
    let (message, turn) = (id(MessageId::from_uuid, 9), id(TurnId::from_uuid, 1));
    let mut message = Message::new(message, turn, Role::User, Timestamp::from_millis(0));
    message.content = content.to_owned();
    durable(EventBody::UserMessage { message: Box::new(message) })
}

fn ended(outcome: TurnOutcome) -> Envelope {
    durable(EventBody::TurnEnded { outcome, error: None, usage: Usage::default() })
}

fn approval() -> Approval {
    Approval {
        id: id(ApprovalId::from_uuid, 1),
        session_id: id(SessionId::from_uuid, 0),
        turn_id: id(TurnId::from_uuid, 1),
        call_id: id(CallId::from_uuid, 1),
        tool: "bash".to_owned(),
        arguments: json!({ "command": "ls" }),
        shown: Vec::new(),
        danger: Danger::Moderate,
        why: Vec::new(),
        digest: "d".to_owned(),
        scopes: Vec::new(),
        host: None,
        workplace: None,
        reaches: None,
        label: None,
        status: ApprovalStatus::Pending,
        reason: None,
        expires_at: Timestamp::from_millis(0),
        created_at: Timestamp::from_millis(0),
    }
}

fn output(offset: u64, delta: &str) -> Envelope {
    let call_id = id(CallId::from_uuid, 1);
    envelope(EnvelopeBody::Live(LiveBody::ToolOutput { call_id, offset, delta: delta.to_owned() }))
}

fn result(content: &str) -> Envelope {
    durable(EventBody::ToolResult {
        call_id: id(CallId::from_uuid, 1),
        name: "bash".to_owned(),
        status: ResultStatus::Ok,
        content: content.to_owned(),
        order: Vec::new(),
        offset: None,
    })
}

fn lines(shown: &mut ShownTurn, events: impl IntoIterator<Item = Envelope>) -> Vec<String> {
    events.into_iter().map(|event| shown.take(event).unwrap()).filter(|lines| !lines.is_empty()).collect()
}

#[test]
fn a_turn_that_was_begun_elsewhere_comes_in_whole_lines() {
    let mut shown = ShownTurn::new(Vec::new(), Look::PLAIN);
    let events = [
        said_elsewhere("How are you?"),
        begins(),
        words("Fine.\nAnd"),
        words(" you?"),
        durable(EventBody::MessageComplete {
            message_id: id(MessageId::from_uuid, 1),
            content: "Fine.\nAnd you?".to_owned(),
            elements: Vec::new(),
            derived_from: Default::default(),
            stop_reason: StopReason::Completed,
            executed_elements: 0,
            model: None,
        }),
        ended(TurnOutcome::Completed),
    ];
    let expected = ["you (in another window)> How are you?\n", "Fine.\n", "And you?\n"];
    assert_eq!(lines(&mut shown, events), expected);
}

#[test]
fn a_request_that_runs_out_of_time_is_told_with_what_comes_of_it() {
    let mut shown = ShownTurn::new(vec![Request::Approval(Box::new(approval()))], Look::PLAIN);
    let expired = durable(EventBody::ApprovalResult {
        approval_id: approval().id,
        decision: ApprovalStatus::Expired,
        by: AnsweredBy::Timeout,
        scope: None,
        reason: None,
    });
    assert_eq!(lines(&mut shown, [expired]), ["— Not answered in time, so it was denied. —\n"]);
    assert!(shown.transcript.requests().is_empty(), "the next line answers nothing");
}

#[test]
fn a_request_that_appears_is_shown_and_can_be_answered() {
    let mut shown = ShownTurn::new(Vec::new(), Look::PLAIN);
    let asks = durable(EventBody::ApprovalRequest { approval: Box::new(approval()), offset: None });
    let waits = durable(EventBody::AgentStatus { state: AgentState::InputRequired });
    let told = lines(&mut shown, [asks, waits]).concat();
    assert!(told.starts_with("┏ Approve running a command? (bash, "), "{told}");
    assert_eq!(shown.transcript.requests(), [Request::Approval(Box::new(approval()))]);
}

#[test]
fn what_a_program_says_stands_under_its_call_and_moves_nothing() {
    let mut shown = ShownTurn::new(Vec::new(), Look::PLAIN);
    let call = durable(EventBody::ToolUseStart {
        message_id: id(MessageId::from_uuid, 1),
        call_id: id(CallId::from_uuid, 1),
        name: "bash".to_owned(),
        origin: Origin::Native,
        element_id: None,
        arguments: json!({ "command": "make" }),
        offset: None,
    });
    let told = lines(&mut shown, [call, output(0, "one\n\u{1b}[2Jtw"), output(10, "o\n"), result("done")]);
    let expected = ["⚙ bash command: make\n  │ one\n", "  │ ␛[2Jtwo\n", "⚙ bash → done\n"];
    assert_eq!(told, expected);
}

#[test]
fn what_went_wrong_is_said_and_a_stop_is_not_a_fault() {
    let mut shown = ShownTurn::new(Vec::new(), Look::PLAIN);
    assert_eq!(lines(&mut shown, [ended(TurnOutcome::Failed)]), ["The reply failed.\n"]);
    let mut shown = ShownTurn::new(Vec::new(), Look::PLAIN);
    assert!(lines(&mut shown, [ended(TurnOutcome::Cancelled)]).is_empty());
}

#[test]
fn what_belongs_to_no_turn_is_not_shown() {
    let mut shown = ShownTurn::new(Vec::new(), Look::PLAIN);
    let mut event = said_elsewhere("unheard");
    event.turn_id = None;
    assert!(lines(&mut shown, [event]).is_empty());
}
