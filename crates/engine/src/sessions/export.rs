//! A whole conversation as a file, made piece by piece: Markdown for people, JSON for programs.

use crate::{
    engine::Engine,
    error::{Error, Result},
    sessions::export_words::ExportWords,
};
use domain::{FolderFile, Message, Part, Role, Session, SessionId, UploadId, UserId};
use schemars::JsonSchema;
use serde::Serialize;
use std::{collections::HashMap, fmt::Write as _};
use store::{messages::MessagePage, uploads};

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
    /// The files of the folder that the conversation is in; the agent was told their beginnings.
    pub folder_files: Vec<FolderFile>,
    /// `false`: what attached files and those of the folder say is not in here, only their names and ids.
    pub has_files: bool,
    /// The oldest first.
    pub messages: Vec<Message>,
}

/// A conversation on its way into a file.
pub struct Export {
    engine: Engine,
    user: UserId,
    session: Session,
    format: Format,
    words: ExportWords,
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
        let words = ExportWords::of(&self.people().user(user).await?);
        let (engine, place) = (self.clone(), ExportPlace::Begin);
        Ok(Export { engine, user, session, format, words, place, held: None })
    }
}

impl Export {
    pub fn file_name(&self) -> String {
        let end = if self.format == Format::Markdown { "md" } else { "json" };
        let name = self.session.name.as_deref().unwrap_or(self.words.conversation());
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
                Ok(Some(self.head(&self.folder_files().await?)?))
            }
            ExportPlace::End => Ok(None),
            ExportPlace::After { seq, first } => {
                let page = MessagePage { before_seq: None, after_seq: Some(seq), limit: PIECE };
                let page = self.engine.messages(self.user, self.session.id, page).await?;
                let next = page.next_cursor.as_deref().and_then(|cursor| cursor.parse().ok());
                let (mut text, mut first) = (String::new(), first);
                let pictures = self.pictures(&page.items).await?;
                for message in &page.items {
                    self.write(&mut text, message, &pictures, &mut first)?;
                }
                match next {
                    Some(seq) => self.place = ExportPlace::After { seq, first },
                    None => {
                        self.place = ExportPlace::End;
                        if let Some(held) = self.held.take() {
                            self.paragraph(&mut text, &held, &pictures);
                        }
                        text.push_str(if self.format == Format::Json { "\n]}\n" } else { "" });
                    }
                }
                Ok(Some(text))
            }
        }
    }

    /// Its folder may be gone by now, and its files with it.
    async fn folder_files(&self) -> Result<Vec<FolderFile>> {
        let Some(folder) = self.session.keeping.folder_id else { return Ok(Vec::new()) };
        match self.engine.folder_files(self.user, folder).await {
            Err(Error::NotFound(_)) => Ok(Vec::new()),
            found => found,
        }
    }

    fn head(&self, files: &[FolderFile]) -> Result<String> {
        match self.format {
            Format::Markdown => {
                let name = self.session.name.as_deref().unwrap_or(self.words.conversation());
                let mut head = format!("# {name}\n\n{}\n", self.words.moment(self.session.created_at));
                let names: Vec<&str> = files.iter().map(|file| file.upload.name.as_str()).collect();
                if let Some(line) = self.words.folder_files(&names) {
                    let _ = write!(head, "\n{line}\n");
                }
                Ok(head)
            }
            Format::Json => {
                let session = serde_json::to_string(&self.session).map_err(|_| Error::Internal)?;
                let files = serde_json::to_string(files).map_err(|_| Error::Internal)?;
                Ok(format!(
                    "{{\"session\":{session},\n\"folder_files\":{files},\n\"has_files\":false,\n\"messages\":[\n"
                ))
            }
        }
    }

    /// The names of the pictures in these messages: a message knows only which they are.
    async fn pictures(&self, messages: &[Message]) -> Result<HashMap<UploadId, String>> {
        let parts = messages.iter().flat_map(|message| &message.parts);
        let ids: Vec<UploadId> = parts
            .filter_map(|part| match part {
                Part::Image { upload_id } => Some(*upload_id),
                _ => None,
            })
            .collect();
        if ids.is_empty() || self.format == Format::Json {
            return Ok(HashMap::new());
        }
        let (key, user) = (self.engine.store().data_key(self.user).await?, self.user);
        let found = self.engine.store().read(move |tx| uploads::find(tx, &key, user, &ids)).await?;
        Ok(found.into_iter().map(|stored| (stored.upload.id, stored.upload.name)).collect())
    }

    fn write(
        &mut self,
        text: &mut String,
        message: &Message,
        pictures: &HashMap<UploadId, String>,
        first: &mut bool,
    ) -> Result<()> {
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
                    self.paragraph(text, &held, pictures);
                }
                match message.is_told() {
                    true => self.held = Some(message.clone()),
                    false => self.paragraph(text, message, pictures),
                }
            }
        }
        Ok(())
    }

    fn paragraph(&self, text: &mut String, message: &Message, pictures: &HashMap<UploadId, String>) {
        let who = match message.role {
            Role::User => message.author().unwrap_or_else(|| self.words.you().to_owned()),
            _ => self.words.agent().to_owned(),
        };
        let names = message.parts.iter().filter_map(|part| match part {
            Part::Image { upload_id } => pictures.get(upload_id).cloned(),
            Part::File { file } => Some(file.name.clone()),
            _ => None,
        });
        let attached = self.words.attached(&names.collect::<Vec<_>>());
        let said = Some(message.content.trim_end().to_owned()).filter(|said| !said.trim().is_empty());
        let said: Vec<String> = said.into_iter().chain(attached).collect();
        if !said.is_empty() {
            let at = self.words.moment(message.created_at);
            let _ = write!(text, "\n## {who} · {at}\n\n{}\n", said.join("\n\n"));
        }
    }
}
