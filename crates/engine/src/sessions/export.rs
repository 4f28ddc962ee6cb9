//! A whole conversation as a file, made piece by piece: Markdown for people, JSON for programs.

use crate::{
    engine::Engine,
    error::{Error, Result},
};
use domain::{Message, Role, Session, SessionId, UserId};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;
use store::messages::MessagePage;

/// Messages that are read at once; a piece ends at bytes before that.
const PIECE: u32 = 100;
const NAME_CHARS: usize = 80;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Markdown,
    Json,
}

/// What a file of JSON holds.
#[derive(Serialize, JsonSchema)]
pub struct ExportedConversation {
    pub session: Session,
    /// The oldest first.
    pub messages: Vec<Message>,
}

/// A conversation on its way into a file.
pub struct Export {
    engine: Engine,
    user: UserId,
    session: Session,
    format: Format,
    /// Behind which event the next piece begins; none before the first, and the end when it is done.
    place: ExportPlace,
    /// An error that the last message told of: people read it only where the same turn did not go on.
    held: Option<Message>,
}

#[derive(Clone, Copy)]
enum ExportPlace {
    Begin,
    After { seq: u64, first: bool },
    End,
}

impl Engine {
    pub async fn export_session(&self, user: UserId, id: SessionId, format: Option<&str>) -> Result<Export> {
        let format = match format {
            None | Some("markdown") => Format::Markdown,
            Some("json") => Format::Json,
            Some(_) => return Err(Error::invalid("bad_query", "format must be markdown or json.")),
        };
        let session = self.session(user, id).await?;
        Ok(Export { engine: self.clone(), user, session, format, place: ExportPlace::Begin, held: None })
    }
}

impl Export {
    pub fn file_name(&self) -> String {
        let end = if self.format == Format::Markdown { "md" } else { "json" };
        let name = self.session.name.as_deref().unwrap_or("conversation");
        let name: String = name
            .chars()
            .map(
                |character| {
                    if character.is_alphanumeric() || " -_".contains(character) { character } else { '_' }
                },
            )
            .take(NAME_CHARS)
            .collect();
        format!("{}.{end}", name.trim())
    }

    pub fn mime_type(&self) -> &'static str {
        if self.format == Format::Markdown { "text/markdown" } else { "application/json" }
    }

    /// The next piece of the file; none at its end. Access is asked for again with every piece.
    pub async fn next(&mut self) -> Result<Option<String>> {
        match self.place {
            ExportPlace::Begin => {
                self.place = ExportPlace::After { seq: 0, first: true };
                Ok(Some(self.head()?))
            }
            ExportPlace::End => Ok(None),
            ExportPlace::After { seq, first } => {
                let page = MessagePage { before_seq: None, after_seq: Some(seq), limit: PIECE };
                let page = self.engine.messages(self.user, self.session.id, page).await?;
                let next = page.next_cursor.as_deref().and_then(|cursor| cursor.parse().ok());
                let (mut text, mut first) = (String::new(), first);
                for message in &page.items {
                    self.write(&mut text, message, &mut first)?;
                }
                match next {
                    Some(seq) => self.place = ExportPlace::After { seq, first },
                    None => {
                        self.place = ExportPlace::End;
                        self.held.take().iter().for_each(|held| paragraph(&mut text, held));
                        text.push_str(if self.format == Format::Json { "\n]}\n" } else { "" });
                    }
                }
                Ok(Some(text))
            }
        }
    }

    fn head(&self) -> Result<String> {
        match self.format {
            Format::Markdown => Ok(format!(
                "# {}\n\n{}\n",
                self.session.name.as_deref().unwrap_or("Conversation"),
                self.session.created_at
            )),
            Format::Json => {
                let session = serde_json::to_string(&self.session).map_err(|_| Error::Internal)?;
                Ok(format!("{{\"session\":{session},\n\"messages\":[\n"))
            }
        }
    }

    fn write(&mut self, text: &mut String, message: &Message, first: &mut bool) -> Result<()> {
        match self.format {
            Format::Json => {
                text.push_str(if *first { "" } else { ",\n" });
                text.push_str(&serde_json::to_string(message).map_err(|_| Error::Internal)?);
                *first = false;
            }
            // What tools gave back is in the other format.
            Format::Markdown if matches!(message.role, Role::Tool | Role::System) => {}
            Format::Markdown => {
                let goes_on =
                    |held: &Message| message.role == Role::Assistant && message.turn_id == held.turn_id;
                if let Some(held) = self.held.take().filter(|held| !goes_on(held)) {
                    paragraph(text, &held);
                }
                match message.is_told() {
                    true => self.held = Some(message.clone()),
                    false => paragraph(text, message),
                }
            }
        }
        Ok(())
    }
}

fn paragraph(text: &mut String, message: &Message) {
    let who = match (message.role, &message.sender) {
        (Role::User, Some(sender)) => sender.name.as_deref().unwrap_or(&sender.source),
        (Role::User, None) => "You",
        _ => "Agent",
    };
    let said = message.content.trim_end();
    if !said.trim().is_empty() {
        let _ = write!(text, "\n## {who} · {}\n\n{said}\n", message.created_at);
    }
}
