//! Passwords: Argon2id, which is slow and large on purpose, and therefore few at a time.

use crate::error::{Error, Result};
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Semaphore;

const CHARACTERS: std::ops::RangeInclusive<usize> = 8..=1_000;
const PASSES: u32 = 3;
/// Hashed at the same time; each takes its memory and a processor.
const AT_ONCE: usize = 2;
/// Hashed or waiting for it. More are sent away, so that a flood of logins costs no memory.
const IN_LINE: usize = 32;
/// As many more of those who are known.
const KNOWN_IN_LINE: usize = 8;

pub(crate) struct Passwords {
    memory_kib: u32,
    line: Semaphore,
    /// For those who come from where their person has signed in before, who are in already, or who have a link.
    known_line: Semaphore,
    places: Semaphore,
    operations: AtomicU64,
}

impl Passwords {
    pub(crate) fn new(memory_kib: u32) -> Self {
        Self {
            memory_kib,
            line: Semaphore::new(IN_LINE),
            known_line: Semaphore::new(KNOWN_IN_LINE),
            places: Semaphore::new(AT_ONCE),
            operations: AtomicU64::new(0),
        }
    }

    /// How many passwords were hashed or checked.
    pub(crate) fn operations(&self) -> u64 {
        self.operations.load(Ordering::Relaxed)
    }

    /// Of a person who is known: strangers choose no passwords.
    pub(crate) async fn hash(&self, password: String) -> Result<String> {
        check(&password)?;
        let argon = self.argon()?;
        self.work(&[&self.line, &self.known_line], move || {
            argon.hash_password(password.as_bytes()).map(|hash| hash.to_string()).map_err(|_| Error::Internal)
        })
        .await?
    }

    /// THREAT[login-02] Without a hash, of a person who does not exist or has no password, it takes as long to say no.
    pub(crate) async fn verify(&self, password: String, hash: Option<String>) -> Result<bool> {
        self.verify_in(&[&self.line], password, hash).await
    }

    /// The same, beside the line of strangers where that is full.
    pub(crate) async fn verify_known(&self, password: String, hash: Option<String>) -> Result<bool> {
        self.verify_in(&[&self.line, &self.known_line], password, hash).await
    }

    async fn verify_in(&self, lines: &[&Semaphore], password: String, hash: Option<String>) -> Result<bool> {
        let argon = self.argon()?;
        let nobody = hash.is_none();
        let hash = hash.unwrap_or_else(|| self.nobodys());
        // What is longer than any password is none, for any person.
        if password.chars().count() > *CHARACTERS.end() {
            return Ok(false);
        }
        let fits = self
            .work(lines, move || argon.verify_password(password.as_bytes(), hash.as_str()).is_ok())
            .await?;
        Ok(fits && !nobody)
    }

    fn argon(&self) -> Result<Argon2<'static>> {
        let params = Params::new(self.memory_kib, PASSES, 1, None).map_err(|_| Error::Internal)?;
        Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
    }

    /// A hash that costs what the others cost, and that no password has.
    fn nobodys(&self) -> String {
        let (salt, output) = ("bm9ib2R5IGxpdmVzIGhlcmU", "bm9ib2R5J3MgcGFzc3dvcmQgaXMgbm90IHRoaXMgb24");
        format!("$argon2id$v=19$m={},t={PASSES},p=1${salt}${output}", self.memory_kib)
    }

    async fn work<T: Send + 'static>(
        &self,
        lines: &[&Semaphore],
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let place = lines.iter().find_map(|line| line.try_acquire().ok());
        let _line = place.ok_or_else(|| Error::TooMany {
            code: "too_many_logins",
            detail: "Too many people are signing in. Try again in a moment.".to_owned(),
            seconds: 2,
        })?;
        let _place = self.places.acquire().await.map_err(|_| Error::ShuttingDown)?;
        self.operations.fetch_add(1, Ordering::Relaxed);
        tokio::task::spawn_blocking(work).await.map_err(|_| Error::Internal)
    }
}

fn check(password: &str) -> Result<()> {
    if CHARACTERS.contains(&password.chars().count()) {
        return Ok(());
    }
    Err(Error::invalid("bad_password", "A password must have 8 to 1000 characters."))
}

#[cfg(test)]
#[path = "passwords_tests.rs"]
mod tests;
