//! Legacy assertions: a reply that is one json code fence of valid operations, and nothing else.

use crate::{
    Order, Target, authority,
    json::{Dialect, Reader, Step},
};
use serde_json::{Map, Value};

/// What a block of them begins with.
pub(crate) const FENCE: &str = "```json";

#[derive(Debug)]
enum Phase {
    /// Space, then the opening fence; so many of its bytes have matched.
    Open(usize),
    /// The rest of the opening line.
    Info,
    Json(Box<Reader>),
    /// Behind the JSON: space, then the closing fence.
    Close(usize),
    /// Behind the fence: space.
    End,
}

#[derive(Debug)]
pub(crate) struct AssertionScan {
    phase: Phase,
    value: Value,
}

impl AssertionScan {
    pub(crate) fn new() -> Self {
        Self { phase: Phase::Open(0), value: Value::Null }
    }

    /// Whether the reply can still be a block of assertions.
    pub(crate) fn step(&mut self, byte: u8) -> bool {
        let space = byte.is_ascii_whitespace();
        let next = match &mut self.phase {
            Phase::Open(0) if space => return true,
            Phase::Open(matched) if FENCE.as_bytes().get(*matched) == Some(&byte) => {
                let matched = *matched + 1;
                if matched == FENCE.len() { Phase::Info } else { Phase::Open(matched) }
            }
            Phase::Info if byte == b'\n' => Phase::Json(Box::new(Reader::new(Dialect::Json))),
            Phase::Info if space => return true,
            Phase::Json(reader) => match reader.step(byte) {
                Step::More => return true,
                Step::Fail => return false,
                Step::Done => {
                    self.value = reader.take();
                    Phase::Close(0)
                }
            },
            Phase::Close(0) if space => return true,
            Phase::Close(2) if byte == b'`' => Phase::End,
            Phase::Close(matched) if byte == b'`' => Phase::Close(*matched + 1),
            Phase::End if space => return true,
            _ => return false,
        };
        self.phase = next;
        true
    }

    /// At the end of the reply: its operations, if it was a block of valid ones.
    pub(crate) fn operations(self) -> Option<Vec<Operation>> {
        if !matches!(self.phase, Phase::End) {
            return None;
        }
        let list = |items: Vec<Value>, order: &Order| {
            items.into_iter().map(|item| operation(item, order.clone())).collect::<Option<Vec<_>>>()
        };
        let operations = match self.value {
            Value::Array(items) => list(items, &Order::InTurn)?,
            Value::Object(pipelines) => {
                let mut all = Vec::new();
                for (key, items) in pipelines {
                    let Value::Array(items) = items else { return None };
                    all.extend(list(items, &Order::Pipeline { key })?);
                }
                all
            }
            _ => return None,
        };
        (!operations.is_empty()).then_some(operations)
    }
}

/// One valid operation.
#[derive(Debug, PartialEq)]
pub(crate) struct Operation {
    pub(crate) id: String,
    pub(crate) target: Target,
    pub(crate) name: String,
    /// What the agent calls it.
    pub(crate) label: String,
    pub(crate) arguments: Value,
    pub(crate) order: Order,
}

fn operation(value: Value, order: Order) -> Option<Operation> {
    let Value::Object(mut members) = value else { return None };
    let id = text(&mut members, "id")?;
    let (kind, name) = match text(&mut members, "assertion") {
        Some(kind) => (kind, text(&mut members, "name")?),
        None => ("command".to_owned(), text(&mut members, "command")?),
    };
    let label = name.clone();
    let mut rest = Value::Object(members);
    authority::strip(&mut rest);
    let (target, name, arguments) = match kind.as_str() {
        "command" => (Target::System, name, arguments_of_command(rest)),
        "question" => (Target::User, "ask".to_owned(), arguments_of_question(rest)),
        "link" | "progress" | "response" | "thinking" | "todo" => {
            if let Value::Object(members) = &mut rest {
                members.insert("name".to_owned(), Value::from(name));
            }
            (Target::Other(kind.clone()), kind, rest)
        }
        _ => return None,
    };
    Some(Operation { id, target, name, label, arguments, order })
}

fn text(members: &mut Map<String, Value>, name: &str) -> Option<String> {
    match members.remove(name) {
        Some(Value::String(text)) if !text.is_empty() => Some(text),
        _ => None,
    }
}

/// The members of `args` if there is such an object, otherwise all of them.
fn arguments_of_command(rest: Value) -> Value {
    match rest {
        Value::Object(mut members) => match members.remove("args") {
            Some(arguments @ Value::Object(_)) => arguments,
            _ => Value::Object(members),
        },
        other => other,
    }
}

/// In the form of `<ask>`: a demand unless it says `timeout`, which is 30 seconds unless it says more.
fn arguments_of_question(rest: Value) -> Value {
    let timeout = (rest["mode"] == "timeout").then(|| rest["timeout"].as_u64().unwrap_or(30_000));
    let mut arguments = Map::new();
    let question = ["message", "question", "text"].iter().find_map(|name| rest[*name].as_str());
    arguments.insert("question".to_owned(), Value::from(question.unwrap_or_default()));
    arguments.insert("mode".to_owned(), Value::from(if timeout.is_some() { "timeout" } else { "demand" }));
    if let Some(timeout) = timeout {
        arguments.insert("timeout_ms".to_owned(), Value::from(timeout));
        arguments.insert("default".to_owned(), Value::from(rest["default"].as_str().unwrap_or_default()));
    }
    if let Some(options @ Value::Array(_)) = rest.get("options") {
        arguments.insert("options".to_owned(), options.clone());
    }
    Value::Object(arguments)
}
