//! Prompts in an agent's message, and what people answered to them.

use crate::{
    engine::Engine,
    error::{Error, Result},
    reply::elements,
};
use domain::{Event, EventBody, Label, Message, MessageId, Role, SessionId, UserId};
use markup::Prompt;
use prompt::input_label;
use serde_json::Value;
use store::{
    Tx,
    log::{self, Entry},
    messages, sessions,
};

/// The longest answer, in bytes.
const ANSWER_BYTES: usize = 32 << 10;
const READ: &str =
    "The agent has already read this answer, so it cannot be changed. Send a message with the correction.";

/// An answer, and where it comes from.
struct GivenAnswer {
    answer: String,
    label: Label,
    /// The agent itself notes what its person said.
    by_agent: bool,
}

impl Engine {
    /// Keeps an answer of the session's person beside the message, in place of an earlier one that the agent has not read yet.
    /// Returns the message as it is shown then.
    pub async fn answer_prompt(
        &self,
        user: UserId,
        session: SessionId,
        message: MessageId,
        prompt_id: String,
        answer: String,
    ) -> Result<Message> {
        let own = self.session(user, session).await?.own_files;
        let label = input_label::words(&answer, false, own);
        self.note(user, session, message, prompt_id, GivenAnswer { answer, label, by_agent: false }).await
    }

    /// Keeps an answer that the session's agent took from something with this label.
    pub(crate) async fn note_answer(
        &self,
        user: UserId,
        session: SessionId,
        message: MessageId,
        prompt_id: String,
        (answer, label): (String, Label),
    ) -> Result<Message> {
        self.note(user, session, message, prompt_id, GivenAnswer { answer, label, by_agent: true }).await
    }

    async fn note(
        &self,
        user: UserId,
        session: SessionId,
        message: MessageId,
        prompt_id: String,
        GivenAnswer { answer, label, by_agent }: GivenAnswer,
    ) -> Result<Message> {
        if answer.len() > ANSWER_BYTES {
            return Err(Error::TooLarge("The answer is too long. The limit is 32 KB.".to_owned()));
        }
        let found = self.message(user, session, message).await?;
        let prompt = prompt_of(&found, &prompt_id)?;
        let answer = fitting(&prompt, &answer)?;
        let engine = self.clone();
        let given = GivenAnswer { answer, label, by_agent };
        let work = async move { engine.keep_answer(user, session, message, prompt_id, given).await };
        self.undisturbed(work).await
    }

    async fn message(&self, user: UserId, session: SessionId, id: MessageId) -> Result<Message> {
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| messages::get(tx, &key, user, session, id);
        self.store().read(read).await?.ok_or(Error::NotFound("message"))
    }

    async fn keep_answer(
        &self,
        user: UserId,
        session: SessionId,
        id: MessageId,
        prompt_id: String,
        GivenAnswer { answer, label, by_agent }: GivenAnswer,
    ) -> Result<Message> {
        let (key, now) = (self.store().data_key(user).await?, self.now());
        let write = move |tx: &mut Tx| {
            // The session first: two answers at once are two changes, one after the other.
            let numbers = sessions::take_seq(tx, user, session, 1, now)?;
            let found = messages::get(tx, &key, user, session, id)?;
            let mut message = found.ok_or(store::Error::NotFound)?;
            // What the agent goes by does not change behind its back: a correction is something to say to it.
            let changes = message.answers.get(&prompt_id).is_some_and(|before| *before != answer);
            if changes && !by_agent && messages::is_read(tx, session, message.seq)? {
                return Err(Error::conflict("answer_read", READ));
            }
            message.answers.insert(prompt_id.clone(), answer.clone());
            // THREAT[label-09] The words of an older message are now also those of the one who answered: a fork that ends there,
            // or a declaration that covers it, must not forget where they come from.
            message.label = message.label.join(label);
            sessions::taint(tx, session, label)?;
            if label.is_untrusted() {
                sessions::doubt(tx, session, message.seq)?;
            }
            messages::set_answers(tx, &key, session, &message)?;
            let body = EventBody::PromptUpdated { message_id: id, prompt_id, answer };
            let entry = Entry::Event { turn_id: None, body };
            let events: Vec<Event> = log::append(tx, &key, numbers, now, vec![entry])?;
            Ok((message, events))
        };
        fail::fail_point!("prompt_before_commit");
        let (message, events) = self.store().attempt(write).await?;
        fail::fail_point!("prompt_after_commit");
        self.publish(user, session, &events);
        Ok(elements::message(message))
    }
}

