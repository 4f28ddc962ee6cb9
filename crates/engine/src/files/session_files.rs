//! The files of a session, for the person whose session it is.

use crate::{
    engine::Engine,
    error::{Error, Result},
    files::{
        file_type::Sniffer,
        grep::{Grepper, is_binary},
        search_slots::SearchSlots,
    },
};
use capability::{FileError, FoundFile, Grep, Matches, WrittenFile};
use domain::{FileInfo, FilePath, FilePathError, FileRefusal, SessionId, UserId};
use prompt::{input_label, provenance_label::SeenLabel};
use std::{sync::Arc, time::Instant};
pub use store::session_files::Limits as FileLimits;
use store::{
    DataKey, Page, Paged, Tx,
    session_files::{self as rows, Change, Prepared},
    sessions,
};

/// Larger files are not searched.
const SEARCHED_FILE: u64 = 1 << 20;
/// No search looks at more than this.
const SEARCHED_BYTES: u64 = 16 << 20;

/// What a search for a call needs beside the pattern.
pub(crate) struct SearchForCall<'a> {
    /// Gets the labels of what is looked at.
    pub(crate) seen: &'a SeenLabel,
    /// Overwrites the secrets of a file before anything in it is searched or cut.
    pub(crate) masked: Arc<dyn Fn(String) -> String + Send + Sync>,
}

impl Engine {
    /// What is at a path; none when nothing is.
    pub async fn file_info(
        &self,
        user: UserId,
        session: SessionId,
        path: FilePath,
    ) -> Result<Option<FileInfo>> {
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| rows::stat(tx, &key, session, &path);
        self.store().read(read).await.map_err(no_session)
    }

    pub async fn file(&self, user: UserId, session: SessionId, path: FilePath) -> Result<FoundFile> {
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| rows::read(tx, &key, session, &path);
        let (info, content) = self.store().read(read).await.map_err(no_session)??;
        Ok(FoundFile { info, content })
    }

    /// What is in a folder, by name. The cursor is the path of the last one that was given.
    pub async fn files(
        &self,
        user: UserId,
        session: SessionId,
        folder: FilePath,
        page: Page,
    ) -> Result<Paged<FileInfo>> {
        let after: Option<FilePath> =
            page.cursor.as_deref().map(str::parse).transpose().map_err(|_| Error::bad_cursor())?;
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| rows::list(tx, &key, session, &folder);
        let all = self.store().read(read).await.map_err(no_session)??;
        let total = all.len() as u64;
        let mut rest = all.into_iter().filter(|info| after.as_ref().is_none_or(|after| info.path > *after));
        let items: Vec<FileInfo> =
            rest.by_ref().take(usize::try_from(page.limit).unwrap_or(usize::MAX)).collect();
        let more = rest.next().is_some();
        let next_cursor = items.last().filter(|_| more).map(|info| info.path.to_string());
        Ok(Paged { items, total, total_is_more: false, next_cursor })
    }

    /// Writes a file and the folders it is in. `read_only` says whether it can be changed afterwards; one that cannot is
    /// written only by the call that says it. Others wrote it, unless its person says for the session that they did.
    pub async fn write_file(
        &self,
        user: UserId,
        session: SessionId,
        path: FilePath,
        content: &[u8],
        read_only: Option<bool>,
    ) -> Result<WrittenFile> {
        self.put_file(user, session, path, content, (read_only, false)).await
    }

    /// The same where nothing is yet: nothing that two windows bring at once is lost.
    pub async fn create_file(
        &self,
        user: UserId,
        session: SessionId,
        path: FilePath,
        content: &[u8],
        read_only: Option<bool>,
    ) -> Result<WrittenFile> {
        self.put_file(user, session, path, content, (read_only, true)).await
    }

    async fn put_file(
        &self,
        user: UserId,
        session: SessionId,
        path: FilePath,
        content: &[u8],
        (read_only, only_new): (Option<bool>, bool),
    ) -> Result<WrittenFile> {
        self.check_open()?;
        let key = self.store().data_key(user).await?;
        let limits = self.inner.settings.files.session;
        if content.len() as u64 > limits.file_bytes {
            return Err(FileRefusal::TooLarge(limits.file_bytes).into());
        }
        let file = Prepared::new(&key, session, path.clone(), content)?;
        let at = self.now();
        let write = move |tx: &mut Tx| {
            let own = sessions::own_files(tx, user, session)?.ok_or(store::Error::NotFound)?;
            if only_new && rows::stat(tx, &key, session, &path)?.is_some() {
                return Ok(Err(FileRefusal::Exists(path.clone())));
            }
            let change = Change { limits, read_only, label: input_label::added(own), at };
            rows::write(tx, &key, file, change)
        };
        let (info, created) = self.store().write(write).await.map_err(no_session)??;
        Ok(WrittenFile { info, created })
    }

