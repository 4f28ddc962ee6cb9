//! What waits for its person and was shown to them: the line that is typed next answers it, by its name.

use super::{approval, element::Asked};
use crate::terminal::Look;
use domain::{Answers, Approval, Question, Timestamp, TurnId};

#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    Approval(Box<Approval>),
    Question(Box<Question>),
}

impl Request {
    /// By which an answer names it.
    pub fn name(&self) -> Answers {
        match self {
            Self::Approval(approval) => Answers::ApprovalId(approval.id),
            Self::Question(question) => Answers::QuestionId(question.id),
        }
    }

    pub fn turn_id(&self) -> TurnId {
        match self {
            Self::Approval(approval) => approval.turn_id,
            Self::Question(question) => question.turn_id,
        }
    }

    pub fn since(&self) -> Timestamp {
        match self {
            Self::Approval(approval) => approval.created_at,
            Self::Question(question) => question.created_at,
        }
    }

    pub fn lines(&self, look: Look) -> String {
        match self {
            Self::Approval(approval) => approval::lines(look, approval),
            Self::Question(question) => Asked::of(question).lines(look),
        }
    }
}
