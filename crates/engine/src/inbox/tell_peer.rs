//! Telling a peer of a bridge what the agent answered: a call with a way out, which no model makes and the gate decides like any
//! other.
//!
//! A peer is told what comes from themself, from what everybody may know, and from what the agent was made of. Everything else
//! that the step was told (a file that the person put there, words of theirs, what a tool found among their things) makes the
//! answer private: it is held, and its person decides. The turn has ended meanwhile, and the conversation goes on.
//!
//! THREAT[chat-04] A stranger asks the agent for what is not theirs, and the bridge carries it out of the house.

use crate::permission::spend_rules::{SpendRefusal, spend};
use crate::{
    engine::Engine,
    error::{Error, Result},
    faults::guards_off,
    inbox::peers::Peer,
};
use domain::{
    Agent, Approval, ApprovalId, ApprovalStatus, CallId, Danger, Event, EventBody, Label, Message, MessageId,
    RuleScope, SessionId, UserId,
};
use gate::{
    Circumstances, Party, Verdict, Wanted, Why, argument_digest, shown_arguments, virtual_tools::TELL_PEER,
};
use serde_json::{Value, json};
use store::{
    DataKey, Tx, approvals,
    audit::{self, Action},
    log::{self, Entry},
    messages, rules, sessions,
};

/// Each try that finds another's request there ends; a second one finds it.
const TRIES: usize = 4;
/// Answers to peers about which a person may be asked at the same time: in one conversation, and in all of theirs. They count among
/// nothing else, so that no stranger can use up what agents may ask. THREAT[chat-04]
const HELD_IN_SESSION: u64 = 8;
const HELD_FOR_PERSON: u64 = 20;

/// What a peer hears while their person has not decided.
pub const HELD: &str =
    "I need an approval before I can answer this. The answer will be available once it is approved.";
/// What they hear when it was denied.
pub const DENIED: &str = "I am not allowed to answer this.";

/// What they hear of a reply that came to nothing. Why is said to its person alone: a provider's words may repeat what the model was told,
/// and name a server at home, and a budget names sums.
pub const NOT_ANSWERED: &str = "I could not answer this. Please try again later.";

/// What becomes of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Telling {
    /// The peer may read it.
    Told(String),
    /// Its person is asked first.
    Held(ApprovalId),
    Denied,
}

/// An answer on its way out.
struct PeerAnswer<'a> {
    user: UserId,
    session: SessionId,
    agent: &'a Agent,
    message: &'a Message,
    peer: &'a Peer,
}

impl PeerAnswer<'_> {
    /// In the form of a call; no transcript ever has it. The message names it, so that it is asked about once.
    fn call(&self) -> CallId {
        CallId::from_uuid(*self.message.id.as_uuid())
    }

    fn arguments(&self) -> Value {
        json!({ "source": self.peer.source, "sender": self.peer.sender, "text": self.message.content })
    }

    /// The peer who asks is a stranger, whatever their words were declared to be: what counts is what is private.
    fn label(&self) -> Label {
        if is_kept(self.message) { Label::WORST } else { Label::UNTRUSTED_PUBLIC }
    }

    /// Is this the request about this answer, and open?
    fn waits_for(&self, asked: &Approval) -> bool {
        self.is_about(asked) && asked.status == ApprovalStatus::Pending
    }

    fn is_about(&self, asked: &Approval) -> bool {
        asked.call_id == self.call() && asked.tool == TELL_PEER.name
    }

    fn verdict(&self, gathered: &Gathered) -> Verdict {
        let (call, arguments) = (self.call(), self.arguments());
        let words = self.agent.tool_rules.clone();
        let party = Party { agent: self.agent.id, granted: true, permission: TELL_PEER.permission, words };
        gate::decide(&Circumstances {
            wanted: Wanted { call, name: TELL_PEER.name, arguments: &arguments },
            tool: Some(TELL_PEER.facts),
            checked: Ok(()),
            user: self.user,
            parties: &[party],
            sessions: &[self.session],
            rules: &gathered.rules,
            label: self.label(),
            site: None,
            attended: gathered.attended,
            answer: gathered.asked.iter().find(|asked| self.is_about(asked)),
            asked: &[],
        })
    }

    fn approval(&self, engine: &Engine, why: &[Why]) -> Approval {
        let (now, arguments) = (engine.now(), self.arguments());
        let expiry = engine.inner.settings.approvals.expiry;
        let expiry = i64::try_from(expiry.as_millis()).unwrap_or(i64::MAX);
        Approval {
            id: ApprovalId::from_uuid(engine.inner.ids.uuid()),
            session_id: self.session,
            turn_id: self.message.turn_id,
            call_id: self.call(),
            tool: TELL_PEER.name.to_owned(),
            shown: shown_arguments::arguments(&[], &arguments, !guards_off::shown_is_off()),
            danger: Danger::Moderate,
            why: why.iter().map(words_of).collect(),
            digest: argument_digest::digest(
                TELL_PEER.name,
                self.agent.id,
                self.session,
                self.call(),
                &arguments,
            ),
            arguments,
            scopes: vec![RuleScope::Once],
            host: None,
            workplace: None,
            reaches: None,
            label: Some(self.label()),
            status: ApprovalStatus::Pending,
            reason: None,
            expires_at: now.plus_millis(expiry),
            created_at: now,
        }
    }
}

