//! Files that people hand in: taken piece by piece, given back the same way.

use crate::{
    engine::Engine,
    error::{Error, Result},
    files::{extract_text::FileText, file_type::Sniffer, picture_size::Ruler},
    idempotency_key,
};
use domain::{Timestamp, Upload, UploadId, UserId, is_misleading};
use sha2::{Digest as _, Sha256};
use store::{
    DataKey, Tx,
    idempotency::{self, KeyUse, Keyed},
    uploads::{self as rows, NewUpload, StoredUpload},
};

/// A file is stored in rows of this size.
const PIECE: usize = 256 << 10;
const NAME_CHARS: usize = 200;
/// How wide and high a picture may be: no large vendor takes more.
const IMAGE_SIDE: u32 = 8_000;
/// A file that no message uses is kept this long for a message that will.
const KEEP_MS: i64 = 24 * 3_600 * 1_000;
/// Between the last moment a file can be used and its end, so that no message can meet that end.
const GRACE_MS: i64 = 3_600 * 1_000;
const PRUNED_AT_ONCE: u32 = 50;

/// Older uploads that are used nowhere are as good as dropped.
pub(crate) fn fresh_since(now: Timestamp) -> Timestamp {
    now.plus_millis(-KEEP_MS)
}

/// A file that is about to arrive.
#[derive(Clone, Debug, Default)]
pub struct NewFile {
    /// As its sender calls it; a path is cut to its last part.
    pub name: String,
    /// What its sender says it is.
    pub mime_type: Option<String>,
}

/// A file that is arriving. Dropped before [`finish`](Self::finish), it leaves nothing.
pub struct Receiving {
    engine: Engine,
    key: DataKey,
    user: UserId,
    id: UploadId,
    file: NewFile,
    sniffer: Sniffer,
    ruler: Ruler,
    idempotency_key: Option<String>,
    /// Of everything that came; only kept where the client may ask whether the same came twice.
    digest: Sha256,
    buffer: Vec<u8>,
    size: u64,
    pieces: u64,
    finished: bool,
}

impl Engine {
    /// Prepares for a file.
    pub async fn receive(&self, user: UserId, file: NewFile) -> Result<Receiving> {
        self.check_open()?;
        let key = self.store().data_key(user).await?;
        let new = NewUpload { id: UploadId::from_uuid(self.inner.ids.uuid()), user_id: user, at: self.now() };
        let (id, quota) = (new.id, self.inner.settings.files.upload_quota);
        let begin = move |tx: &mut Tx| {
            rows::begin(tx, &new)?;
            within(rows::held(tx, user)?, quota)
        };
        self.store().attempt(begin).await?;
        Ok(Receiving {
            engine: self.clone(),
            key,
            user,
            id,
            file: NewFile { name: clean_name(&file.name), ..file },
            sniffer: Sniffer::default(),
            ruler: Ruler::default(),
            idempotency_key: None,
            digest: Sha256::new(),
            buffer: Vec::new(),
            size: 0,
            pieces: 0,
            finished: false,
        })
    }

    /// The largest file that is taken, in bytes.
    pub fn upload_limit(&self) -> u64 {
        self.inner.settings.files.upload_bytes
    }

    /// A file and the way to its bytes.
    pub async fn upload(&self, user: UserId, id: UploadId) -> Result<Download> {
        let key = self.store().data_key(user).await?;
        let reading = key.clone();
        let read = move |tx: &mut Tx| rows::get(tx, &reading, user, id);
        let stored = self.store().read(read).await?.ok_or(Error::NotFound("upload"))?;
        Ok(Download { engine: self.clone(), key, stored, next: 0 })
    }

    /// Drops what no session shows.
    pub(crate) async fn prune_uploads(&self) -> Result<()> {
        let before = self.now().plus_millis(-(KEEP_MS + GRACE_MS));
        let prune = move |tx: &mut Tx| rows::prune(tx, before, PRUNED_AT_ONCE);
        while self.store().write(prune).await? >= u64::from(PRUNED_AT_ONCE) {}
        Ok(())
    }
}

