//! Questions to people. Each belongs to a call that waits; it is answered once.

use crate::{DataKey, Page, Paged, Result, Tx, args, crypto::seal::CellPlace, database::row::row};
use domain::{
    CallId, Question, QuestionId, QuestionMode, QuestionStatus, SessionId, Timestamp, TurnId, UserId,
};
use serde::{Deserialize, Serialize};

row! {
    struct QuestionRow {
        id: QuestionId,
        session_id: SessionId,
        turn_id: TurnId,
        call_id: CallId,
        status: QuestionStatus,
        mode: QuestionMode,
        created_at: Timestamp,
        body: Vec<u8>,
        answer: Option<Vec<u8>>,
    }
}

const COLUMNS: &str =
    "q.id, q.session_id, q.turn_id, q.call_id, q.status, q.mode, q.created_at, q.body, q.answer";

#[derive(Serialize, Deserialize)]
struct QuestionBody {
    question: String,
    timeout_ms: Option<u64>,
    options: Vec<String>,
    default: Option<String>,
}

fn body_place(id: &QuestionId) -> CellPlace<'_> {
    CellPlace::new("questions", "body", id)
}

fn answer_place(id: &QuestionId) -> CellPlace<'_> {
    CellPlace::new("questions", "answer", id)
}

impl QuestionRow {
    fn open(self, key: &DataKey) -> Result<Question> {
        let body: QuestionBody = key.open_json(body_place(&self.id), &self.body)?;
        let sealed = self.answer.as_deref();
        let answer = sealed.map(|sealed| key.open_text(answer_place(&self.id), sealed)).transpose()?;
        Ok(Question {
            id: self.id,
            session_id: self.session_id,
            turn_id: self.turn_id,
            call_id: self.call_id,
            question: body.question,
            mode: self.mode,
            timeout_ms: body.timeout_ms,
            options: body.options,
            default: body.default,
            status: self.status,
            answer,
            created_at: self.created_at,
        })
    }
}

/// Stores a question that its person has not answered yet. One that is limited in time ends by itself at `expires_at`.
pub fn insert(
    tx: &mut Tx,
    key: &DataKey,
    user: UserId,
    question: &Question,
    expires_at: Option<Timestamp>,
) -> Result<()> {
    let body = QuestionBody {
        question: question.question.clone(),
        timeout_ms: question.timeout_ms,
        options: question.options.clone(),
        default: question.default.clone(),
    };
    let sealed = key.seal_json(body_place(&question.id), &body)?;
    tx.run(
        "INSERT INTO questions (id, session_id, turn_id, call_id, user_id, status, mode, expires_at, created_at, body) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        args![
            question.id,
            question.session_id,
            question.turn_id,
            question.call_id,
            user,
            question.status,
            question.mode,
            expires_at,
            question.created_at,
            sealed
        ],
    )?;
    Ok(())
}

pub fn get(tx: &mut Tx, key: &DataKey, user: UserId, id: QuestionId) -> Result<Option<Question>> {
    let sql = format!("SELECT {COLUMNS} FROM questions q WHERE q.id = $1 AND q.user_id = $2");
    tx.maybe::<QuestionRow>(&sql, args![id, user])?.map(|row| row.open(key)).transpose()
}

/// The questions that wait for this person, the oldest first.
pub fn open(tx: &mut Tx, key: &DataKey, user: UserId, page: &Page) -> Result<Paged<Question>> {
    let sql = "SELECT COUNT(*) FROM questions WHERE user_id = $1 AND status = 'pending'";
    let total = tx.one(sql, args![user])?;
    let after: Option<QuestionId> = page.cursor_as()?;
    let sql = format!(
        "SELECT {COLUMNS} FROM questions q WHERE q.user_id = $1 AND q.status = 'pending' \
         AND ($2 IS NULL OR q.id > $2) ORDER BY q.id LIMIT $3"
    );
    let piece =
        tx.piece::<QuestionRow>(&sql, args![user, after, crate::database::page::one_more(page.limit)])?;
    Paged::from_piece(piece, page.limit, total, |row| row.id.to_string()).try_map(|row| row.open(key))
}

/// The questions for which a turn waits, the oldest first.
pub fn open_of_turn(tx: &mut Tx, key: &DataKey, turn: TurnId) -> Result<Vec<Question>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM questions q WHERE q.turn_id = $1 AND q.status = 'pending' ORDER BY q.id"
    );
    tx.all::<QuestionRow>(&sql, args![turn])?.into_iter().map(|row| row.open(key)).collect()
}

/// Answers of which the calls of the turn have not heard yet.
pub fn unheard(tx: &mut Tx, key: &DataKey, turn: TurnId) -> Result<Vec<Question>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM questions q JOIN calls c ON c.id = q.call_id \
         WHERE q.turn_id = $1 AND q.status IN ('answered', 'expired') AND c.status = 'waiting' ORDER BY q.id"
    );
    tx.all::<QuestionRow>(&sql, args![turn])?.into_iter().map(|row| row.open(key)).collect()
}

/// Gives a question its one answer; `false` when it no longer waits.
pub fn answer(
    tx: &mut Tx,
    key: &DataKey,
    id: QuestionId,
    status: QuestionStatus,
    answer: &str,
    at: Timestamp,
) -> Result<bool> {
    let sealed = key.seal(answer_place(&id), answer.as_bytes())?;
    let sql = "UPDATE questions SET status = $2, answer = $3, settled_at = $4 \
               WHERE id = $1 AND status = 'pending'";
    Ok(tx.run(sql, args![id, status, sealed, at])? > 0)
}

/// The call of a question was settled without an answer.
pub fn withdraw(tx: &mut Tx, call: CallId, at: Timestamp) -> Result<()> {
    let sql = "UPDATE questions SET status = 'withdrawn', settled_at = $2 \
               WHERE call_id = $1 AND status = 'pending'";
    tx.run(sql, args![call, at])?;
    Ok(())
}

/// Questions whose time is over, with their people.
pub fn due(tx: &mut Tx, now: Timestamp) -> Result<Vec<(QuestionId, UserId)>> {
    let sql =
        "SELECT id, user_id FROM questions WHERE status = 'pending' AND expires_at <= $1 ORDER BY expires_at";
    tx.all(sql, args![now])
}

/// When the next question's time is over.
pub fn next_due(tx: &mut Tx) -> Result<Option<Timestamp>> {
    let sql = "SELECT expires_at FROM questions WHERE status = 'pending' AND expires_at IS NOT NULL \
               ORDER BY expires_at LIMIT 1";
    tx.maybe(sql, args![])
}
