//! A message that names what it answers: a question that its author was shown, or an approval that it denies.
//!
//! THREAT[inbox-01] The inbox never takes words for an answer because something happens to wait: their author may not have
//! seen it. And a message approves nothing: an approval needs the digest of what was shown, which a message does not have.

use crate::{
    claim::{
        input_refusal::InputRefusal,
        new_input::{InputOutcome, NewMessage, PreparedInput},
        opening::IncomingWords,
        wake_turn::{ParkedTurnWaker, working},
    },
    engine::Engine,
    error::{Error, Result},
    waiting::{
        approvals::{self as requests, answer_audit, result_event},
        questions::{self as asked, answered_event, chosen},
    },
};
use domain::{
    AgentState, AnsweredBy, Answers, Approval, ApprovalStatus, EventBody, InputMode, MessageKind, Question,
    QuestionStatus, SessionStatus, TurnId, Usage,
};
use store::{
    Tx, approvals, audit, inbox as rows,
    log::Entry,
    questions,
    sessions::{self, Active, Advance, Numbers},
};

/// What an answer writes into the log: that it was accepted, its words, and what they decided.
const ENTRIES: u64 = 3;
/// Words that sound like a yes.
const YES: [&str; 9] = ["y", "yes", "ok", "okay", "sure", "approve", "approved", "allow", "always"];
/// A no without a reason.
const NO: [&str; 4] = ["n", "no", "deny", "denied"];

/// Whether the words can answer what they name, whatever that is.
pub(crate) fn check(message: &NewMessage) -> Result<()> {
    let Some(answers) = message.answers else {
        if message.mode == InputMode::Answer {
            let detail = "An answer must name what it answers: put question_id or approval_id into `answers`, or leave out \
                          `mode` to send an ordinary message.";
            return Err(Error::conflict("nothing_to_answer", detail));
        }
        return Ok(());
    };
    if !message.source.rules().may_answer {
        let detail = "Messages from a bridge are from other people and cannot answer this. Answer in the terminal or on the \
                      page.";
        return Err(Error::forbidden("scope_insufficient", detail));
    }
    match answers {
        Answers::QuestionId(_) => asked::check_answer(&message.content),
        Answers::ApprovalId(_) if YES.contains(&bare(&message.content).as_str()) => {
            let detail = "A message can only deny an approval, with its text as the reason. To approve, send the \
                          decision and the digest to POST /v1/approvals/{id}.";
            Err(Error::invalid("decision_needed", detail))
        }
        Answers::ApprovalId(_) => requests::check_reason(&message.content),
    }
}

/// One word as it was meant, without what stands around it.
fn bare(words: &str) -> String {
    words.trim().trim_end_matches(['.', '!']).to_lowercase()
}

impl Engine {
    /// Why what a message names cannot be answered by it.
    pub(crate) async fn unanswerable(&self, message: &NewMessage) -> Error {
        let (user, session) = (message.user_id, message.session_id);
        match message.answers {
            Some(Answers::QuestionId(id)) => match self.question(user, id).await {
                Ok(question) if question.session_id != session => Error::NotFound("question"),
                Ok(question) => asked::settled(question.status),
                Err(error) => error,
            },
            Some(Answers::ApprovalId(id)) => match self.approval(user, id).await {
                Ok(approval) if approval.session_id != session => Error::NotFound("approval"),
                Ok(approval) => requests::settled(approval.status),
                Err(error) => error,
            },
            None => Error::Internal,
        }
    }
}

impl PreparedInput {
    /// As [`PreparedInput::store`], also for an input that answers something.
    pub(crate) fn store_or_answer(self, tx: &mut Tx) -> Result<InputOutcome, InputRefusal> {
        let Some(answers) = self.answers else { return self.store(tx) };
        match self.insert(tx)? {
            Some(repeat) => Ok(repeat),
            None => self.answer(tx, answers),
        }
    }