fn check_size(ruler: &Ruler, mime_type: &str) -> Result<()> {
    if !mime_type.starts_with("image/") {
        return Ok(());
    }
    match ruler.size(mime_type) {
        Some((width, height)) if width.max(height) > IMAGE_SIDE => {
            let detail = format!(
                "This picture is too large ({width} by {height} pixels). The limit is {IMAGE_SIDE} by {IMAGE_SIDE} pixels."
            );
            Err(Error::TooLarge(detail))
        }
        Some(_) => Ok(()),
        None => {
            let detail = "This picture is damaged: its width and height cannot be read. Save it again and send the new file.";
            Err(Error::UnsupportedMedia { code: "bad_picture", detail: detail.to_owned() })
        }
    }
}

impl Receiving {
    /// A second file with the same key is the first one, if it is the same file.
    pub fn keyed(mut self, key: Option<String>) -> Result<Self> {
        idempotency_key::check_key(key.as_deref())?;
        self.idempotency_key = key;
        Ok(self)
    }

    /// Takes the next bytes.
    pub async fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.size = self.size.saturating_add(bytes.len() as u64);
        // THREAT[content-02]: a file without an end is cut off where the limit is, not where the disk ends.
        if self.size > self.engine.upload_limit() {
            let limit = self.engine.upload_limit();
            return Err(Error::TooLarge(format!(
                "This file is too large. The limit is {}.",
                domain::size_words(limit)
            )));
        }
        self.sniffer.push(bytes);
        self.ruler.push(bytes);
        if self.idempotency_key.is_some() {
            self.digest.update(bytes);
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let room = PIECE.saturating_sub(self.buffer.len()).min(rest.len());
            let (now, later) = rest.split_at(room);
            self.buffer.extend_from_slice(now);
            rest = later;
            if self.buffer.len() >= PIECE {
                self.flush().await?;
            }
        }
        Ok(())
    }

    async fn flush(&mut self) -> Result<()> {
        let data = std::mem::take(&mut self.buffer);
        let (key, user, id, position) = (self.key.clone(), self.user, self.id, self.pieces);
        let quota = self.engine.inner.settings.files.upload_quota;
        let append = move |tx: &mut Tx| within(rows::append(tx, &key, user, id, position, &data)?, quota);
        self.engine.store().attempt(append).await?;
        self.pieces += 1;
        Ok(())
    }

    /// The file is whole: says what it is and makes it visible.
    pub async fn finish(mut self) -> Result<Upload> {
        if !self.buffer.is_empty() {
            self.flush().await?;
        }
        let (mime_type, read) = self.understood().await?;
        check_size(&self.ruler, &mime_type)?;
        let name = std::mem::take(&mut self.file.name);
        let (text, texts) = read.map_or((None, Vec::new()), |read| (Some(read.told), read.pieces));
        let upload = Upload { id: self.id, name, mime_type, size: self.size, text };
        let (key, user, pieces, now) = (self.key.clone(), self.user, self.pieces, self.engine.now());
        let (saved, keyed, engine) = (upload.clone(), self.keyed_for(&upload, now), self.engine.clone());
        fail::fail_point!("upload_before_commit");
        let complete = move |tx: &mut Tx| {
            if let Some(keyed) = &keyed {
                match idempotency::note(tx, engine.store().vault(), keyed)? {
                    KeyUse::First => {}
                    repeat => return Ok(repeat),
                }
            }
            rows::complete(tx, &key, user, &saved, pieces, now)?;
            rows::keep_text(tx, &key, saved.id, &texts)?;
            Ok(KeyUse::First)
        };
        let noted = self.engine.store().write(complete).await.map_err(UploadRefusal::from)?;
        fail::fail_point!("upload_after_commit");
        match idempotency_key::made::<UploadId>(noted)? {
            // What came this time is dropped with this value.
            Some(made) => Ok(self.engine.upload(user, made).await?.upload().clone()),
            None => {
                self.finished = true;
                Ok(upload)
            }
        }
    }

    /// What the file is, and its text where it is no picture.
    async fn understood(&self) -> Result<(String, Option<FileText>)> {
        let declared = self.file.mime_type.as_deref();
        if self.sniffer.is_picture() {
            return Ok((self.sniffer.decide(declared)?, None));
        }
        let (key, id, pieces) = (self.key.clone(), self.id, self.pieces);
        let read = move |tx: &mut Tx| {
            let mut whole = Vec::new();
            for position in 0..pieces {
                whole.extend(rows::piece(tx, &key, id, position)?);
            }
            Ok(whole)
        };
        let bytes = self.engine.store().read(read).await?;
        let text = self.engine.read_text(bytes, &self.file.name).await?;
        Ok((self.sniffer.decide_read(declared, text.kind)?, Some(text)))
    }

    fn keyed_for(&self, upload: &Upload, at: Timestamp) -> Option<Keyed> {
        let key = self.idempotency_key.clone()?;
        let digest = self.digest.clone().finalize();
        let body =
            [upload.name.as_bytes(), b"\0", upload.mime_type.as_bytes(), b"\0", digest.as_slice()].concat();
        let (resource, made) = ("upload".to_owned(), upload.id.to_string());
        Some(Keyed { user_id: self.user, resource, key, body, made, at })
    }
}

