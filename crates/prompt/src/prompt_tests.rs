use crate::{
    Pictures,
    compose::nodes,
    flatten::{flatten as flatten_tree, go_on},
    history::History,
    transcript::{GO_ON, NO_RESULT, tell},
};
use domain::{CallId, Message, MessageId, MessageKind, Origin, Part, ResultStatus, Role, Timestamp, TurnId};
use proptest::prelude::*;
use provider::{AssistantPart, PromptMessage, UserPart};
use serde_json::json;
use uuid::Uuid;

/// The conversation alone, as a prompt.
fn flatten(messages: Vec<Message>, model: &str, pictures: &Pictures) -> Vec<PromptMessage> {
    let told = tell(messages, model, "UTC", pictures, false, false);
    let count = told.len();
    let mut prompt = flatten_tree(&nodes(&told, (0, count), true), told, count);
    go_on(&mut prompt, false);
    prompt
}

const MODEL: &str = "here/model";

/// One message of the agent in a made-up turn.
#[derive(Clone, Debug)]
struct Step {
    text: bool,
    calls: usize,
    /// The results are stored in another order than the calls.
    shuffled: bool,
    /// The last result was never stored.
    lost: bool,
    /// A person speaks up after it.
    steered: bool,
    kind: Option<MessageKind>,
}

fn steps() -> impl Strategy<Value = Step> {
    let kind = prop_oneof![
        6 => Just(None), 1 => Just(Some(MessageKind::Error)), 1 => Just(Some(MessageKind::Limit))
    ];
    (any::<bool>(), 0..4_usize, any::<bool>(), any::<bool>(), any::<bool>(), kind).prop_map(
        |(text, calls, shuffled, lost, steered, kind)| {
            // What the program itself says makes no calls.
            let calls = if kind.is_some() { 0 } else { calls };
            Step { text, calls, shuffled, lost, steered, kind }
        },
    )
}

fn transcripts() -> impl Strategy<Value = Vec<Vec<Step>>> {
    prop::collection::vec(prop::collection::vec(steps(), 0..5), 1..8)
}

struct Writer {
    messages: Vec<Message>,
    turn: TurnId,
}

impl Writer {
    fn write(turns: &[Vec<Step>]) -> Vec<Message> {
        let mut writer = Self { messages: Vec::new(), turn: turn(0) };
        for (number, steps) in turns.iter().enumerate() {
            writer.turn = turn(number);
            writer.push(Role::User, format!("question {number}"), Vec::new());
            steps.iter().for_each(|step| writer.step(step));
        }
        writer.messages
    }

    fn step(&mut self, step: &Step) {
        let text = if step.text { "words".to_owned() } else { String::new() };
        let seq = self.messages.len();
        let ids: Vec<CallId> = (0..step.calls).map(|at| call(seq, at)).collect();
        let part = |id: &CallId| Part::Call {
            call_id: *id,
            name: "look".to_owned(),
            arguments: json!({}),
            origin: Origin::Native,
            element_id: None,
            target: None,
            reference: None,
        };
        self.push(Role::Assistant, text, ids.iter().map(part).collect());
        if let Some(last) = self.messages.last_mut() {
            last.meta.kind = step.kind;
        }
        let stored = ids.len() - usize::from(step.lost && !ids.is_empty());
        let mut results: Vec<CallId> = ids.into_iter().take(stored).collect();
        if step.shuffled {
            results.reverse();
        }
        for id in results {
            let content = format!("result of {id}");
            let (name, status) = ("look".to_owned(), ResultStatus::Ok);
            let part = Part::Result { call_id: id, name, status, content: content.clone() };
            self.push(Role::Tool, content, vec![part]);
        }
        if step.steered {
            let seq = self.messages.len();
            self.push(Role::User, format!("steering {seq}"), Vec::new());
        }
    }

    fn push(&mut self, role: Role, content: String, parts: Vec<Part>) {
        let seq = self.messages.len() as u64 + 1;
        self.messages.push(Message {
            seq,
            content,
            parts,
            ..Message::new(
                MessageId::from_uuid(Uuid::from_u128(u128::from(seq))),
                self.turn,
                role,
                Timestamp::from_millis(0),
            )
        });
    }
}

fn turn(number: usize) -> TurnId {
    TurnId::from_uuid(Uuid::from_u128(number as u128 + 1))
}

fn call(message: usize, at: usize) -> CallId {
    CallId::from_uuid(Uuid::from_u128((message as u128) << 32 | at as u128))
}

fn users(prompt: &[PromptMessage]) -> Vec<String> {
    let text = |part: &UserPart| match part {
        UserPart::Text(text) => text.clone(),
        UserPart::Image { .. } => String::new(),
    };
    prompt
        .iter()
        .filter_map(|message| match message {
            PromptMessage::User { parts } => Some(parts.iter().map(text).collect()),
            _ => None,
        })
        .filter(|text: &String| text != GO_ON)
        .collect()
}

