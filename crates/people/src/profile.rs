//! What people say about themselves.

use crate::logins::Whence;
use crate::principal::Principal;
use crate::{
    People,
    error::{Error, Result},
};
use domain::{Budget, Change, User};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::{
    Tx,
    audit::{self, Action},
    known_places, users,
};

pub(crate) const DEFAULT_ZONE: &str = "UTC";
pub(crate) const DEFAULT_LANGUAGE: &str = "en";
/// It is part of every prompt.
const ABOUT_CHARS: usize = 4_000;
/// The longest tag that RFC 5646 tells programs to expect.
const LANGUAGE_BYTES: usize = 35;

/// What you can change about yourself.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MeChange {
    pub time_zone: Change<String>,
    pub language: Change<String>,
    /// What you want to spend at most; a lower limit of the server applies.
    pub budget: Change<Budget>,
    /// What every agent is told about you; null or empty: nothing.
    pub about_me: Change<String>,
}

impl People {
    pub async fn change_me(&self, who: &Principal, change: MeChange) -> Result<User> {
        let mut user = self.user(who.user_id).await?;
        let before = user.clone();
        change.time_zone.apply(&mut user.time_zone, DEFAULT_ZONE.to_owned());
        change.budget.apply(&mut user.budget.own, Budget::NONE);
        change.language.apply(&mut user.language, DEFAULT_LANGUAGE.to_owned());
        change.about_me.apply(&mut user.about_me, String::new());
        check_about(&user.about_me)?;
        check_time_zone(&user.time_zone)?;
        check_language(&user.language)?;
        check_budget(&user.budget.own)?;
        if user == before {
            return Ok(user);
        }
        let entry = self.entry(who.actor(), Some(user.id), Action::UserChanged, user.id, json!({}));
        let (saved, vault) = (user.clone(), self.store().vault().clone());
        let write = move |tx: &mut Tx| {
            let known = users::update(tx, &vault, &saved)?;
            users::set_own_budget(tx, saved.id, saved.budget.own)?;
            audit::append(tx, &vault, entry)?;
            Ok(known)
        };
        if self.store().write(write).await? { Ok(user) } else { Err(Error::NotFound("user")) }
    }
}

impl People {
    /// Takes the time zone and the language of the browser for a person who has never signed in and has said neither.
    pub(crate) async fn settle_in(&self, mut user: User, from: &Whence) -> Result<User> {
        let unsaid = user.time_zone == DEFAULT_ZONE && user.language == DEFAULT_LANGUAGE;
        let zone = from.time_zone.clone().filter(|zone| check_time_zone(zone).is_ok());
        let language = from.language.clone().filter(|tag| check_language(tag).is_ok());
        let id = user.id;
        if !unsaid
            || (zone.is_none() && language.is_none())
            || self.store().read(move |tx| known_places::has_any(tx, id)).await?
        {
            return Ok(user);
        }
        user.time_zone = zone.unwrap_or(user.time_zone);
        user.language = language.unwrap_or(user.language);
        let entry =
            self.entry(id.to_string(), Some(id), Action::UserChanged, id, json!({ "by": "their browser" }));
        let (saved, vault) = (user.clone(), self.store().vault().clone());
        let write = move |tx: &mut Tx| {
            users::update(tx, &vault, &saved)?;
            audit::append(tx, &vault, entry)
        };
        self.store().write(write).await?;
        Ok(user)
    }
}

fn check_about(text: &str) -> Result<()> {
    let controls = |character: char| character.is_control() && !matches!(character, '\n' | '\r' | '\t');
    if text.chars().count() <= ABOUT_CHARS && !text.chars().any(controls) {
        return Ok(());
    }
    let detail = format!(
        "about_me must have at most {ABOUT_CHARS} characters, without control characters besides line breaks."
    );
    Err(Error::invalid("bad_about_me", detail))
}

pub(crate) fn check_budget(budget: &Budget) -> Result<()> {
    budget.problem().map_or(Ok(()), |problem| Err(Error::invalid("bad_budget", problem)))
}

pub(crate) fn check_time_zone(name: &str) -> Result<()> {
    if name.parse::<chrono_tz::Tz>().is_ok() {
        return Ok(());
    }
    Err(Error::invalid(
        "bad_time_zone",
        "time_zone must be the name of a time zone, for instance Europe/Athens or UTC.",
    ))
}

/// Well-formed by BCP 47: a language of letters, then subtags of letters and digits. Whether it is registered is not
/// asked.
pub(crate) fn check_language(tag: &str) -> Result<()> {
    let mut subtags = tag.split('-');
    let language = subtags.next().unwrap_or_default();
    let well_formed = tag.len() <= LANGUAGE_BYTES
        && (2..=8).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_alphabetic())
        && subtags.all(|subtag| {
            (1..=8).contains(&subtag.len()) && subtag.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
        // A single letter opens an extension, which cannot be empty.
        && tag.rsplit('-').next().is_some_and(|last| last.len() > 1);
    if well_formed {
        return Ok(());
    }
    Err(Error::invalid("bad_language", "language must be a language code, for instance en or pt-BR."))
}

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;