    pub async fn delete_file(
        &self,
        user: UserId,
        session: SessionId,
        path: FilePath,
        recursive: bool,
    ) -> Result<()> {
        let key = self.store().data_key(user).await?;
        let delete = move |tx: &mut Tx| rows::delete(tx, &key, session, &path, recursive);
        self.store().write(delete).await.map_err(no_session)??;
        Ok(())
    }

    /// Lines that fit a pattern, in all text files of a session.
    pub async fn grep_files(&self, user: UserId, session: SessionId, grep: Grep) -> Result<Matches> {
        let key = self.store().data_key(user).await?;
        match self.grep(&key, session, grep, None).await {
            Ok(found) => Ok(found),
            Err(GrepError::Store(error)) => Err(no_session(error)),
            Err(GrepError::File(FileError::Pattern(words))) => Err(Error::invalid("bad_pattern", words)),
            Err(GrepError::File(_)) => Err(Error::Internal),
        }
    }

    /// The largest file that a session takes, in bytes.
    pub fn file_limit(&self) -> u64 {
        self.inner.settings.files.session.file_bytes
    }

    pub(crate) async fn grep(
        &self,
        key: &DataKey,
        session: SessionId,
        grep: Grep,
        for_call: Option<SearchForCall<'_>>,
    ) -> std::result::Result<Matches, GrepError> {
        let mut grepper = Grepper::new(&grep)?;
        let slots = self.state::<SearchSlots>();
        let turn = slots.acquire().await;
        let (begun, time) = (Instant::now(), self.inner.settings.files.search_time.saturating_mul(4));
        let reading = key.clone();
        let read = move |tx: &mut Tx| rows::all(tx, &reading, session);
        let files = self.store().read(read).await?.into_iter().filter(|info| !info.is_directory);
        let mut looked_at = 0_u64;
        for info in files {
            if !grepper.wants(&info.path) {
                continue;
            }
            looked_at = looked_at.saturating_add(info.size_bytes);
            if info.size_bytes > SEARCHED_FILE {
                grepper.found.skipped += 1;
                continue;
            }
            if looked_at > SEARCHED_BYTES {
                grepper.found.truncated = true;
                break;
            }
            let (reading, path) = (key.clone(), info.path.clone());
            let read = move |tx: &mut Tx| rows::bytes(tx, &reading, session, &path);
            let content = match self.store().read(read).await {
                Ok(content) => content,
                // Deleted in this moment.
                Err(store::Error::NotFound) => continue,
                Err(error) => return Err(error.into()),
            };
            if let Some(SearchForCall { seen, .. }) = &for_call {
                seen.add(info.label);
            }
            let masked = for_call.as_ref().map(|for_call| for_call.masked.clone());
            let look = move || {
                let content = match masked {
                    Some(masked) if !is_binary(&content) => {
                        masked(String::from_utf8_lossy(&content).into_owned()).into_bytes()
                    }
                    _ => content,
                };
                let more = grepper.look(&info.path, &content, &|| begun.elapsed() >= time);
                (grepper, more)
            };
            let looked = tokio::task::spawn_blocking(look).await;
            let more;
            (grepper, more) = looked.map_err(|_| FileError::Broken("a search panicked".to_owned()))?;
            if !more {
                break;
            }
        }
        drop(turn);
        Ok(grepper.found)
    }
}

/// What bytes are, as far as they tell by themselves.
pub fn media_type(content: &[u8]) -> String {
    let mut sniffer = Sniffer::default();
    sniffer.push(content);
    sniffer.decide(None).unwrap_or_else(|_| "application/octet-stream".to_owned())
}

pub(crate) enum GrepError {
    Store(store::Error),
    File(FileError),
}

impl From<store::Error> for GrepError {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

impl From<FileError> for GrepError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

fn no_session(error: store::Error) -> Error {
    match error {
        store::Error::NotFound => Error::NotFound("session"),
        other => other.into(),
    }
}

impl From<FilePathError> for Error {
    fn from(error: FilePathError) -> Self {
        Self::invalid("bad_file_path", error.to_string())
    }
}

impl From<FileRefusal> for Error {
    fn from(refusal: FileRefusal) -> Self {
        let detail = refusal.to_string();
        match refusal {
            FileRefusal::Missing(_) => Self::NotFound("file"),
            FileRefusal::IsDirectory(_) => Self::conflict("is_directory", detail),
            FileRefusal::NotDirectory(_) => Self::conflict("not_a_directory", detail),
            FileRefusal::NotEmpty(_) => Self::conflict("directory_not_empty", detail),
            FileRefusal::Exists(_) => Self::conflict("file_exists", detail),
            FileRefusal::ReadOnly(_) => Self::conflict("file_read_only", detail),
            FileRefusal::Root => Self::conflict("root_directory", detail),
            FileRefusal::TooLarge(_) => Self::TooLarge(detail),
            FileRefusal::NoRoom(_) | FileRefusal::TooMany(_) => Self::conflict("file_quota", detail),
        }
    }
}
