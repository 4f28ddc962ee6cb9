//! `chat --once`: one message, its reply on stdout and nothing else, for scripts.

use super::{
    approval,
    element::outcome,
    request::Request,
    talk::Talk,
    transcript::{Piece, anew},
    turn::{Finished, OutgoingMessage, Sink, TurnCause, follow},
};
use crate::{
    error::{Error, Result, advised},
    terminal::{Look, Markdown, columns, neutral},
};
use domain::{Answers, QuestionId, SessionId, StopReason, TurnOutcome};
use serde_json::json;
use std::io::{Stdout, Write as _, stdout};
use tokio::signal::unix::{SignalKind, signal};

pub async fn once(talk: &mut Talk, message: OutgoingMessage, answers: Option<QuestionId>) -> Result<()> {
    let mut interrupt = signal(SignalKind::interrupt()).map_err(Error::disconnected)?;
    let look = Look::detect();
    let mut sink = Plain {
        out: stdout(),
        is_silent: talk.context.json,
        at_line_start: true,
        instead: String::new(),
        markdown: look.is_on_screen().then(|| Markdown::new(look)),
    };
    let cause = match answers {
        Some(question) => TurnCause::Reply(message.text, Answers::QuestionId(question), Box::default()),
        None => TurnCause::Message(message),
    };
    let finished = follow(talk, cause, &mut sink, &mut interrupt).await;
    if let Ok(Some(finished)) = &finished
        && verdict(finished, None).is_ok()
    {
        let said = std::mem::take(&mut sink.instead);
        sink.show(Piece::Text(said))?;
    }
    sink.end_line()?;
    let Some(finished) = finished? else {
        return Err(advised("You stopped waiting.", "The reply continues on the server."));
    };
    if talk.context.json {
        print_json(talk, &finished).await?;
    }
    verdict(&finished, talk.session)
}

async fn print_json(talk: &Talk, finished: &Finished) -> Result<()> {
    let message = match finished.turn {
        Some(turn) => talk.reply(turn).await?,
        None => serde_json::Value::Null,
    };
    let answer = json!({
        "session_id": talk.session,
        "turn_id": finished.turn,
        "outcome": finished.ended.as_ref().map_or(json!("input_required"), |ended| json!(ended.outcome)),
        "waiting": finished.requests.iter().map(Request::name).collect::<Vec<_>>(),
        "message": message,
        "usage": finished.ended.as_ref().map(|ended| ended.usage),
        "error": finished.ended.as_ref().and_then(|ended| ended.error.clone()),
    });
    writeln!(stdout(), "{answer}").map_err(Error::Output)
}

/// Zero only when the turn did what it was asked to.
pub fn verdict(finished: &Finished, session: Option<SessionId>) -> Result<()> {
    let Some(ended) = &finished.ended else { return Err(waits(finished.requests.first())) };
    let again =
        session.map_or_else(String::new, |id| format!(" (majordomo chat --session {id}, then /retry)"));
    let said = ended.error.as_ref().map(|error| error.message.clone());
    match ended.outcome {
        TurnOutcome::Completed => Ok(()),
        TurnOutcome::Cancelled => {
            Err(advised("The reply was stopped.", "If that was a mistake, send the message again."))
        }
        TurnOutcome::Limit => Err(advised(
            said.unwrap_or_else(|| "The reply reached a limit.".to_owned()),
            format!("Continue in the same conversation{again}, or raise the limits of the agent."),
        )),
        TurnOutcome::Failed => Err(advised(
            said.unwrap_or_else(|| "The reply failed.".to_owned()),
            format!("Your message is saved. Try it again{again}, or run `majordomo doctor`."),
        )),
    }
}

/// What has to be answered before the turn goes on, and how.
fn waits(request: Option<&Request>) -> Error {
    match request {
        Some(request) => advised(request.waits(), request.how()),
        None => {
            advised("The agent is waiting for your answer.", "Answer on the page, or in `majordomo chat`.")
        }
    }
}

/// The reply's words, harmless, and nothing else.
struct Plain {
    out: Stdout,
    is_silent: bool,
    at_line_start: bool,
    /// What was said in the place of a reply. Why a turn failed is said once, on stderr, by how it ended.
    instead: String,
    /// Where a person reads it on a screen.
    markdown: Option<Markdown>,
}

impl Plain {
    fn end_line(&mut self) -> Result<()> {
        if let Some(markdown) = &mut self.markdown {
            let rest = markdown.finish(columns().into());
            write!(self.out, "{rest}").and_then(|()| self.out.flush()).map_err(Error::Output)?;
        }
        if !std::mem::replace(&mut self.at_line_start, true) && !self.is_silent {
            writeln!(self.out).and_then(|()| self.out.flush()).map_err(Error::Output)?;
        }
        Ok(())
    }

    fn block(&mut self, lines: Option<String>) -> Result<()> {
        let Some(lines) = lines.filter(|_| !self.is_silent) else { return Ok(()) };
        self.end_line()?;
        writeln!(self.out, "{lines}").and_then(|()| self.out.flush()).map_err(Error::Output)
    }
}

impl Sink for Plain {
    const STAYS: bool = false;

    fn show(&mut self, piece: Piece) -> Result<()> {
        match piece {
            Piece::Begin => self.end_line(),
            Piece::Text(_) if self.is_silent => Ok(()),
            Piece::Text(text) => {
                let Some(last) = text.chars().last() else { return Ok(()) };
                if let Some(markdown) = &mut self.markdown {
                    let lines = markdown.push(&text, columns().into());
                    return write!(self.out, "{lines}")
                        .and_then(|()| self.out.flush())
                        .map_err(Error::Output);
                }
                self.at_line_start = last == '\n';
                write!(self.out, "{}", neutral(&text)).and_then(|()| self.out.flush()).map_err(Error::Output)
            }
            Piece::Anew(why) => {
                self.end_line()?;
                self.notice(&anew(why, "Ignore what was printed of it before."));
                Ok(())
            }
            Piece::Stopped(StopReason::Length) => {
                self.notice("The reply was cut off at the length limit. Send “Continue” to the same conversation to get the rest.");
                Ok(())
            }
            Piece::Trouble(text) => {
                self.notice(&text);
                Ok(())
            }
            Piece::Retrying { attempt, of, wait_ms, why } => {
                self.notice(&Piece::retrying(attempt, of, wait_ms, &why));
                Ok(())
            }
            Piece::Element(view) => self.block(view.lines(Look::PLAIN)),
            Piece::Outcome { kind, ok, text } => self.block(Some(outcome(Look::PLAIN, &kind, ok, &text))),
            Piece::Question(asked) => self.block(Some(asked.lines(Look::PLAIN))),
            Piece::Approval(approval) => self.block(Some(approval::lines(Look::PLAIN, &approval))),
            Piece::Errand(agent) => {
                self.notice(&format!("{agent} is working on it."));
                Ok(())
            }
            Piece::Failed(text) => {
                self.instead.push_str(&text);
                Ok(())
            }
            Piece::Settled(_)
            | Piece::Thinking(_)
            | Piece::Call { .. }
            | Piece::Running { .. }
            | Piece::Said(_)
            | Piece::Stopped(_) => Ok(()),
        }
    }

    fn notice(&mut self, text: &str) {
        eprintln!("majordomo: {}", neutral(text));
    }
}