fn words_of(why: &Why) -> String {
    match why {
        Why::RuleOfTwo => "This reply goes to a person outside of this server, and the agent has read private data that did not come from \
                           them."
            .to_owned(),
        why => why.to_string(),
    }
}

/// What a decision depends on, as it is now.
struct Gathered {
    agent: Agent,
    message: Message,
    rules: Vec<domain::Rule>,
    asked: Vec<Approval>,
    attended: bool,
}

impl Engine {
    /// Gives a peer the message that answers them, or has its person asked. Asked again, it says what was decided.
    pub async fn tell_peer(
        &self,
        user: UserId,
        peer: &Peer,
        session: SessionId,
        message: MessageId,
    ) -> Result<Telling> {
        let key = self.store().data_key(user).await?;
        for _ in 0..TRIES {
            let (engine, opening) = (self.clone(), key.clone());
            let read = move |tx: &mut Tx| engine.gather(tx, &opening, user, session, message);
            let gathered = self.store().read(read).await?.ok_or(Error::NotFound("message"))?;
            // Ordinary answers are many, and no person decides anything about them.
            if !is_kept(&gathered.message)
                && let Verdict::Run { spends } = gathered.answer(user, session, peer).verdict(&gathered)
                && spends.is_empty()
            {
                return Ok(Telling::Told(gathered.message.content));
            }
            let (engine, peer, key) = (self.clone(), peer.clone(), key.clone());
            let work = async move {
                let writer = engine.clone();
                let write = move |tx: &mut Tx| {
                    let gathered = writer.gather(tx, &key, user, session, message)?;
                    let gathered = gathered.ok_or(store::Error::NotFound)?;
                    writer.weigh_answer(tx, &key, &gathered, &gathered.answer(user, session, &peer))
                };
                match engine.store().attempt(write).await {
                    Ok((telling, events)) => {
                        engine.publish(user, session, &events);
                        Ok(Some(telling))
                    }
                    Err(TellRefusal::AskedMeanwhile) => Ok(None),
                    Err(refusal) => Err(refusal.into()),
                }
            };
            if let Some(telling) = self.undisturbed(work).await? {
                return Ok(telling);
            }
        }
        Err(Error::Internal)
    }

    /// What a peer may read of a message while its turn waits. The gate decides as it does about the answer, but no person is asked about a
    /// text that may not be the last one, and no rule is used up for it.
    pub async fn told_meanwhile(
        &self,
        user: UserId,
        peer: &Peer,
        session: SessionId,
        message: MessageId,
    ) -> Result<String> {
        let (engine, key) = (self.clone(), self.store().data_key(user).await?);
        let read = move |tx: &mut Tx| engine.gather(tx, &key, user, session, message);
        let Some(gathered) = self.store().read(read).await? else { return Ok(HELD.to_owned()) };
        Ok(match gathered.answer(user, session, peer).verdict(&gathered) {
            Verdict::Run { spends } if spends.is_empty() && !is_kept(&gathered.message) => {
                gathered.message.content
            }
            Verdict::Run { .. } | Verdict::Ask { .. } => HELD.to_owned(),
            Verdict::Deny(_) | Verdict::Refuse(_) => DENIED.to_owned(),
        })
    }

