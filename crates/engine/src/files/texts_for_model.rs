//! How much of the files of a message an agent is told, and the words themselves.

use crate::{engine::Engine, files::extract_text::TextOutline};
use domain::{AttachedFile, Message, MessageAttachment, ReadText, Upload, UploadId, UserId};
use provider::Model;
use std::collections::HashMap;
use store::{DataKey, Tx, uploads};

/// A prompt shows the texts of this many files, the newest ones.
const FILES: usize = 30;
/// One token has about so many bytes, in any script.
const BYTES_PER_TOKEN: u64 = 4;
/// Texts of files take at most this part of a model's window.
const WINDOW_SHARE: u64 = 3;

impl Engine {
    /// What the files of one message may have together, in bytes.
    pub(crate) fn text_room(&self, model: Option<&Model>) -> u64 {
        let most = self.inner.settings.files.attached_tokens;
        let window = model.map_or(u64::MAX, |model| model.window() / WINDOW_SHARE);
        most.min(window).saturating_mul(BYTES_PER_TOKEN)
    }

    /// The texts of the files of a conversation, as far as their messages show them. The newest ones come first, where there
    /// is no room for all.
    pub(crate) async fn texts(
        &self,
        user: UserId,
        key: &DataKey,
        model: &Model,
        messages: &[Message],
    ) -> store::Result<HashMap<UploadId, String>> {
        let mut wanted: Vec<(UploadId, u64)> = Vec::new();
        for file in messages.iter().rev().flat_map(Message::files) {
            let known = wanted.iter().any(|(id, _)| *id == file.upload_id);
            if !known && file.read_chars > 0 && wanted.len() < FILES {
                wanted.push((file.upload_id, file.read_chars));
            }
        }
        if wanted.is_empty() {
            return Ok(HashMap::new());
        }
        let (key, room) = (key.clone(), self.text_room(Some(model)).saturating_mul(2));
        self.store().read(move |tx| read(tx, &key, user, &wanted, room)).await
    }
}

fn read(
    tx: &mut Tx,
    key: &DataKey,
    user: UserId,
    wanted: &[(UploadId, u64)],
    mut room: u64,
) -> store::Result<HashMap<UploadId, String>> {
    let mut texts = HashMap::new();
    let ids: Vec<UploadId> = wanted.iter().map(|(id, _)| *id).collect();
    let found = uploads::find(tx, key, user, &ids)?;
    for (id, chars) in wanted {
        if !found.iter().any(|stored| stored.upload.id == *id) {
            continue;
        }
        let text = beginning(tx, key, *id, *chars)?;
        let Some(left) = room.checked_sub(text.len() as u64) else { break };
        room = left;
        texts.insert(*id, text);
    }
    Ok(texts)
}

/// The first characters of a text.
fn beginning(tx: &mut Tx, key: &DataKey, id: UploadId, chars: u64) -> store::Result<String> {
    excerpt(tx, key, id, 0, chars)
}

/// Characters of a text from one of them on.
pub(crate) fn excerpt(
    tx: &mut Tx,
    key: &DataKey,
    id: UploadId,
    from: u64,
    chars: u64,
) -> store::Result<String> {
    let mut bytes = Vec::new();
    let (from, chars) =
        (usize::try_from(from).unwrap_or(usize::MAX), usize::try_from(chars).unwrap_or(usize::MAX));
    let end = from.saturating_add(chars);
    let (mut position, mut seen) = (1, 0_usize);
    while let Some(piece) = uploads::text_piece(tx, key, id, position)? {
        // A character that was cut in two counts where it begins.
        seen += piece.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        bytes.extend(piece);
        position += 1;
        if seen > end {
            break;
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.chars().skip(from).take(chars).collect())
}

pub(crate) fn outline(tx: &mut Tx, key: &DataKey, id: UploadId) -> store::Result<TextOutline> {
    let piece = uploads::text_piece(tx, key, id, 0)?;
    Ok(piece.and_then(|piece| serde_json::from_slice(&piece).ok()).unwrap_or_default())
}

/// Shares the room among the files of a message: what one does not need, the others have. The beginning of each comes first.
pub(crate) fn share(files: &[(Upload, TextOutline)], room: u64) -> Vec<MessageAttachment> {
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by_key(|index| files.get(*index).map_or(0, |(_, outline)| outline.bytes));
    let mut shares = vec![0_u64; files.len()];
    let (mut left, mut open) = (room, order.len() as u64);
    for index in order {
        let Some((_, outline)) = files.get(index) else { continue };
        let bytes = outline.bytes.min(left / open.max(1));
        (left, open) = (left - bytes, open - 1);
        if let Some(share) = shares.get_mut(index) {
            *share = bytes;
        }
    }
    files.iter().zip(shares).map(|((upload, outline), share)| attached(upload, outline, share)).collect()
}

fn attached(upload: &Upload, outline: &TextOutline, share: u64) -> MessageAttachment {
    if upload.is_image() {
        return MessageAttachment::Picture(upload.id);
    }
    let read_chars = match share {
        whole if whole >= outline.bytes => outline.chars,
        part => part.saturating_mul(outline.chars) / outline.bytes.max(1),
    };
    let ReadText { kind, noun, part, parts, chars, cut, problem } =
        upload.text.clone().unwrap_or_else(|| ReadText {
            noun: "file".to_owned(),
            problem: Some(
                "This file was attached before the server could read files. Attach it again.".to_owned(),
            ),
            ..ReadText::default()
        });
    MessageAttachment::File(Box::new(AttachedFile {
        upload_id: upload.id,
        name: upload.name.clone(),
        kind,
        noun,
        part,
        parts,
        chars,
        read_parts: outline.parts_before(read_chars),
        read_chars,
        read_tokens: share / BYTES_PER_TOKEN,
        cut,
        problem,
    }))
}

#[cfg(test)]
#[path = "texts_for_model_tests.rs"]
mod tests;
