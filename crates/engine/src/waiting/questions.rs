//! Questions to people: what waits, and what an answer sets going again.

use crate::{
    claim::wake_turn::{ParkedTurnWaker, WokenTurn, working},
    engine::Engine,
    error::{Error, Result},
    waiting::settle_refusal::SettleRefusal,
};
use domain::{
    AgentState, AnsweredBy, Event, EventBody, Question, QuestionId, QuestionStatus, Timestamp, UserId,
};
use store::{
    DataKey, Page, Paged, Tx,
    log::{self, Entry},
    questions as rows,
    sessions::{self, Numbers},
};

/// The longest answer, in bytes.
pub const ANSWER_BYTES: usize = 32 << 10;

impl Engine {
    /// The questions that wait for this person, the oldest first.
    pub async fn questions(&self, user: UserId, page: Page) -> Result<Paged<Question>> {
        let key = self.store().data_key(user).await?;
        Ok(self.store().read(move |tx| rows::open(tx, &key, user, &page)).await?)
    }

    pub async fn question(&self, user: UserId, id: QuestionId) -> Result<Question> {
        let key = self.store().data_key(user).await?;
        let found = self.store().read(move |tx| rows::get(tx, &key, user, id)).await?;
        found.ok_or(Error::NotFound("question"))
    }

    /// Answers a question; its turn goes on. Returns the question as it is then.
    pub async fn answer_question(&self, user: UserId, id: QuestionId, answer: String) -> Result<Question> {
        check_answer(&answer)?;
        let question = self.question(user, id).await?;
        if question.status != QuestionStatus::Pending {
            return Err(settled(question.status));
        }
        let answer = chosen(&question, &answer);
        let engine = self.clone();
        let by = AnsweredBy::User;
        let work = async move { engine.settle_question(user, question, answer, by).await };
        let first = self.undisturbed(work).await?;
        let now = self.question(user, id).await?;
        if first { Ok(now) } else { Err(settled(now.status)) }
    }

    /// Stores an answer and lets the turn go on if nothing else holds it; false when the question waits no longer.
    pub(crate) async fn settle_question(
        &self,
        user: UserId,
        question: Question,
        answer: String,
        by: AnsweredBy,
    ) -> Result<bool> {
        self.check_open()?;
        let key = self.store().data_key(user).await?;
        let (session_id, turn_id) = (question.session_id, question.turn_id);
        let settle =
            SettleQuestion { engine: self.clone(), key, user, question, answer, by, now: self.now() };
        let _claiming = self.claiming(session_id);
        fail::fail_point!("answer_before_commit");
        let written = self.store().attempt(move |tx: &mut Tx| settle.write(tx)).await;
        fail::fail_point!("answer_after_commit");
        self.continue_turn(written, user, session_id, turn_id)
    }
}

/// An answer on its way into the store.
struct SettleQuestion {
    engine: Engine,
    key: DataKey,
    user: UserId,
    question: Question,
    answer: String,
    by: AnsweredBy,
    now: Timestamp,
}

impl SettleQuestion {
    /// The session first, as everybody who writes to one: a worker that parks the turn at the same moment either did so
    /// before, and it is woken here, or will find the answer.
    fn write(self, tx: &mut Tx) -> Result<(Vec<Event>, WokenTurn), SettleRefusal> {
        let session = self.question.session_id;
        let numbers = sessions::take_seq(tx, self.user, session, 1, self.now)?;
        let mut events = self.append(tx, numbers, answered_event(&self.question, &self.answer, self.by))?;
        let status = match self.by {
            AnsweredBy::User => QuestionStatus::Answered,
            AnsweredBy::Timeout => QuestionStatus::Expired,
        };
        if !rows::answer(tx, &self.key, self.question.id, status, &self.answer, self.now)? {
            return Err(SettleRefusal::Settled);
        }
        let waker =
            ParkedTurnWaker { engine: &self.engine, key: &self.key, session_id: session, now: self.now };
        let woken = waker.wake(tx, self.user, self.question.turn_id)?;
        if woken.claimed().is_some() {
            let numbers = working(tx, self.user, session, self.now)?;
            let state = AgentState::Working;
            events.extend(self.append(tx, numbers, EventBody::AgentStatus { state })?);
        }
        Ok((events, woken))
    }

    fn append(&self, tx: &mut Tx, numbers: Numbers, body: EventBody) -> store::Result<Vec<Event>> {
        let entries = vec![Entry::Event { turn_id: Some(self.question.turn_id), body }];
        log::append(tx, &self.key, numbers, self.now, entries)
    }
}

pub(crate) fn answered_event(question: &Question, answer: &str, by: AnsweredBy) -> EventBody {
    EventBody::QuestionAnswered { question_id: question.id, answer: answer.to_owned(), by }
}

/// An option may be named by its number or in another case; everything else is taken as it is.
pub(crate) fn chosen(question: &Question, answer: &str) -> String {
    let trimmed = answer.trim();
    let same = |option: &&String| option.to_lowercase() == trimmed.to_lowercase();
    if let Some(option) = question.options.iter().find(same) {
        return option.clone();
    }
    let number = trimmed.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    number.and_then(|index| question.options.get(index)).cloned().unwrap_or_else(|| answer.to_owned())
}

pub(crate) fn check_answer(answer: &str) -> Result<()> {
    if answer.trim().is_empty() {
        return Err(Error::invalid("empty_answer", "answer: The answer is empty."));
    }
    if answer.len() > ANSWER_BYTES {
        return Err(Error::TooLarge("The answer is too long. The limit is 32 KB.".to_owned()));
    }
    Ok(())
}

pub(crate) fn settled(status: QuestionStatus) -> Error {
    let detail = match status {
        QuestionStatus::Withdrawn => "The reply that asked this has ended. Send a message instead.",
        QuestionStatus::Expired => "This question was not answered in time, so its default was used.",
        QuestionStatus::Answered | QuestionStatus::Pending => "This question was already answered.",
    };
    Error::conflict("question_settled", detail)
}