    fn gather(
        &self,
        tx: &mut Tx,
        key: &DataKey,
        user: UserId,
        session: SessionId,
        message: MessageId,
    ) -> store::Result<Option<Gathered>> {
        let vault = self.store().vault();
        let Some(mut message) = messages::get(tx, key, user, session, message)? else {
            return Ok(None);
        };
        // A peer is told what people are shown.
        if let Some(shown) = message.meta.shown.take() {
            message.content = shown.into_string();
        }
        if is_notice(&message) {
            message.content = NOT_ANSWERED.to_owned();
            message.label = Label::TRUSTED_PUBLIC;
        }
        let Some(staffed) = sessions::with_agent(tx, vault, key, user, session)? else {
            return Ok(None);
        };
        let (in_session, for_person) = approvals::count_of_ended(tx, user, session)?;
        Ok(Some(Gathered {
            agent: staffed.agent,
            rules: rules::for_call(tx, vault, user, &[session], self.now())?,
            asked: approvals::of_turn(tx, key, message.turn_id)?,
            attended: in_session < HELD_IN_SESSION && for_person < HELD_FOR_PERSON,
            message,
        }))
    }

    fn weigh_answer(
        &self,
        tx: &mut Tx,
        key: &DataKey,
        gathered: &Gathered,
        answer: &PeerAnswer<'_>,
    ) -> Result<(Telling, Vec<Event>), TellRefusal> {
        if let Some(waiting) = gathered.asked.iter().find(|asked| answer.waits_for(asked)) {
            return Ok((Telling::Held(waiting.id), Vec::new()));
        }
        let (action, reason, telling, asks) = match answer.verdict(gathered) {
            Verdict::Run { spends } => {
                spend(tx, &spends)?;
                (Action::ToolAllowed, None, Telling::Told(answer.message.content.clone()), None)
            }
            Verdict::Ask { why, .. } => {
                let approval = answer.approval(self, &why);
                (Action::ToolAsked, why.first().map(Why::word), Telling::Held(approval.id), Some(approval))
            }
            Verdict::Deny(why) => (Action::ToolDenied, Some(why.word()), Telling::Denied, None),
            Verdict::Refuse(_) => (Action::ToolRefused, Some("malformed"), Telling::Denied, None),
        };
        let events = match asks {
            Some(approval) => self.hold(tx, key, answer, approval)?,
            None => Vec::new(),
        };
        let detail = json!({
            "session_id": answer.session, "tool": TELL_PEER.name, "reason": reason, "label": answer.message.label,
        });
        let actor = answer.agent.id.to_string();
        let entry = self.entry(actor, Some(answer.user), action, answer.call(), detail);
        audit::append(tx, self.store().vault(), entry)?;
        Ok((telling, events))
    }

    fn hold(
        &self,
        tx: &mut Tx,
        key: &DataKey,
        answer: &PeerAnswer<'_>,
        approval: Approval,
    ) -> Result<Vec<Event>, TellRefusal> {
        let (session, user, now) = (answer.session, answer.user, self.now());
        // From here on no other request asks; one that has just done so is found.
        let numbers = sessions::take_seq(tx, user, session, 1, now)?;
        let asked = approvals::of_turn(tx, key, approval.turn_id)?;
        if asked.iter().any(|asked| answer.waits_for(asked)) {
            return Err(TellRefusal::AskedMeanwhile);
        }
        approvals::insert(tx, key, user, &approval)?;
        let turn_id = Some(approval.turn_id);
        let body = EventBody::ApprovalRequest { approval: Box::new(approval), offset: None };
        Ok(log::append(tx, key, numbers, now, vec![Entry::Event { turn_id, body }])?)
    }
}

/// Why nothing was decided about an answer.
#[derive(Debug, thiserror::Error)]
enum TellRefusal {
    /// Another request for the same answer was faster.
    #[error("a person has been asked about this answer meanwhile")]
    AskedMeanwhile,
    #[error(transparent)]
    Spend(#[from] SpendRefusal),
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl From<TellRefusal> for Error {
    fn from(refusal: TellRefusal) -> Self {
        match refusal {
            TellRefusal::Store(error) | TellRefusal::Spend(SpendRefusal::Store(error)) => Self::Store(error),
            TellRefusal::AskedMeanwhile | TellRefusal::Spend(SpendRefusal::Spent) => Self::Internal,
        }
    }
}

impl Gathered {
    fn answer<'a>(&'a self, user: UserId, session: SessionId, peer: &'a Peer) -> PeerAnswer<'a> {
        PeerAnswer { user, session, agent: &self.agent, message: &self.message, peer }
    }
}

/// Does it hold what its peer did not bring?
fn is_kept(message: &Message) -> bool {
    message.label.is_kept_from_peers() && is_guarded()
}

/// Does the server say in it what went wrong?
fn is_notice(message: &Message) -> bool {
    message.is_told() && is_guarded()
}

fn is_guarded() -> bool {
    !guards_off::labels_are_off() && !guards_off::gate_is_off()
}

#[cfg(test)]
#[path = "tell_peer_tests.rs"]
mod tests;
