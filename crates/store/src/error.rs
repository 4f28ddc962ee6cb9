//! Everything that can go wrong in the store, in one enum.

use crate::Conflict;

/// Cloneable, because one failed COMMIT answers every job of its batch.
///
/// The texts carry ids and names of tables at most, never a stored value: they end up in logs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("This does not exist, or it belongs to another person.")]
    NotFound,
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// The epoch of the writer is not the turn's any more: a worker that gets this must drop the turn.
    #[error("This reply was taken over or has ended. Nothing was written.")]
    Fenced,
    #[error(
        "The database was written by a newer majordomo (schema version {found}; this one knows versions up to {known}). \
         Start the newer version, or restore a backup from before the upgrade."
    )]
    NewerSchema { found: u64, known: u64 },
    #[error(
        "The master key does not belong to this database. \
         Use the key that was in use when the database was created."
    )]
    WrongMasterKey,
    #[error(
        "A value in {table}.{column} cannot be decrypted: it was damaged or moved, or it belongs to another key."
    )]
    Crypto { table: &'static str, column: &'static str },
    #[error("The system did not provide random numbers: {0}.")]
    Randomness(String),
    #[error("{0}")]
    KeyFile(String),
    #[error("A saved value cannot be understood: {0}.")]
    Corrupt(String),
    #[error("The audit log is broken at entry {position}: {reason}.")]
    Audit { position: u64, reason: &'static str },
    /// Entries that are not as many as the numbers that were taken for them would leave a gap in a log, or overlap.
    #[error("The log of a conversation got {entries} entries for {taken} numbers. Nothing was written.")]
    Misnumbered { taken: u64, entries: u64 },
    #[error("This cursor does not belong to this list.")]
    BadCursor,
    #[error("This is not a database address. Write sqlite:PATH or postgres://…")]
    BadUrl,
    /// A reference to something that is not there, a missing or a refused value.
    #[error("The database refused the change: {0}.")]
    Constraint(String),
    #[error("The database is busy. Try again.")]
    Busy,
    /// Nothing can be stored until the owner makes room.
    #[error("The disk of the database is full: {0}.")]
    Full(String),
    /// The server is away, the disk fails, a deadlock was broken: the same again may work later.
    #[error("The database does not work at the moment: {0}.")]
    Unavailable(String),
    /// The server takes no changes: it was failed over from, or set so. It can be read.
    #[error("The database can only be read at the moment: {0}.")]
    ReadOnly(String),
    /// A key was wrapped by a master key that this process does not have: it was changed by another one. Nothing is damaged.
    #[error(
        "The master key of this database was changed by another server (version {version}), and this one does not have the new key. \
         Give this server the new key and start it again."
    )]
    NewerMasterKey { version: u32 },
    /// The connection was cut while the COMMIT was under way: it is not known whether it counts. The caller looks.
    #[error("The connection to the database broke, and it is not known whether the change was saved: {0}.")]
    Uncertain(String),
    #[error("The database failed: {0}.")]
    Database(String),
    /// The file is not what was written.
    #[error("The database file is damaged: {0}.")]
    Damaged(String),
    /// Something about a backup that the owner can act on.
    #[error("{0}")]
    Backup(String),
    #[error("The database is closed.")]
    Closed,
    #[error("A change of the database failed because of a mistake in the program. Nothing was changed.")]
    Panicked,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// May the same transaction succeed if it is tried again later?
    pub fn is_transient(&self) -> bool {
        self.is_undone() || matches!(self, Self::Uncertain(_) | Self::NewerMasterKey { .. })
    }

    /// A value that is there and cannot be read: asking again does not help.
    pub fn is_unreadable(&self) -> bool {
        matches!(self, Self::Crypto { .. } | Self::Corrupt(_))
    }

    /// The values that can be read, and how many cannot.
    pub(crate) fn sort_out<T>(values: impl Iterator<Item = Result<T>>) -> Result<(Vec<T>, usize)> {
        let (mut readable, mut unreadable) = (Vec::new(), 0);
        for value in values {
            match value {
                Ok(value) => readable.push(value),
                Err(error) if error.is_unreadable() => unreadable += 1,
                Err(error) => return Err(error),
            }
        }
        Ok((readable, unreadable))
    }

    /// Is there a row with the same key?
    pub(crate) fn is_same_key(&self) -> bool {
        matches!(self, Self::Conflict(Conflict::SameKey(_)))
    }

    /// As [`Self::is_transient`], and certainly nothing was stored: the same transaction may be tried again as it is.
    pub fn is_undone(&self) -> bool {
        matches!(self, Self::Busy | Self::Full(_) | Self::Unavailable(_) | Self::ReadOnly(_))
    }

    /// The server said nothing.
    pub(crate) fn no_answer() -> Self {
        Self::Unavailable("it does not answer".to_owned())
    }

    /// What a failed COMMIT of PostgreSQL means. Only what the server itself refused is certainly undone.
    pub(crate) fn of_commit(error: sqlx::Error) -> Self {
        let refused = matches!(&error, sqlx::Error::Database(_));
        match Self::from(error) {
            Self::Unavailable(detail) => Self::Uncertain(detail),
            Self::Database(detail) if !refused => Self::Uncertain(detail),
            other => other,
        }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DiskFull) => Self::Full(error.to_string()),
            Some(
                ErrorCode::SystemIoFailure
                | ErrorCode::OutOfMemory
                | ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::FileLockingProtocolFailed,
            ) => Self::Unavailable(error.to_string()),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(error.to_string()),
            Some(ErrorCode::ConstraintViolation) => {
                let unique = error.sqlite_error().is_some_and(|e| {
                    matches!(
                        e.extended_code,
                        rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE | rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY
                    )
                });
                match unique {
                    true => Conflict::SameKey(error.to_string()).into(),
                    false => Self::Constraint(error.to_string()),
                }
            }
            _ => Self::Database(error.to_string()),
        }
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::PoolClosed => Self::Closed,
            sqlx::Error::PoolTimedOut => Self::Busy,
            sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::WorkerCrashed => {
                Self::Unavailable(error.to_string())
            }
            sqlx::Error::Database(refusal) => from_postgres(refusal.as_ref()),
            _ => Self::Database(error.to_string()),
        }
    }
}

/// Only the primary message is kept: PostgreSQL puts the offending values into the detail.
fn from_postgres(refusal: &dyn sqlx::error::DatabaseError) -> Error {
    let message = refusal.message().to_owned();
    let code = refusal.code().unwrap_or_default();
    match code.as_ref() {
        "23505" => Conflict::SameKey(message).into(),
        // Serialisation failure, deadlock, lock not available.
        "40001" | "40P01" | "55P03" => Error::Busy,
        "25006" => Error::ReadOnly(message),
        // The server has undone a transaction that stood still, and closed its connection.
        "25P03" => Error::Unavailable(message),
        other => match other.get(..2) {
            Some("23") => Error::Constraint(message),
            Some("53") if other == "53100" => Error::Full(message),
            // Connection exceptions, insufficient resources, operator intervention, system errors.
            Some("08" | "53" | "57" | "58") => Error::Unavailable(message),
            _ => Error::Database(message),
        },
    }
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
