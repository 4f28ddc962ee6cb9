//! Prompts that people keep: made, changed, deleted, and sent by a slash and their name.

use crate::{
    claim::new_input::NewMessage,
    commands::{self, CommandAnswer, Need, SentAlong, line::Words, rights::Actor},
    engine::Engine,
    error::{Error, Result},
    idempotency_key,
};
use domain::{InputMode, SavedPrompt, SavedPromptId, SavedPromptText, SessionId, UserId};
use prompt::input_label::TYPED_CHARS;
use serde_json::json;
use store::{Conflict, Page, Paged, Tx, idempotency::KeyUse, saved_prompts as rows};

/// What one person may have.
const MOST: u64 = 500;
const NAME_CHARS: usize = 40;
const CONTENT_CHARS: usize = 20_000;
const DESCRIPTION_CHARS: usize = 200;
/// What the page itself understands besides the commands of the server.
const OF_CLIENTS: [&str; 3] = ["stream", "quit", "exit"];

impl Engine {
    pub async fn saved_prompts(&self, user: UserId, page: Page) -> Result<Paged<SavedPrompt>> {
        let key = self.store().data_key(user).await?;
        Ok(self.store().read(move |tx| rows::list(tx, &key, user, page)).await?)
    }

    pub async fn saved_prompt(&self, user: UserId, id: SavedPromptId) -> Result<SavedPrompt> {
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| rows::get(tx, &key, user, id);
        self.store().read(read).await?.ok_or(Error::NotFound("prompt"))
    }

    /// A repeated key finds the prompt that the first one made.
    pub async fn save_prompt(
        &self,
        user: UserId,
        text: SavedPromptText,
        idempotency_key: Option<String>,
    ) -> Result<SavedPrompt> {
        let id = SavedPromptId::from_uuid(self.inner.ids.uuid());
        let keyed = self.keyed(user, "saved prompt", idempotency_key, format!("{text:?}"), id.to_string());
        if let Some(before) = self.made_before(keyed.as_ref()).await? {
            return self.saved_prompt(user, before).await;
        }
        check(&text)?;
        let now = self.now();
        let prompt = SavedPrompt { id, user_id: user, text, created_at: now, updated_at: now };
        let (key, saved, vault) =
            (self.store().data_key(user).await?, prompt.clone(), self.store().vault().clone());
        let write = move |tx: &mut Tx| {
            let noted = idempotency_key::note(tx, &vault, keyed.as_ref())?;
            let has_room = match noted {
                KeyUse::First => rows::create(tx, &key, &saved, MOST)?,
                KeyUse::Repeat { .. } => true,
            };
            if has_room { Ok(noted) } else { Err(PromptRefusal::TooMany) }
        };
        let noted = self.store().attempt(write).await.map_err(|refusal| match refusal {
            PromptRefusal::TooMany => Error::conflict(
                "too_many_prompts",
                format!("You already have {MOST} prompts. Delete one that you no longer need."),
            ),
            PromptRefusal::Store(error) => name_taken(error),
        })?;
        match idempotency_key::made(noted)? {
            Some(before) => self.saved_prompt(user, before).await,
            None => {
                self.tell_lists(user);
                Ok(prompt)
            }
        }
    }

    pub async fn replace_saved_prompt(
        &self,
        user: UserId,
        id: SavedPromptId,
        text: SavedPromptText,
    ) -> Result<SavedPrompt> {
        check(&text)?;
        let before = self.saved_prompt(user, id).await?;
        let prompt = SavedPrompt { text, updated_at: self.now(), ..before };
        let (key, saved) = (self.store().data_key(user).await?, prompt.clone());
        match self.store().write(move |tx| rows::update(tx, &key, &saved)).await.map_err(name_taken)? {
            true => {
                self.tell_lists(user);
                Ok(prompt)
            }
            false => Err(Error::NotFound("prompt")),
        }
    }

    pub async fn delete_saved_prompt(&self, user: UserId, id: SavedPromptId) -> Result<()> {
        if !self.store().write(move |tx| rows::delete(tx, user, id)).await? {
            return Err(Error::NotFound("prompt"));
        }
        self.tell_lists(user);
        Ok(())
    }

    /// Sends the prompt that this line names, with what is typed behind the name in its places; `None` when the person has no
    /// such prompt.
    pub(crate) async fn send_saved_prompt(
        &self,
        actor: &Actor,
        session: Option<SessionId>,
        line: &str,
        along: SentAlong,
        idempotency_key: Option<String>,
    ) -> Result<Option<CommandAnswer>> {
        let (name, rest) = commands::name_and_rest(line);
        let (user_id, key) = (actor.user_id, self.store().data_key(actor.user_id).await?);
        if !is_name(&name) {
            return Ok(None);
        }
        let found = self.store().read(move |tx| rows::by_name(tx, &key, user_id, &name)).await?;
        let Some(prompt) = found else { return Ok(None) };
        actor.check(Need::Talk)?;
        let session_id = session.ok_or_else(|| {
            Error::invalid(
                "no_session",
                "A prompt is sent in a conversation, and there is none yet. Send a message first.",
            )
        })?;
        let message = NewMessage {
            user_id,
            session_id,
            content: filled(&prompt.text, rest)?,
            attachments: along.attachments,
            // Its person has kept the prompt: what they type behind its name is what may be another's.
            typed: rest.chars().count() <= TYPED_CHARS,
            sender: None,
            mode: InputMode::Queue,
            answers: None,
            source: actor.source,
            model: along.model,
            idempotency_key,
        };
        let accepted = self.accept(message).await?;
        let mut answer = CommandAnswer::new("The prompt was sent.", json!({ "turn_id": accepted.turn_id }));
        answer.command = "prompt";
        Ok(Some(answer.following(session_id, accepted.turn_id, accepted.after)))
    }
}

