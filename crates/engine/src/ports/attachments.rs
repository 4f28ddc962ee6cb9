//! The texts of the files that came with the messages of a session, and of those of its folder, for a call.

use crate::{
    claim::turn_context::TurnContext,
    engine::Engine,
    files::{folder_files, texts_for_model},
    ports::secrets::BESIDE,
};
use async_trait::async_trait;
use capability::{SentFile, ToolError, attachments::Attachments};
use domain::{FolderId, Label, SessionId, UploadId, UserId};
use prompt::provenance_label::SeenLabel;
use store::{DataKey, Tx, uploads};

/// Files of one session that are looked at.
const MOST_FILES: u32 = 200;

/// Whose files: none of it comes from what a model wrote.
pub(crate) struct CallAttachments {
    engine: Engine,
    key: DataKey,
    user: UserId,
    session: SessionId,
    /// The folder of the conversation, where it has files that this turn may read.
    folder: Option<FolderId>,
    /// Whatever the call reads is in what it gives back.
    seen: SeenLabel,
}

impl CallAttachments {
    pub(crate) fn new(turn: &TurnContext, seen: SeenLabel) -> Self {
        Self {
            engine: turn.engine.clone(),
            key: turn.key.clone(),
            user: turn.session.user_id,
            session: turn.session.id,
            folder: turn.folder_with_files(),
            seen,
        }
    }

    /// Those that are no pictures, with the label that each came with.
    async fn files(&self) -> Result<Vec<(SentFile, Label)>, ToolError> {
        let (key, user, session, folder) = (self.key.clone(), self.user, self.session, self.folder);
        let read = move |tx: &mut Tx| {
            let mut files = uploads::of_session(tx, &key, session, MOST_FILES)?;
            if let Some(folder) = folder {
                files.extend(uploads::of_folder(tx, &key, user, folder, folder_files::MOST)?);
            }
            Ok(files)
        };
        let found = self.engine.store().read(read).await.map_err(broken)?;
        Ok(found
            .into_iter()
            .filter(|(stored, _)| !stored.upload.is_image())
            .map(|(stored, label)| {
                let (id, name) = (stored.upload.id, stored.upload.name);
                (
                    SentFile { id, name, text: stored.upload.text.unwrap_or_default(), parts: Vec::new() },
                    label,
                )
            })
            .collect())
    }
}

fn broken(error: store::Error) -> ToolError {
    ToolError::Internal(error.to_string())
}

#[async_trait]
impl Attachments for CallAttachments {
    async fn names(&self) -> Result<Vec<String>, ToolError> {
        let files = self.files().await?;
        // A name is the word of the one who sent the file.
        files.iter().for_each(|(_, label)| self.seen.add(*label));
        Ok(files.into_iter().map(|(file, _)| file.name).collect())
    }

    async fn find(&self, name: &str) -> Result<Option<SentFile>, ToolError> {
        let files = self.files().await?;
        let id = name.parse::<UploadId>().ok();
        let named = |file: &SentFile| file.name == name || Some(file.id) == id;
        let Some((file, label)) = files.into_iter().find(|(file, _)| named(file)) else { return Ok(None) };
        self.seen.add(label);
        let (key, id) = (self.key.clone(), file.id);
        let read = move |tx: &mut Tx| texts_for_model::outline(tx, &key, id);
        let outline = self.engine.store().read(read).await.map_err(broken)?;
        let parts = outline.parts.into_iter().map(|part| (part.title, part.from)).collect();
        Ok(Some(SentFile { parts, ..file }))
    }

    async fn excerpt(&self, id: UploadId, from: u64, chars: u64) -> Result<String, ToolError> {
        // With what is around it: a secret that the cut goes through is seen, and nothing is left of it.
        let beside = BESIDE as u64;
        let before = from.min(beside);
        let wanted = chars.saturating_add(before).saturating_add(beside);
        let key = self.key.clone();
        let read = move |tx: &mut Tx| texts_for_model::excerpt(tx, &key, id, from - before, wanted);
        let text = self.engine.store().read(read).await.map_err(broken)?;
        let masked = self.engine.secrets_masked();
        let most = usize::try_from(chars).unwrap_or(usize::MAX);
        let before = usize::try_from(before).unwrap_or(usize::MAX);
        let cut = move || masked(text).chars().skip(before).take(most).collect();
        tokio::task::spawn_blocking(cut).await.map_err(|error| ToolError::Internal(error.to_string()))
    }
}