fn prompt_of(message: &Message, prompt_id: &str) -> Result<Prompt> {
    let is_read = message.role == Role::Assistant && message.markup.is_some();
    let prompts = if is_read { markup::prompts(&message.content) } else { Vec::new() };
    prompts.into_iter().find(|prompt| prompt.id == prompt_id).ok_or(Error::NotFound("prompt"))
}

/// The answer in the form of its prompt, or what is wrong with it.
fn fitting(prompt: &Prompt, answer: &str) -> Result<String> {
    let answer = answer.trim();
    if answer.is_empty() {
        return Err(Error::invalid("empty_answer", "answer: The answer is empty."));
    }
    match prompt.kind.as_str() {
        "number" | "range" => number(prompt, answer),
        "checkbox" => one_of(&["true", "false"], answer),
        "radio" | "select" => option(prompt, answer),
        "checkboxes" => {
            let chosen: Result<Vec<String>> = choices(answer).iter().map(|one| option(prompt, one)).collect();
            Ok(chosen?.join(", "))
        }
        "color" => color(answer),
        _ => Ok(answer.to_owned()),
    }
}

/// A list in JSON, or words between commas.
fn choices(answer: &str) -> Vec<String> {
    let parsed = serde_json::from_str::<Vec<String>>(answer);
    parsed.unwrap_or_else(|_| answer.split(',').map(|one| one.trim().to_owned()).collect())
}

fn number(prompt: &Prompt, answer: &str) -> Result<String> {
    let value = answer.parse::<f64>().ok().filter(|value| value.is_finite());
    let value = value.ok_or_else(|| bad_answer("Answer with a number."))?;
    let bound = |name: &str| prompt.attributes.get(name).and_then(|text| text.parse::<f64>().ok());
    if bound("min").is_some_and(|min| value < min) || bound("max").is_some_and(|max| value > max) {
        let shown = |name: &str| prompt.attributes.get(name).unwrap_or("anything").to_owned();
        let detail = format!("Answer with a number from {} to {}.", shown("min"), shown("max"));
        return Err(bad_answer(&detail));
    }
    Ok(answer.to_owned())
}

fn color(answer: &str) -> Result<String> {
    let digits = answer.strip_prefix('#').filter(|digits| matches!(digits.len(), 3 | 6));
    match digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        true => Ok(answer.to_owned()),
        false => Err(bad_answer("Answer with a colour such as #3366cc.")),
    }
}

fn one_of(words: &[&str], answer: &str) -> Result<String> {
    let found = words.iter().find(|word| word.eq_ignore_ascii_case(answer));
    let detail = || bad_answer(&format!("Choose one of these: {}.", words.join(", ")));
    found.map(|word| (*word).to_owned()).ok_or_else(detail)
}

/// By value or by label; a prompt that offers nothing takes everything.
fn option(prompt: &Prompt, answer: &str) -> Result<String> {
    if prompt.options.is_empty() {
        return Ok(answer.to_owned());
    }
    let text = |option: &Value, name: &str| option.get(name).and_then(Value::as_str).map(str::to_owned);
    let named =
        |option: &&Value| ["value", "label"].iter().any(|name| text(option, name).as_deref() == Some(answer));
    let found = prompt.options.iter().find(named).and_then(|option| text(option, "value"));
    found.ok_or_else(|| {
        let offered: Vec<String> = prompt.options.iter().filter_map(|option| text(option, "value")).collect();
        bad_answer(&format!("Choose one of these: {}.", offered.join(", ")))
    })
}

fn bad_answer(detail: &str) -> Error {
    Error::invalid("bad_answer", detail)
}
