//! What is read for one decision of the gate, all in one read of the database.

use crate::{
    engine::Engine,
    error::Result,
    permission::rights_chain::{self, RightsLink},
};
use domain::{Approval, CallId, Label, Rule, SessionId, Source, TurnId, UserId};
use store::{DataKey, Tx};

/// Requests that may wait for one person, over all their sessions.
pub(crate) const WAITING_FOR_ONE: u64 = 100;

/// What was read for a decision.
pub(crate) struct DecisionFacts {
    /// The rules of the person and of the house that may be about the call.
    pub(crate) rules: Vec<Rule>,
    /// The approvals that the turn has asked for, open or answered.
    pub(crate) asked: Vec<Approval>,
    /// Approvals of this person that are open, over all their sessions.
    open: u64,
    /// The sessions whose agents must all permit the call, the turn's own first.
    pub(crate) links: Vec<RightsLink>,
    /// Of the files that the call will have before it.
    pub(crate) held: Label,
}

impl DecisionFacts {
    /// `files`: the call will have the session's files before it.
    pub(crate) async fn read(
        engine: &Engine,
        key: &DataKey,
        user: UserId,
        (session, turn, source): (SessionId, TurnId, Source),
        files: bool,
    ) -> Result<Self> {
        let (vault, key, now) = (engine.store().vault().clone(), key.clone(), engine.now());
        let read = move |tx: &mut Tx| {
            let held = match files {
                true => store::session_files::worst(tx, session)?.join(store::uploads::worst(tx, session)?),
                false => Label::TRUSTED_PUBLIC,
            };
            let mut rows = rights_chain::read_links(tx, &vault, &key, user, session)?;
            let sessions: Vec<SessionId> = rows.iter().map(|row| row.session).collect();
            rows.extend(rights_chain::read_maker(tx, &key, user, (turn, source), &rows)?);
            let rules = store::rules::for_call(tx, &vault, user, &sessions, now)?;
            let asked = store::approvals::of_turn(tx, &key, turn)?;
            Ok((rows, rules, asked, store::approvals::count_open(tx, user)?, held))
        };
        let (rows, rules, asked, open, held) = engine.store().read(read).await?;
        let links = engine.rights_links(user, rows).await?;
        Ok(Self { rules, asked, open, links, held })
    }

    /// Fewer than [`WAITING_FOR_ONE`] approvals of this person are open, so one more may be asked.
    pub(crate) fn may_ask_person(&self) -> bool {
        self.open < WAITING_FOR_ONE
    }

    /// The approval that this call has asked for.
    pub(crate) fn asked_by(&self, call: CallId) -> Option<&Approval> {
        self.asked.iter().find(|asked| asked.call_id == call)
    }

    /// The session itself first, then those it is part of.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = SessionId> {
        self.links.iter().filter(|link| !link.is_maker()).map(|link| link.session)
    }
}
