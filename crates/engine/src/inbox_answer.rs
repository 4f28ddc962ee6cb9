//! What a person says while a turn waits for them is the answer.

use super::{Outcome, Prepared};
use crate::{
    approvals::{answer_audit, result_event},
    opening::Said,
    questions::{Waker, answered_event, chosen},
};
use domain::{
    AgentState, AnsweredBy, Approval, ApprovalStatus, EventBody, InputMode, MessageKind, Question,
    QuestionMode, QuestionStatus, SessionStatus, TurnId, Usage,
};
use store::{
    Tx, approvals, audit, inbox as rows,
    log::Entry,
    questions,
    sessions::{self, Active, Advance},
};

impl Prepared {
    /// What the words answer: the oldest question that cannot go on without an answer, or else the oldest.
    pub(super) async fn question(&self, tx: &mut Tx, turn: TurnId) -> store::Result<Option<Question>> {
        let mut open = questions::open_of_turn(tx, &self.key, turn).await?;
        let demand = open.iter().position(|question| question.mode == QuestionMode::Demand);
        let index = demand.unwrap_or(0);
        Ok((index < open.len()).then(|| open.swap_remove(index)))
    }

    /// What the words refuse: everything of the turn that waits for a yes.
    pub(super) async fn open_approvals(&self, tx: &mut Tx, turn: TurnId) -> store::Result<Vec<Approval>> {
        let mut asked = approvals::of_turn(tx, &self.key, turn).await?;
        asked.retain(|approval| approval.status == ApprovalStatus::Pending);
        Ok(asked)
    }

    pub(super) async fn answer(self, tx: &mut Tx, question: Question) -> store::Result<Outcome> {
        let answer = chosen(&question, &self.input.content);
        let (status, id, turn_id) = (QuestionStatus::Answered, question.id, question.turn_id);
        if !questions::answer(tx, &self.key, id, status, &answer, self.now).await? {
            return Err(store::Error::Answered);
        }
        let event = answered_event(&question, &answer, AnsweredBy::User);
        self.say(tx, turn_id, vec![event]).await
    }

    /// Who speaks instead of saying yes has said no, and why.
    pub(super) async fn refuse(
        self,
        tx: &mut Tx,
        turn_id: TurnId,
        open: Vec<Approval>,
    ) -> store::Result<Outcome> {
        let reason = Some(self.input.content.clone());
        let (mut events, mut audits) = (Vec::with_capacity(open.len()), Vec::with_capacity(open.len()));
        let (no, user, now) = (ApprovalStatus::Denied, self.session.user_id, self.now);
        for approval in &open {
            if !approvals::settle(tx, &self.key, approval.id, no, reason.as_deref(), now).await? {
                return Err(store::Error::Answered);
            }
            events.push(result_event(approval.id, no, AnsweredBy::User, None, &reason));
            audits.push(answer_audit(approval, no, None, (user, format!("{user} by a message")), now));
        }
        let vault = self.engine.store().vault().clone();
        let said = self.say(tx, turn_id, events).await?;
        audit::append_all(tx, &vault, audits).await?;
        Ok(said)
    }

    /// The words enter the conversation, and the turn goes on with what they decided.
    async fn say(self, tx: &mut Tx, turn_id: TurnId, decided: Vec<EventBody>) -> store::Result<Outcome> {
        rows::set_turn(tx, self.input.id, turn_id, InputMode::Answer).await?;
        let said = Said {
            text: self.input.content.clone(),
            attachments: self.input.attachments.clone(),
            sender: self.input.sender.clone(),
            asker: None,
            label: self.input.label,
        };
        let mut message = self.engine.user_message(turn_id, said, self.now);
        // The agent hears of it as the result of its call.
        message.meta.kind = Some(MessageKind::Answer);
        let event = |body| Entry::Event { turn_id: Some(turn_id), body };
        let mut entries = vec![self.accepted(turn_id, InputMode::Answer), Entry::Message(message)];
        entries.extend(decided.into_iter().map(event));
        entries.push(event(EventBody::AgentStatus { state: AgentState::Working }));
        let advance = Advance {
            events: entries.len() as u64,
            messages: 1,
            usage: Usage::ZERO,
            steered: 0,
            status: SessionStatus::Working,
            active: Active::Keep,
            now: self.now,
        };
        let last_seq = sessions::advance(tx, self.session.id, advance).await?.last_seq;
        self.use_attachments(tx).await?;
        rows::consume(tx, &[self.input.id], self.now).await?;
        let events = self.append(tx, last_seq, entries).await?;
        let (engine, key, session_id, now) = (&self.engine, &self.key, self.session.id, self.now);
        let waker = Waker { engine, key, session_id, now };
        let woken = waker.wake(tx, self.session.user_id, turn_id).await?.ok_or(store::Error::Answered)?;
        Ok(Outcome::Answered { turn_id, events, woken: Box::new(woken) })
    }
}
