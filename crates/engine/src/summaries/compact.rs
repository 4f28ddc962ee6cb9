//! Conversations that outgrow their model: the earlier part is told as a summary, the newest part as it was said.
//!
//! It happens in the background, after a turn or when a person asks for it, and holds nothing up. What is published is one
//! row and one event in one transaction: before it models are told the old view, after it the new one. The messages
//! themselves stay, for people and for searching.
//!
//! Invariant: what is replaced ends where a turn ends, and no call is parted from its result. Invariant: a summary is never
//! blank and always shorter than what it replaces; whatever a model does, there is one. Invariant: of two summaries that
//! were made of the same view one is published, the other dropped.

use crate::summaries::ask_model::Requests;
use crate::summaries::cut::Portion;
use crate::{
    claim::{
        record::Record,
        turn_context::{TurnContext, tells_knowledge},
    },
    engine::Engine,
    error::{Error, Result},
    model::asking::{Asking, Window},
};
use domain::{Agent, Label, Limits, Message, SessionId, TurnId, TurnOutcome, UserId};
use prompt::provenance_label::Declared;
use provider::{ErrorKind, Model};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};
use store::{
    DataKey, Tx,
    compactions::{self, Compaction},
    messages,
};

/// As often as this one occasion goes on: a conversation that is much longer than its model's window is taken in portions.
const ROUNDS: u32 = 8;
/// Less than this is not worth a summary, in tokens.
const LEAST: u64 = 100;
/// What is kept as it was said, in per cent of how full the window may be.
const KEPT: u64 = 50;

/// What came of asking for a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Compacted {
    /// False when there was nothing to compact.
    pub compacted: bool,
    /// In words.
    pub detail: String,
    /// Of the newest summary of this session.
    pub generation: Option<u64>,
    /// The last message that it stands for.
    pub up_to_seq: Option<u64>,
    /// 1 = a summary in sections, 2 = bullets, 3 = cut without a model.
    pub level: Option<u32>,
    pub summary_tokens: Option<u64>,
}

/// Sessions of which a summary is being made here.
#[derive(Default)]
pub(crate) struct InProgress(Mutex<HashSet<SessionId>>);

/// Held while a summary is being made.
struct SummarySlot<'a> {
    in_progress: &'a InProgress,
    session: SessionId,
}

impl InProgress {
    fn sessions(&self) -> MutexGuard<'_, HashSet<SessionId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, session: SessionId) -> Option<SummarySlot<'_>> {
        let fresh = self.sessions().insert(session);
        fresh.then_some(SummarySlot { in_progress: self, session })
    }
}

impl Drop for SummarySlot<'_> {
    fn drop(&mut self) {
        self.in_progress.sessions().remove(&self.session);
    }
}

/// How much of a conversation stays as it was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// At most this many tokens.
    Tokens(u64),
    /// At most this many, and at most half of what there is.
    Half(u64),
}

/// One summary in the making.
pub(super) struct SummaryWork<'a> {
    pub(super) engine: &'a Engine,
    pub(super) key: DataKey,
    pub(super) user: UserId,
    pub(super) session: SessionId,
    pub(super) declared: Declared,
    pub(super) agent: &'a Agent,
    pub(super) model: Model,
    /// Of the page that its facts are written on; none where nothing is remembered.
    pub(super) page_title: Option<String>,
}

/// The worker calls it when its turn has ended: is the conversation about to outgrow the model?
pub(crate) fn consider(turn: &TurnContext, record: &Record, asking: &Asking, window: &Window) {
    let Ok(model) = &asking.model else { return };
    let too_long = asking.failure.as_ref().is_some_and(|failure| failure.kind == ErrorKind::ContextTooLong);
    // A model that does not answer would not answer this either.
    let silent = record.state.ended() == Some(TurnOutcome::Failed) && !too_long;
    let limits = &turn.agent.limits;
    if limits.compact_at == 0 || window.prompt_tokens == 0 || silent {
        return;
    }
    let next = window.prompt_tokens.saturating_add(model.estimate(&asking.draft.text));
    let full = threshold(model, limits);
    if next > full || window.crowded || too_long {
        let keep = Keep::Tokens(full.min(window.room).saturating_mul(KEPT) / 100);
        turn.engine.compact_later(turn.session.user_id, turn.session.id, keep);
    }
}

impl Engine {
    fn compact_later(&self, user: UserId, session: SessionId, keep: Keep) {
        let engine = self.clone();
        self.spawn("compaction", async move {
            match engine.compact(user, session, keep).await {
                // It is due again after the next turn.
                Err(error) => tracing::warn!(%session, %error, "a session was not compacted"),
                Ok(None) => tracing::debug!(%session, "there is nothing to compact"),
                Ok(Some(made)) => tracing::info!(
                    %session, generation = made.generation, level = made.level, "a session was compacted"
                ),
            }
        });
    }

    /// How many summaries are being made here.
    pub fn running_summaries(&self) -> usize {
        self.state::<InProgress>().sessions().len()
    }

    /// Tells the earlier part of a session as a summary from now on. A turn that runs meanwhile is not disturbed.
    pub async fn compact_session(&self, user: UserId, session: SessionId) -> Result<Compacted> {
        let (_, agent) = self.staffed(user, session).await?;
        self.keep_up_with(&agent).await?;
        let model = self.models().resolve(agent.model.as_deref());
        let model = model.map_err(|error| Error::invalid("unknown_model", error.detail))?;
        let keep = Keep::Half(threshold(&model, &agent.limits).saturating_mul(KEPT) / 100);
        let engine = self.clone();
        let made = self.undisturbed(async move { engine.compact(user, session, keep).await }).await?;
        Ok(Compacted::of(made))
    }