    /// [`InputRefusal::NothingToAnswer`] when what it names does not wait in this session. The session first, as everybody who
    /// writes to one.
    fn answer(self, tx: &mut Tx, answers: Answers) -> Result<InputOutcome, InputRefusal> {
        let (user, session) = (self.session.user_id, self.session.id);
        let advance = Advance {
            events: ENTRIES,
            messages: 1,
            usage: Usage::ZERO,
            steered: 0,
            status: SessionStatus::Working,
            active: Active::Keep,
            now: self.now,
        };
        let numbers = sessions::advance(tx, user, session, advance)?.numbers;
        match answers {
            Answers::QuestionId(id) => {
                let found = questions::get(tx, &self.key, user, id)?;
                let waits = |question: &Question| {
                    question.session_id == session && question.status == QuestionStatus::Pending
                };
                self.reply(tx, found.filter(waits).ok_or(InputRefusal::NothingToAnswer)?, numbers)
            }
            Answers::ApprovalId(id) => {
                let found = approvals::get(tx, &self.key, user, id)?;
                let waits = |approval: &Approval| {
                    approval.session_id == session && approval.status == ApprovalStatus::Pending
                };
                self.refuse(tx, found.filter(waits).ok_or(InputRefusal::NothingToAnswer)?, numbers)
            }
        }
    }

    fn reply(self, tx: &mut Tx, question: Question, numbers: Numbers) -> Result<InputOutcome, InputRefusal> {
        let answer = chosen(&question, &self.input.content);
        let (status, id, turn_id) = (QuestionStatus::Answered, question.id, question.turn_id);
        if !questions::answer(tx, &self.key, id, status, &answer, self.now)? {
            return Err(InputRefusal::NothingToAnswer);
        }
        let event = answered_event(&question, &answer, AnsweredBy::User);
        self.say(tx, turn_id, event, numbers)
    }

    /// Denies with the words as the reason.
    fn refuse(self, tx: &mut Tx, approval: Approval, numbers: Numbers) -> Result<InputOutcome, InputRefusal> {
        let words = &self.input.content;
        let reason = (!NO.contains(&bare(words).as_str())).then(|| words.clone());
        let (no, user, now) = (ApprovalStatus::Denied, self.session.user_id, self.now);
        if !approvals::settle(tx, &self.key, approval.id, no, reason.as_deref(), now)? {
            return Err(InputRefusal::NothingToAnswer);
        }
        let event = result_event(approval.id, no, AnsweredBy::User, None, &reason);
        let entry = answer_audit(&approval, no, None, (user, format!("{user} by a message")), now);
        let vault = self.engine.store().vault().clone();
        let said = self.say(tx, approval.turn_id, event, numbers)?;
        audit::append(tx, &vault, entry)?;
        Ok(said)
    }

    /// The words enter the conversation, and the turn goes on with what they decided, or hears of it where it still works.
    fn say(
        self,
        tx: &mut Tx,
        turn_id: TurnId,
        decided: EventBody,
        numbers: Numbers,
    ) -> Result<InputOutcome, InputRefusal> {
        rows::set_turn(tx, self.input.id, turn_id, InputMode::Answer)?;
        let said = IncomingWords {
            text: self.input.content.clone(),
            attachments: self.input.attachments.clone(),
            sender: self.input.sender.clone(),
            asker: None,
            label: self.input.label,
            model: None,
        };
        let mut message = self.engine.user_message(turn_id, said, self.now);
        // The agent hears of it as the result of its call.
        message.meta.kind = Some(MessageKind::Answer);
        let event = |body| Entry::Event { turn_id: Some(turn_id), body };
        // As many as `ENTRIES`.
        let entries =
            vec![self.accepted(turn_id, InputMode::Answer), Entry::Message(message), event(decided)];
        let (session_id, now) = (self.session.id, self.now);
        self.use_attachments(tx)?;
        rows::consume(tx, &[self.input.id], now)?;
        let mut events = self.append(tx, numbers, entries)?;
        let waker = ParkedTurnWaker { engine: &self.engine, key: &self.key, session_id, now };
        let woken = waker.wake(tx, self.session.user_id, turn_id)?;
        if woken.claimed().is_some() {
            let numbers = working(tx, self.session.user_id, session_id, now)?;
            let state = AgentState::Working;
            events.extend(self.append(tx, numbers, vec![event(EventBody::AgentStatus { state })])?);
        }
        Ok(InputOutcome::Answered { turn_id, events, woken })
    }
}
