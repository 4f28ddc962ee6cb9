//! What may go along with a message, and how much of it its agent is told.

use crate::{
    engine::Engine,
    error::{Error, Result},
    files::{extract_text::TextOutline, texts_for_model},
};
use domain::{Agent, MessageAttachment, Upload, UploadId, UserId};
use std::collections::HashSet;
use store::{
    DataKey, Tx,
    uploads::{self as rows, StoredUpload},
};

/// Pictures and files in one message.
const ATTACHMENTS: usize = 10;
/// What a picture may have to be sent to a model: 5 MiB in base64, which is the least that the large vendors take.
const IMAGE_BYTES: u64 = (5 << 20) / 4 * 3;

impl Engine {
    /// May these go along with a message to this agent? Says how much of each the agent is told.
    pub(crate) async fn check_attachments(
        &self,
        user: UserId,
        key: &DataKey,
        agent: &Agent,
        ids: &[UploadId],
    ) -> Result<Vec<MessageAttachment>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let distinct: HashSet<_> = ids.iter().collect();
        if ids.len() > ATTACHMENTS || distinct.len() < ids.len() {
            let detail = format!("A message can have at most {ATTACHMENTS} attachments, each only once.");
            return Err(Error::invalid("bad_attachments", detail));
        }
        let (key, wanted) = (key.clone(), ids.to_vec());
        let read = move |tx: &mut Tx| found(tx, &key, user, &wanted);
        let found = self.store().read(read).await?;
        if found.len() < ids.len() {
            return Err(Error::NotFound("upload"));
        }
        found.iter().try_for_each(|(upload, _)| check_image(upload))?;
        let pictures = found.iter().any(|(upload, _)| upload.is_image());
        let model = self.models().resolve(agent.model.as_deref());
        match &model {
            Ok(model) if pictures && !model.sees() => {
                let detail = format!(
                    "The model {} of this agent cannot see pictures. Choose a model that can, or send text only.",
                    model.id()
                );
                Err(Error::invalid("model_cannot_see", detail))
            }
            // A model that cannot be resolved fails the turn, which says why.
            model => Ok(texts_for_model::share(&found, self.text_room(model.as_ref().ok()))),
        }
    }
}

/// What was named, in that order, each with where its parts begin.
fn found(
    tx: &mut Tx,
    key: &DataKey,
    user: UserId,
    ids: &[UploadId],
) -> store::Result<Vec<(Upload, TextOutline)>> {
    let mut found = Vec::with_capacity(ids.len());
    let stored = rows::find(tx, key, user, ids)?;
    for id in ids {
        let Some(StoredUpload { upload, .. }) = stored.iter().find(|stored| stored.upload.id == *id) else {
            continue;
        };
        let outline = match upload.is_image() {
            true => TextOutline::default(),
            false => texts_for_model::outline(tx, key, *id)?,
        };
        found.push((upload.clone(), outline));
    }
    Ok(found)
}

fn check_image(upload: &Upload) -> Result<()> {
    if upload.is_image() && upload.size > IMAGE_BYTES {
        let detail = format!(
            "This picture is too large. The limit is {}. Make it smaller.",
            domain::size_words(IMAGE_BYTES)
        );
        return Err(Error::TooLarge(detail));
    }
    Ok(())
}