/// What every provider insists on.
fn check_form(prompt: &[PromptMessage]) {
    assert!(matches!(prompt.first(), Some(PromptMessage::User { .. })), "a person speaks first: {prompt:?}");
    assert!(!matches!(prompt.last(), Some(PromptMessage::Assistant { .. })), "there is something to answer");
    let mut rest = prompt.iter().peekable();
    let mut seen = std::collections::HashSet::new();
    while let Some(message) = rest.next() {
        match message {
            PromptMessage::Tool { call_id, .. } => panic!("{call_id}: a result without its call before it"),
            PromptMessage::Assistant { parts } => {
                let calls: Vec<_> = parts.iter().filter_map(AssistantPart::call).collect();
                let speaks = parts.iter().filter_map(AssistantPart::text).any(|text| !text.trim().is_empty());
                assert!(!calls.is_empty() || speaks, "a message says something");
                for call in &calls {
                    assert!(seen.insert(call.id.clone()), "{} is called twice", call.id);
                    match rest.next() {
                        Some(PromptMessage::Tool { call_id, content }) => {
                            assert_eq!(call_id, &call.id, "results stand in the order of the calls");
                            assert!(content == NO_RESULT || *content == format!("result of {call_id}"));
                        }
                        other => panic!("{} is followed by {other:?}", call.id),
                    }
                }
                let next = rest.peek();
                assert!(!matches!(next, Some(PromptMessage::Assistant { .. })) || !calls.is_empty());
            }
            PromptMessage::User { .. } | PromptMessage::System { .. } => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_left_out_the_rest_is_in_form(turns in transcripts(), cut in 0..40_usize, room in 0..400_u64) {
        let all = Writer::write(&turns);
        let current = turn(turns.len() - 1);
        let cut = cut.min(all.len() - 1);
        let mut history = History { summary: None, messages: all[cut..].to_vec(), complete: cut == 0 };
        let replaced = history.begins_within(current);
        if replaced {
            history.messages = all.iter().filter(|message| message.turn_id == current).cloned().collect();
        }
        let (kept, left_out) = history.within(room, current, |message| message.content.len() as u64 + 8);
        // Of a turn that was fetched by itself it is not known whether it is the first.
        prop_assert_eq!(left_out, kept.len() < all.len() || replaced, "said exactly when it is so");
        prop_assert!(all.ends_with(&kept), "the newest are kept, without a gap");
        let prompt = flatten(kept, MODEL, &Pictures::default());
        check_form(&prompt);
        let said = |message: &&Message| message.role == Role::User && message.turn_id == current;
        let current: Vec<_> = all.iter().filter(said).map(|message| message.content.clone()).collect();
        prop_assert!(users(&prompt).ends_with(&current), "the current turn is always there");
    }
}

#[test]
fn what_the_program_said_itself_is_for_people() {
    let step = Step { text: true, calls: 0, shuffled: false, lost: false, steered: false, kind: None };
    let notice = Step { kind: Some(MessageKind::Error), ..step.clone() };
    let messages = Writer::write(&[vec![notice], vec![step]]);
    assert_eq!(
        flatten(messages, MODEL, &Pictures::default()),
        [
            PromptMessage::user("question 0"),
            PromptMessage::user("question 1"),
            PromptMessage::assistant("words"),
            PromptMessage::user(GO_ON),
        ]
    );
}

#[test]
fn the_first_result_of_a_call_counts() {
    let step = Step { text: false, calls: 1, shuffled: false, lost: false, steered: false, kind: None };
    let mut messages = Writer::write(&[vec![step]]);
    let mut second = messages.last().cloned().unwrap();
    second.content = "another".to_owned();
    if let Some(Part::Result { content, .. }) = second.parts.first_mut() {
        "another".clone_into(content);
    }
    messages.push(second);
    let prompt = flatten(messages, MODEL, &Pictures::default());
    assert_eq!(prompt.len(), 3);
    assert_eq!(prompt[2], PromptMessage::tool(call(1, 0).to_string(), format!("result of {}", call(1, 0))));
}

/// A message as the Messages wire makes it: reasoning, a search, cited words, a call.
fn with_blocks() -> Vec<Message> {
    let step = Step { text: true, calls: 1, shuffled: false, lost: false, steered: false, kind: None };
    let mut messages = Writer::write(&[vec![step]]);
    let message = messages.iter_mut().find(|message| message.role == Role::Assistant).unwrap();
    let call = message.parts.iter().find(|part| matches!(part, Part::Call { .. })).cloned().unwrap();
    let native = |json, replaces| Part::Native { model: MODEL.to_owned(), json, replaces };
    message.parts = vec![
        Part::Thinking { text: "hm".into() },
        native(json!({"type": "thinking", "thinking": "hm", "signature": "s"}), 1),
        Part::Text { text: "I look".into() },
        native(json!({"type": "server_tool_use"}), 0),
        Part::Thinking { text: "unsigned".into() },
        Part::Text { text: "found".into() },
        native(json!({"type": "text", "text": "found", "citations": []}), 1),
        call,
    ];
    messages
}

fn said(prompt: &[PromptMessage]) -> Vec<AssistantPart> {
    let parts = prompt.iter().find_map(|message| match message {
        PromptMessage::Assistant { parts } => Some(parts.clone()),
        _ => None,
    });
    parts.unwrap()
}

#[test]
fn blocks_go_back_to_the_model_that_made_them_in_their_places() {
    let prompt = flatten(with_blocks(), MODEL, &Pictures::default());
    check_form(&prompt);
    let said = said(&prompt);
    assert_eq!(said.len(), 5, "{said:?}");
    assert_eq!(
        said[..4],
        [
            AssistantPart::Native(json!({"type": "thinking", "thinking": "hm", "signature": "s"})),
            AssistantPart::Text("I look".into()),
            AssistantPart::Native(json!({"type": "server_tool_use"})),
            AssistantPart::Native(json!({"type": "text", "text": "found", "citations": []})),
        ]
    );
    assert!(said[4].call().is_some());
}

#[test]
fn any_other_model_hears_the_plain_words_and_the_calls() {
    let prompt = flatten(with_blocks(), "elsewhere/model", &Pictures::default());
    check_form(&prompt);
    let said = said(&prompt);
    assert_eq!(said[0], AssistantPart::Text("words".into()));
    assert!(said.len() == 2 && said[1].call().is_some(), "{said:?}");
}