/// The words behind the name in the places of the prompt: one for each, and the last takes the rest. Without a place they
/// follow the prompt.
fn filled(text: &SavedPromptText, rest: &str) -> Result<String> {
    let (places, rest) = (text.placeholders(), rest.trim());
    let Some((last, first)) = places.split_last() else {
        return Ok(if rest.is_empty() {
            text.content.clone()
        } else {
            format!("{}\n\n{rest}", text.content)
        });
    };
    let missing = || {
        let usage: Vec<String> = places.iter().map(|place| place.to_uppercase()).collect();
        let detail =
            format!("/{0} needs more words. Write it like this: /{0} {1}", text.name, usage.join(" "));
        Error::invalid("bad_command", detail)
    };
    let mut words = Words::new(rest);
    let mut values = Vec::new();
    for place in first {
        let word = words.next().map_err(|problem| Error::invalid("bad_command", problem))?;
        values.push((*place, word.ok_or_else(missing)?));
    }
    // What fills the only place stands there as it was typed.
    let behind = match first {
        [] => rest.to_owned(),
        _ => words.remainder().map_err(|problem| Error::invalid("bad_command", problem))?,
    };
    if behind.is_empty() {
        return Err(missing());
    }
    values.push((*last, behind));
    let values: Vec<(&str, &str)> = values.iter().map(|(place, value)| (*place, value.as_str())).collect();
    Ok(text.filled(&values))
}

/// Why a prompt was not stored.
#[derive(Debug, thiserror::Error)]
enum PromptRefusal {
    #[error("this person has too many prompts")]
    TooMany,
    #[error(transparent)]
    Store(#[from] store::Error),
}

fn is_name(name: &str) -> bool {
    name.len() <= NAME_CHARS
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

fn check(text: &SavedPromptText) -> Result<()> {
    let SavedPromptText { name, content, description } = text;
    if !is_name(name) {
        let detail = format!(
            "name must be 1 to {NAME_CHARS} small letters, digits and underscores, and begin with a letter."
        );
        return Err(Error::invalid("bad_name", detail));
    }
    let is_command = commands::named(name).is_some()
        || commands::ALIASES.iter().any(|(alias, _)| alias == name)
        || OF_CLIENTS.contains(&name.as_str());
    if is_command {
        return Err(Error::conflict(
            "name_taken",
            format!("/{name} is a command already. Choose another name."),
        ));
    }
    let controls = |character: char| character.is_control() && !matches!(character, '\n' | '\r' | '\t');
    if content.trim().is_empty() || content.chars().count() > CONTENT_CHARS || content.chars().any(controls) {
        let detail = format!(
            "content must have 1 to {CONTENT_CHARS} characters, without control characters besides line breaks."
        );
        return Err(Error::invalid("bad_prompt", detail));
    }
    if !description.is_empty() && !domain::is_name(description, DESCRIPTION_CHARS) {
        let detail = format!("description must be one line of at most {DESCRIPTION_CHARS} characters.");
        return Err(Error::invalid("bad_prompt", detail));
    }
    Ok(())
}

fn name_taken(error: store::Error) -> Error {
    match error {
        store::Error::Conflict(what @ Conflict::PromptName) => {
            Error::conflict("name_taken", what.to_string())
        }
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(content: &str) -> SavedPromptText {
        SavedPromptText { name: "x".to_owned(), content: content.to_owned(), ..SavedPromptText::default() }
    }

    #[test]
    fn the_last_place_takes_the_rest() {
        let text = prompt("To {{who}}: {{what}}");
        assert_eq!(filled(&text, "\"Aunt Ada\" come to dinner").unwrap(), "To Aunt Ada: come to dinner");
        assert_eq!(filled(&prompt("Say {{text}}!"), "it's \"fine\"").unwrap(), "Say it's \"fine\"!");
        assert!(filled(&text, "Ada").is_err());
        assert!(filled(&text, "").is_err());
    }

    #[test]
    fn without_a_place_the_words_follow() {
        assert_eq!(filled(&prompt("Be brief."), "").unwrap(), "Be brief.");
        assert_eq!(filled(&prompt("Be brief."), "Why?").unwrap(), "Be brief.\n\nWhy?");
    }
}
