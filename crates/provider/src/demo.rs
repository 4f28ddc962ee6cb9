//! The built-in model: a script that answers when no real model is configured.
//!
//! It is deterministic, says honestly what it is, and uses a tool when one is offered, so that everything around a model
//! can be seen working without one. It speaks through the same stream as the others, in small pieces.

use crate::{
    AssistantPart, Completion, ModelEvent, ModelInfo, ModelRequest, Price, PromptMessage, ProposedCall, Stop,
    Tokens, UserPart, vendors::price::estimate,
};
use serde_json::{Map, Value, json};
use std::collections::VecDeque;

/// The id of the built-in model.
pub const DEMO: &str = "demo";

const WINDOW: u64 = 128_000;
const PIECE_CHARACTERS: usize = 12;
const MAX_ECHO: usize = 400;
const LONG_PARAGRAPHS: usize = 200;

const GETTING_A_MODEL: &str = "To talk to a real model, add a provider on the page, or do one of these and start Majordomo again:\n\
- set ANTHROPIC_API_KEY or OPENAI_API_KEY (and OPENAI_BASE_URL for another OpenAI-compatible service) in the environment;\n\
- install Ollama and run `ollama pull qwen3:8b`; Majordomo finds it by itself;\n\
- add a section [provider.NAME] with `wire` and `base_url` to majordomo.toml.\n";

const HELP: &str = "I am the built-in demo model of Majordomo: a script, not a real model. I understand:\n\
- `help`: this text;\n\
- `tool NAME {\"argument\": \"value\"}`: I call that tool with these arguments and show its result;\n\
- `show me what you can do`: I show every element there is, and ask you something;\n\
- `ask for approval`: I ask for your approval to start a conversation;\n\
- `long`: I write a long text, to see streaming and stopping;\n\
- anything else: I use a harmless tool if I have one, and repeat what you said.\n\n";

pub(crate) fn info() -> ModelInfo {
    ModelInfo {
        id: DEMO.to_owned(),
        provider: DEMO.to_owned(),
        window: WINDOW,
        max_output: None,
        price: Some(Price::FREE),
        abilities: vec!["tools".to_owned()],
        default: false,
    }
}

/// What the demo will say, in the pieces in which it says it.
#[derive(Debug)]
pub(crate) struct Script {
    pieces: VecDeque<String>,
    completion: Option<Completion>,
}

impl Script {
    /// Gives way to others before each piece, as a model that writes on the other side of a network does.
    pub(crate) async fn next(&mut self) -> Option<ModelEvent> {
        tokio::task::yield_now().await;
        let piece = self.pieces.pop_front().map(ModelEvent::Text);
        piece.or_else(|| self.completion.take().map(ModelEvent::Done))
    }
}

pub(crate) fn script(request: &ModelRequest) -> Script {
    let (text, call) = answer(request);
    let prompt: u64 = request.messages.iter().map(weight).fold(0, u64::saturating_add);
    let tokens = Tokens { input: prompt, output: estimate(&text), ..Tokens::default() };
    let stop = if call.is_some() { Stop::ToolUse } else { Stop::Completed };
    let completion =
        Completion { stop, calls: call.into_iter().collect(), tokens: Some(tokens), parts: Vec::new() };
    Script { pieces: pieces(&text), completion: Some(completion) }
}

fn answer(request: &ModelRequest) -> (String, Option<ProposedCall>) {
    let said = last_words(request);
    let results = results_since(request);
    if !results.is_empty() {
        return (after_results(&said, &results), None);
    }
    match said.trim() {
        "help" | "/help" | "help?" => return (format!("{HELP}{GETTING_A_MODEL}"), None),
        "long" => return (long_text(), None),
        words if wants_a_show(words) => return (show(request), None),
        words if words.to_lowercase().contains("ask for approval") => return needs_approval(request),
        words if words.starts_with("[@") => return (after_feedback(words), None),
        _ => {}
    }
    if let Some((name, arguments)) = wanted_call(&said) {
        return match request.tools.iter().any(|tool| tool.name == name) {
            true => (format!("I call the tool `{name}`.\n"), Some(ProposedCall { name, arguments })),
            false => (no_such_tool(&name, request), None),
        };
    }
    match harmless_call(request) {
        Some(call) => (format!("I use the tool `{}` before I answer.\n", call.name), Some(call)),
        None => (introduction(&said), None),
    }
}