impl Drop for Receiving {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        // Outside a runtime no task can do it now; it is dropped with the unused files.
        if tokio::runtime::Handle::try_current().is_err() {
            return;
        }
        let (store, user, id) = (self.engine.store().clone(), self.user, self.id);
        self.engine.spawn("half an upload", async move {
            let abandon = move |tx: &mut Tx| rows::abandon(tx, user, id);
            if let Err(error) = store.write(abandon).await {
                tracing::warn!(%error, "half an upload could not be dropped; it goes with the unused ones");
            }
        });
    }
}

/// A file on its way out.
pub struct Download {
    engine: Engine,
    key: DataKey,
    stored: StoredUpload,
    next: u64,
}

impl Download {
    pub fn upload(&self) -> &Upload {
        &self.stored.upload
    }

    /// The next bytes; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        if self.next >= self.stored.pieces {
            return Ok(None);
        }
        let (key, id, position) = (self.key.clone(), self.stored.upload.id, self.next);
        let read = move |tx: &mut Tx| rows::piece(tx, &key, id, position);
        let piece = self.engine.store().read(read).await?;
        self.next += 1;
        Ok(Some(piece))
    }
}

/// Why a piece of a file was not stored.
#[derive(Debug, thiserror::Error)]
enum UploadRefusal {
    #[error("the files of this person have no more room")]
    QuotaReached,
    #[error(transparent)]
    Store(#[from] store::Error),
}

fn within(held: u64, quota: u64) -> Result<(), UploadRefusal> {
    if held <= quota { Ok(()) } else { Err(UploadRefusal::QuotaReached) }
}

impl From<UploadRefusal> for Error {
    fn from(refusal: UploadRefusal) -> Self {
        match refusal {
            UploadRefusal::QuotaReached => Self::conflict(
                "upload_quota",
                "There is no space left for your files. Delete conversations with files in them, or ask the owner for more space.",
            ),
            UploadRefusal::Store(store::Error::NotFound) => Self::NotFound("upload"),
            UploadRefusal::Store(error) => Self::Store(error),
        }
    }
}

/// THREAT[content-03]: a name is shown and may be saved under; nothing of it may lead to another folder or look like
/// something else.
fn clean_name(name: &str) -> String {
    let base = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let shown: String = base.chars().filter(|c| !is_misleading(*c)).take(NAME_CHARS).collect();
    match shown.trim().trim_start_matches('.').trim() {
        "" => "file".to_owned(),
        clean => clean.to_owned(),
    }
}

#[cfg(test)]
#[path = "uploads_tests.rs"]
mod tests;
