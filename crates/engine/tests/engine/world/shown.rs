//! Events in a form that a test can compare.

use domain::{Envelope, EnvelopeBody, EventBody, LiveBody};

pub fn types(events: &[Envelope]) -> Vec<&'static str> {
    events.iter().map(Envelope::type_name).collect()
}

/// The live text of these events, put together.
pub fn texts(events: &[Envelope]) -> String {
    let text = |envelope: &Envelope| match &envelope.body {
        EnvelopeBody::Live(LiveBody::Text { text, .. }) => text.clone(),
        _ => String::new(),
    };
    events.iter().map(text).collect()
}

/// The durable events, each with the words that matter.
pub fn shown(events: &[Envelope]) -> Vec<String> {
    events.iter().filter(|event| matches!(event.body, EnvelopeBody::Durable(_))).flat_map(line_of).collect()
}

fn line_of(event: &Envelope) -> Vec<String> {
    shown_live(std::slice::from_ref(event))
}

/// All events; live text is joined. How much of it a reader gets before the message is complete depends on its speed.
pub fn shown_live(events: &[Envelope]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for envelope in events {
        let line = match &envelope.body {
            EnvelopeBody::Durable(body) => durable(body),
            EnvelopeBody::Live(LiveBody::Text { text, .. }) => format!("text {text}"),
            EnvelopeBody::Live(LiveBody::Thinking { text, .. }) => format!("thinking {text}"),
            EnvelopeBody::Live(live) => element(live),
        };
        match lines.last_mut() {
            Some(last) if last.starts_with("text ") && line.starts_with("text ") => last.push_str(&line[5..]),
            _ => lines.push(line),
        }
    }
    lines
}

fn element(live: &LiveBody) -> String {
    let name = live.type_name();
    match live {
        LiveBody::ElementStart { id, kind, parent_id, .. } => match parent_id {
            Some(parent) => format!("{name} {id} {kind} in {parent}"),
            None => format!("{name} {id} {kind}"),
        },
        LiveBody::ElementUpdate { id, delta, .. } => format!("{name} {id} {delta}"),
        LiveBody::ElementComplete { id, content, .. } => format!("{name} {id} {content}"),
        LiveBody::ElementError { error, .. } => format!("{name} {error}"),
        LiveBody::ToolOutput { delta, .. } => format!("{name} {delta}"),
        LiveBody::Text { .. } | LiveBody::Thinking { .. } => name.to_owned(),
    }
}

fn durable(body: &EventBody) -> String {
    let name = body.type_name();
    match body {
        EventBody::InputAccepted { mode, .. } => format!("{name} {}", mode.as_str()),
        EventBody::TurnStarted { attempt, .. } => format!("{name} {attempt}"),
        EventBody::TurnEnded { outcome, error, .. } => match error {
            Some(error) => format!("{name} {} {}", outcome.as_str(), error.code),
            None => format!("{name} {}", outcome.as_str()),
        },
        EventBody::AgentStatus { state } => format!("{name} {state:?}").to_lowercase(),
        EventBody::UserMessage { message } => format!("{name} {}", message.content),
        EventBody::MessageRestarted { attempt, .. } => format!("{name} {attempt}"),
        EventBody::MessageComplete { content, stop_reason, .. } => {
            format!("{name} {content} {stop_reason:?}")
        }
        EventBody::ToolUseStart { name: tool, .. } => format!("{name} {tool}"),
        EventBody::ToolResult { name: tool, status, .. } => format!("{name} {tool} {status:?}"),
        EventBody::ElementExecuting { id, kind, .. } => format!("{name} {id} {kind}"),
        EventBody::ElementResult { id, result, .. } => format!("{name} {id} {result}"),
        EventBody::ElementError { id, error, .. } => format!("{name} {id} {error}"),
        EventBody::QuestionPrompt { question, .. } => format!("{name} {}", question.question),
        EventBody::QuestionAnswered { answer, by, .. } => format!("{name} {answer} {by:?}"),
        EventBody::ApprovalRequest { approval, .. } => format!("{name} {}", approval.tool),
        EventBody::ApprovalResult { decision, by, .. } => {
            format!("{name} {} {by:?}", decision.as_str()).to_lowercase()
        }
        EventBody::PromptUpdated { prompt_id, answer, .. } => format!("{name} {prompt_id} {answer}"),
        EventBody::CompactionComplete { generation, level, .. } => format!("{name} {generation} {level}"),
        EventBody::AbilityInjected { abilities, left_out, .. } => {
            let names: Vec<&str> = abilities.iter().map(|ability| ability.name.as_str()).collect();
            format!("{name} {} {}", names.join(","), left_out.join(",")).trim_end().to_owned()
        }
        EventBody::ErrandStarted { agent_name, .. } => format!("{name} {agent_name}"),
        EventBody::ErrandEnded { outcome, .. } => format!("{name} {outcome:?}"),
        EventBody::Error(error) => format!("{name} {}", error.code),
        EventBody::MessageStart { .. } | EventBody::Usage(_) | EventBody::SessionUpdated(_) => {
            name.to_owned()
        }
    }
}
