//! What people write for their agents: made, changed and deleted by whom they belong to, checked when they are saved.

use crate::{
    agents::capability_sources::{CapabilityOrigin, Offer},
    engine::Engine,
    error::{Error, Result},
    idempotency_key,
};
use async_trait::async_trait;
use capability::{AbilityError, Capability, CapabilitySource, WrittenAbility, ability};
use domain::{Ability, AbilityId, AbilityText, UserId};
use std::sync::Arc;
use store::{Conflict, DataKey, Page, Paged, Tx, abilities::AllAbilities, idempotency::KeyUse};

/// What one person may have.
const MOST: u64 = 500;
const TOO_MANY: &str = "too_many_abilities";

/// What a person wrote, as capabilities of their agents.
pub(crate) struct Abilities;

#[async_trait]
impl CapabilityOrigin for Abilities {
    fn source(&self) -> CapabilitySource {
        CapabilitySource::User
    }

    fn offer(&self, tx: &mut Tx, key: &DataKey, user: UserId) -> store::Result<Offer> {
        let AllAbilities { version, readable, unreadable } = store::abilities::all(tx, key, user)?;
        let (total, source) = (readable.len() + unreadable, self.source());
        let written =
            readable.into_iter().filter_map(|ability| WrittenAbility::new(ability.text, source).ok());
        let usable: Vec<_> = written.map(|written| Arc::new(written) as Arc<dyn Capability>).collect();
        Ok(Offer { version, unusable: total - usable.len(), usable })
    }
}

impl Engine {
    pub async fn abilities(&self, user: UserId, page: Page) -> Result<Paged<Ability>> {
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| store::abilities::list(tx, &key, user, page);
        Ok(self.store().read(read).await?)
    }

    pub async fn ability(&self, user: UserId, id: AbilityId) -> Result<Ability> {
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| store::abilities::get(tx, &key, user, id);
        self.store().read(read).await?.ok_or(Error::NotFound("ability"))
    }

    pub async fn ability_by_name(&self, user: UserId, name: String) -> Result<Ability> {
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| store::abilities::by_name(tx, &key, user, &name);
        self.store().read(read).await?.ok_or(Error::NotFound("ability"))
    }

    pub async fn create_ability(&self, user: UserId, text: AbilityText) -> Result<Ability> {
        self.create_ability_once(user, text, None).await
    }

    /// A repeated key finds the ability that the first one made.
    pub async fn create_ability_once(
        &self,
        user: UserId,
        text: AbilityText,
        idempotency_key: Option<String>,
    ) -> Result<Ability> {
        let id = AbilityId::from_uuid(self.inner.ids.uuid());
        let keyed = self.keyed(user, "ability", idempotency_key, format!("{text:?}"), id.to_string());
        if let Some(before) = self.made_before(keyed.as_ref()).await? {
            return self.ability(user, before).await;
        }
        self.check_ability(&text)?;
        let now = self.now();
        let ability = Ability { id, user_id: user, text, created_at: now, updated_at: now };
        let (key, saved, vault) =
            (self.store().data_key(user).await?, ability.clone(), self.store().vault().clone());
        let write = move |tx: &mut Tx| {
            let noted = idempotency_key::note(tx, &vault, keyed.as_ref())?;
            let has_room = match noted {
                // Takes the key back, too.
                KeyUse::First => store::abilities::create(tx, &key, &saved, MOST)?,
                KeyUse::Repeat { .. } => true,
            };
            if has_room { Ok(noted) } else { Err(AbilityRefusal::TooMany) }
        };
        let noted = self.store().attempt(write).await.map_err(|refusal| match refusal {
            AbilityRefusal::TooMany => Error::conflict(
                TOO_MANY,
                format!("You already have {MOST} abilities. Delete one that you no longer need."),
            ),
            AbilityRefusal::Store(error) => name_taken(error),
        })?;
        match idempotency_key::made(noted)? {
            Some(before) => self.ability(user, before).await,
            None => Ok(ability),
        }
    }

    /// Puts another text in the place of the one that is there. An agent that lists it by a name that it had before shows
    /// it as missing.
    pub async fn replace_ability(&self, user: UserId, id: AbilityId, text: AbilityText) -> Result<Ability> {
        self.check_ability(&text)?;
        let before = self.ability(user, id).await?;
        let ability = Ability { text, updated_at: self.now(), ..before };
        let (key, saved) = (self.store().data_key(user).await?, ability.clone());
        let write = move |tx: &mut Tx| store::abilities::update(tx, &key, &saved);
        match self.store().write(write).await.map_err(name_taken)? {
            true => Ok(ability),
            false => Err(Error::NotFound("ability")),
        }
    }

    pub async fn delete_ability(&self, user: UserId, id: AbilityId) -> Result<()> {
        let write = move |tx: &mut Tx| store::abilities::delete(tx, user, id);
        match self.store().write(write).await? {
            true => Ok(()),
            false => Err(Error::NotFound("ability")),
        }
    }

    fn check_ability(&self, text: &AbilityText) -> Result<()> {
        ability::check(text).map_err(refused)?;
        match self.registry().get(&text.name) {
            Some(_) => Err(taken()),
            None => Ok(()),
        }
    }
}

/// Why an ability was not stored.
#[derive(Debug, thiserror::Error)]
enum AbilityRefusal {
    #[error("this person has too many abilities")]
    TooMany,
    #[error(transparent)]
    Store(#[from] store::Error),
}

fn refused(error: AbilityError) -> Error {
    let code = match &error {
        AbilityError::Name | AbilityError::Reserved => "bad_name",
        AbilityError::Template(_) | AbilityError::Empty => "bad_template",
        AbilityError::Condition(_) | AbilityError::NoCondition | AbilityError::NeedlessCondition => {
            "bad_condition"
        }
        _ => "bad_ability",
    };
    Error::invalid(code, error.to_string())
}

fn taken() -> Error {
    Error::conflict("name_taken", "There is already a capability of that name. Choose another name.")
}

fn name_taken(error: store::Error) -> Error {
    match error {
        store::Error::Conflict(Conflict::AbilityName) => taken(),
        store::Error::NotFound => Error::NotFound("user"),
        other => other.into(),
    }
}