/// Asked in one of the ways in which people ask it.
fn wants_a_show(said: &str) -> bool {
    let said = said.to_lowercase();
    ["what you can do", "what can you do", "show everything"].iter().any(|words| said.contains(words))
}

/// Something harmless that asks every time: a session more in the list.
fn needs_approval(request: &ModelRequest) -> (String, Option<ProposedCall>) {
    let name = "session".to_owned();
    if !request.tools.iter().any(|tool| tool.name == name) {
        let how = "This agent does not have the commands, which I would show you an approval with. Give them to it, and try again:\n\
                   majordomo agent set main capabilities='[\"current_time\",\"commands\"]'\n";
        return (how.to_owned(), None);
    }
    let arguments = Ok(json!({ "action": "create", "name": "Started with approval" }));
    (
        "I would like to start a conversation, and need your approval.\n".to_owned(),
        Some(ProposedCall { name, arguments }),
    )
}

/// Every element of the product. Without its lesson in the prompt an agent has no markup, and it would be shown as it is.
fn show(request: &ModelRequest) -> String {
    let taught = request.messages.iter().any(|message| match message {
        PromptMessage::System { text } => text.contains("## Markup"),
        _ => false,
    });
    if taught {
        SHOW.to_owned()
    } else {
        "Markup is turned off for this agent, so there is nothing to show.\n".to_owned()
    }
}

/// The results of what the show did: they begin with a mark that no person types by accident.
fn after_feedback(blocks: &str) -> String {
    let answers = blocks.split("[@user:ask]").skip(1).filter_map(|block| block.split("completed:").nth(1));
    let answers: Vec<String> =
        answers.map(|answer| shortened(answer.split("\n\n[@").next().unwrap_or_default())).collect();
    match answers.as_slice() {
        [] => "That was the result. Everything you saw works the same with a real model.\n".to_owned(),
        some => format!(
            "You chose “{}”. Everything you saw works the same with a real model.\n",
            some.join("”, “")
        ),
    }
}

const SHOW: &str = "Here is what a reply can contain.\n\n\
<thinking title=\"A thought\">Thoughts can be folded away.</thinking>\n\
<todo title=\"A list\"><item status=\"completed\">Start Majordomo</item>\
<item status=\"in_progress\">Look around</item><item>Connect a real model</item></todo>\n\
<progress value=\"2\" max=\"3\">On the way</progress>\n\
<link href=\"/docs\">The API of this server</link>\n\
<copy label=\"A command to copy\">majordomo doctor</copy>\n\
<result for=\"demo\" status=\"success\">A result in a frame.</result>\n\
<hml-prompt id=\"demo-colour\" type=\"radio\" options='[\"red\",\"blue\"]'>\
A prompt can be answered whenever you like: which colour?</hml-prompt>\n\n\
I can call functions while I write:\n\
@system(help, {category: \"elements\", filter: \"todo\"})\n\n\
And I can wait for you. <ask options=\"tea, coffee\">What may I bring you?</ask>\n";

fn introduction(said: &str) -> String {
    format!(
        "No real model is set up yet. This is the built-in demo model of Majordomo. You said: “{}”\n\n{GETTING_A_MODEL}\n\
         Write `help` to see what the demo can do.\n",
        shortened(said)
    )
}

fn after_results(said: &str, results: &[&str]) -> String {
    let shown: Vec<String> = results.iter().map(|result| shortened(result)).collect();
    format!("The tool answered: {}\n\n{}", shown.join("\n"), introduction(said))
}