    /// `None` when there is nothing to compact.
    async fn compact(&self, user: UserId, session: SessionId, keep: Keep) -> Result<Option<Compaction>> {
        self.check_open()?;
        let in_progress = self.state::<InProgress>();
        let Some(_slot) = in_progress.take(session) else {
            let detail = "A summary of this conversation is already being made. Wait until it is done.";
            return Err(Error::conflict("compacting", detail));
        };
        let (staffed, agent) = self.staffed(user, session).await?;
        self.keep_up_with(&agent).await?;
        let declared = Declared::of(&staffed);
        let model = self.models().resolve(agent.model.as_deref());
        let model = model.map_err(|error| Error::invalid("unknown_model", error.detail))?;
        let key = self.store().data_key(user).await?;
        let resolved = self.registry_of(&agent).await?.resolve(&agent.capabilities, &agent.allowed_tools);
        let remembers = resolved.is_ok_and(|resolved| tells_knowledge(&staffed, &resolved));
        let page_title = remembers.then(|| crate::summaries::flush::title(&staffed));
        let work =
            SummaryWork { engine: self, key, user, session, declared, agent: &agent, model, page_title };
        let mut newest = None;
        for _ in 0..ROUNDS {
            let Some((made, more)) = work.round(keep).await? else { break };
            newest = Some(made);
            if !more {
                break;
            }
        }
        Ok(newest)
    }
}

impl SummaryWork<'_> {
    /// One summary, and whether another one is due at once. `None` when there is nothing to compact.
    async fn round(&self, keep: Keep) -> Result<Option<(Compaction, bool)>> {
        let (before, said, all) = self.read().await?;
        let weigh = |message: &Message| prompt::weight(message, &self.model);
        let most = crate::summaries::summarise::input_room(&self.model, before.as_ref());
        let portion = crate::summaries::cut::portion(&said, all, keep, most, weigh);
        let Some(Portion { replaced, more }) = portion else { return Ok(None) };
        let Some(last) = replaced.last() else { return Ok(None) };
        let (up_to_seq, turn_id) = (last.seq, last.turn_id);
        let told: HashSet<_> =
            prompt::unexpired(said.clone()).into_iter().map(|message| message.id).collect();
        let lines = crate::summaries::lines::of(replaced.iter().filter(|message| told.contains(&message.id)));
        let earlier = before.as_ref().map_or("", |before| before.summary.as_str());
        if self.model.estimate(earlier).saturating_add(self.model.estimate(&lines)) < LEAST {
            return Ok(None);
        }
        let mut requests = Requests::new(self, turn_id);
        let made =
            crate::summaries::summarise::summarise(&mut requests, &self.model, earlier, &lines).await?;
        let label = replaced.iter().map(|message| self.declared.message(message));
        let label =
            label.chain(before.iter().map(|before| self.declared.label(before.label, before.up_to_seq)));
        let compaction = Compaction {
            generation: before.as_ref().map_or(0, |before| before.generation).saturating_add(1),
            up_to_seq,
            level: made.level,
            tokens: self.model.estimate(&made.text),
            label: Label::worst(label),
            created_at: self.engine.now(),
            summary: made.text,
        };
        self.publish(&compaction).await?;
        Ok(Some((compaction, more)))
    }

    /// The newest summary, the oldest messages behind it, and whether these are all.
    async fn read(&self) -> Result<(Option<Compaction>, Vec<Message>, bool)> {
        let (key, session, bytes) = (self.key.clone(), self.session, prompt::bytes(&self.model));
        let read = move |tx: &mut Tx| {
            let before = compactions::latest(tx, &key, session)?;
            let after = before.as_ref().map_or(0, |before| before.up_to_seq);
            let (mut said, mut all) = messages::oldest(tx, &key, session, after, bytes, prompt::ROWS)?;
            if let (false, Some(first), Some(last)) = (all, said.first(), said.last())
                && first.turn_id == last.turn_id
            {
                (said, all) = whole_turn(tx, &key, session, first.turn_id)?;
            }
            Ok((before, said, all))
        };
        Ok(self.engine.store().read(read).await?)
    }
}

/// A turn that is larger than what is read at once, with the message behind it, so that there is something to keep.
fn whole_turn(
    tx: &mut Tx,
    key: &DataKey,
    session: SessionId,
    turn: TurnId,
) -> store::Result<(Vec<Message>, bool)> {
    let mut said = messages::of_turn(tx, key, turn)?;
    let after = said.last().map_or(0, |last| last.seq);
    let (next, all) = messages::oldest(tx, key, session, after, 0, 1)?;
    said.extend(next);
    Ok((said, all))
}

impl Compacted {
    fn of(made: Option<Compaction>) -> Self {
        let detail = match &made {
            Some(made) if made.level == 3 => {
                "The agent now reads a shortened version of the earlier part of this conversation, because no summary could be \
                 made. You can still read everything."
            }
            Some(_) => {
                "The agent now reads a summary of the earlier part of this conversation. You can still read everything."
            }
            None => "Nothing to summarise: the conversation is short, or it was already summarised.",
        };
        Self {
            compacted: made.is_some(),
            detail: detail.to_owned(),
            generation: made.as_ref().map(|made| made.generation),
            up_to_seq: made.as_ref().map(|made| made.up_to_seq),
            level: made.as_ref().map(|made| made.level),
            summary_tokens: made.as_ref().map(|made| made.tokens),
        }
    }
}

/// Tokens of a prompt above which the earlier part of the conversation is summarised.
fn threshold(model: &Model, limits: &Limits) -> u64 {
    let usual = Limits::default().compact_at;
    let per_cent = if limits.compact_at == 0 { usual } else { limits.compact_at };
    model.window().saturating_mul(u64::from(per_cent)) / 100
}
