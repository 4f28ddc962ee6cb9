//! What waits for its person and was shown to them: the line that is typed next answers it, by its name.

use super::{approval, element::AskedQuestion};
use crate::terminal::Look;
use domain::{Answers, Approval, Question, SessionId, Timestamp, TurnId};

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
            Self::Question(question) => AskedQuestion::of(question).lines(look),
        }
    }

    pub fn session_id(&self) -> SessionId {
        match self {
            Self::Approval(approval) => approval.session_id,
            Self::Question(question) => question.session_id,
        }
    }

    /// What is waited for, in a sentence.
    pub fn waits(&self) -> String {
        match self {
            Self::Approval(approval) => format!("{} is waiting for your approval.", approval.tool),
            Self::Question(_) => "The agent is waiting for your answer.".to_owned(),
        }
    }

    /// How it is answered from a shell.
    pub fn how(&self) -> String {
        match self {
            Self::Approval(approval) => {
                let id = approval.id;
                format!(
                    "Run `majordomo approval approve {id}`, or `majordomo approval deny {id} --reason WORDS`."
                )
            }
            Self::Question(question) => {
                let (id, session) = (question.id, question.session_id);
                format!("To answer, run: majordomo chat --session {session} --answers {id} --once ANSWER")
            }
        }
    }

    /// What is said of one in the session of an agent that works for this one.
    pub fn elsewhere(&self) -> String {
        let asks = match self {
            Self::Approval(approval) => format!("asks for your approval to use {}", approval.tool),
            Self::Question(question) => format!("asks you “{}”", question.question),
        };
        format!(
            "An agent that works on this {asks}. Answer on the page or in another terminal. {}",
            self.how()
        )
    }
}