fn no_such_tool(name: &str, request: &ModelRequest) -> String {
    let names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    let offered = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    format!("I have no tool `{}`. My tools are: {offered}.\n", shortened(name))
}

fn long_text() -> String {
    (1..=LONG_PARAGRAPHS)
        .map(|number| {
            format!(
                "Paragraph {number} of {LONG_PARAGRAPHS}: the demo writes on, so that you can stop it.\n\n"
            )
        })
        .collect()
}

/// `tool NAME {json}`; arguments that are no JSON object go on as they are, to show what happens then.
fn wanted_call(said: &str) -> Option<(String, Result<Value, String>)> {
    let rest = said.trim().strip_prefix("tool ")?.trim();
    let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let arguments = match arguments.trim() {
        "" => Ok(Value::Object(Map::new())),
        text => match serde_json::from_str(text) {
            Ok(object @ Value::Object(_)) => Ok(object),
            _ => Err(text.to_owned()),
        },
    };
    (!name.is_empty()).then(|| (name.to_owned(), arguments))
}

/// Only tools that are known to change nothing: a demo must not act on a guess.
fn harmless_call(request: &ModelRequest) -> Option<ProposedCall> {
    let harmless = [("get_current_time", json!({})), ("add", json!({"a": 2, "b": 3}))];
    let (name, arguments) =
        harmless.into_iter().find(|(name, _)| request.tools.iter().any(|tool| tool.name == *name))?;
    Some(ProposedCall { name: name.to_owned(), arguments: Ok(arguments) })
}

/// What the house adds behind the person's words on its own account is nothing that anybody said.
fn is_said_by_the_house(parts: &[UserPart]) -> bool {
    matches!(parts.first(), Some(UserPart::Text(text)) if text.starts_with("[System: "))
}

/// The person's last words, and what tools have answered since.
fn last_round(request: &ModelRequest) -> (&[UserPart], &[PromptMessage]) {
    let said = |message: &PromptMessage| match message {
        PromptMessage::User { parts } => !is_said_by_the_house(parts),
        _ => false,
    };
    let place = request.messages.iter().rposition(said);
    match place.and_then(|place| request.messages.get(place..)).and_then(<[PromptMessage]>::split_first) {
        Some((PromptMessage::User { parts }, since)) => (parts, since),
        _ => (&[], &request.messages),
    }
}

fn last_words(request: &ModelRequest) -> String {
    let texts = last_round(request).0.iter().filter_map(|part| match part {
        UserPart::Text(text) => Some(text.as_str()),
        UserPart::Image { .. } => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn results_since(request: &ModelRequest) -> Vec<&str> {
    let since = last_round(request).1.iter();
    since
        .filter_map(|message| match message {
            PromptMessage::Tool { content, .. } => Some(content.as_str()),
            _ => None,
        })
        .collect()
}

fn weight(message: &PromptMessage) -> u64 {
    match message {
        PromptMessage::System { text } => estimate(text),
        PromptMessage::Assistant { parts } => {
            parts.iter().filter_map(AssistantPart::text).map(estimate).fold(0, u64::saturating_add)
        }
        PromptMessage::Tool { content, .. } => estimate(content),
        PromptMessage::User { parts } => parts
            .iter()
            .map(|part| match part {
                UserPart::Text(text) => estimate(text),
                UserPart::Image { .. } => 1_000,
            })
            .fold(0, u64::saturating_add),
    }
}

fn shortened(text: &str) -> String {
    let mut short: String = text.trim().chars().take(MAX_ECHO).collect();
    if short.len() < text.trim().len() {
        short.push('…');
    }
    short
}

fn pieces(text: &str) -> VecDeque<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(PIECE_CHARACTERS).map(|piece| piece.iter().collect()).collect()
}

#[cfg(test)]
#[path = "demo_tests.rs"]
mod tests;
