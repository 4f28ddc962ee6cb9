//! The loop around the prompt.

use super::{
    command::{Command, HELP, Line},
    input::{Input, Typed},
    once::verdict,
    screen::Screen,
    talk::{Talk, is_working, parse_session},
    turn::{Cause, Finished, follow},
    welcome,
};
use crate::{
    error::{Error, Result},
    terminal::{Look, neutral},
};
use domain::TurnOutcome;
use std::io::{Stdout, stdout};
use tokio::signal::unix::{Signal, SignalKind, signal};

struct Conversation<'a> {
    talk: &'a mut Talk,
    screen: Screen<Stdout>,
    look: Look,
    interrupt: Signal,
    is_terminal: bool,
    has_failed: bool,
}

pub async fn interactive(talk: &mut Talk) -> Result<()> {
    let look = Look::detect();
    let mut input = Input::detect(look.is_coloured());
    let mut conversation = Conversation {
        talk,
        screen: Screen::new(stdout(), look),
        look,
        interrupt: signal(SignalKind::interrupt()).map_err(Error::disconnected)?,
        is_terminal: input.is_terminal(),
        has_failed: false,
    };
    conversation.greet().await?;
    loop {
        let typed = tokio::select! {
            typed = input.next() => typed?,
            _ = conversation.interrupt.recv(), if !conversation.is_terminal => break,
        };
        let line = match typed {
            Typed::End => break,
            Typed::Cleared => continue,
            Typed::Line(line) => line,
        };
        if !conversation.obey(Line::parse(&line)).await? {
            break;
        }
    }
    // In a script the exit code is all that is looked at; at a prompt everything was said already.
    if conversation.has_failed && !conversation.is_terminal { Err(Error::Shown) } else { Ok(()) }
}

fn was_stopped(finished: &Finished) -> bool {
    finished.ended.as_ref().is_some_and(|ended| ended.outcome == TurnOutcome::Cancelled)
}

impl Conversation<'_> {
    async fn greet(&mut self) -> Result<()> {
        if self.is_terminal {
            let greeting = welcome::greeting(self.talk, self.look).await?;
            self.screen.line(&greeting)?;
            for line in welcome::recent(self.talk, self.look).await? {
                self.screen.line(&line)?;
            }
        }
        self.catch_up().await
    }

    /// A turn that runs already is followed before anything else.
    async fn catch_up(&mut self) -> Result<()> {
        let Some(id) = self.talk.session else { return Ok(()) };
        let session = self.talk.fetch_session(id).await?;
        if is_working(&session) {
            self.turn(Cause::Running).await?;
        }
        for asked in self.talk.questions().await? {
            self.screen.line(&asked.lines(self.look))?;
        }
        Ok(())
    }

    /// `false` to leave.
    async fn obey(&mut self, line: Line) -> Result<bool> {
        match line {
            Line::Nothing => {}
            Line::Message(text) => self.turn(Cause::Message(text)).await?,
            Line::Unknown(text) if !self.is_terminal => self.turn(Cause::Message(text)).await?,
            Line::Unknown(text) => {
                let word = text.split_whitespace().next().unwrap_or_default();
                self.screen.line(&format!("there is no command {}; /help lists them", neutral(word)))?;
            }
            Line::Command(Command::Quit) => return Ok(false),
            Line::Command(command) => {
                let outcome = self.command(command).await;
                self.forgive(outcome)?;
            }
        }
        Ok(true)
    }

    async fn command(&mut self, command: Command) -> Result<()> {
        match command {
            Command::Help => self.screen.line(HELP),
            Command::New => {
                self.talk.session = None;
                self.screen.line("a new session begins with your next message")
            }
            Command::Sessions => {
                let list = welcome::sessions(self.talk).await?;
                self.screen.line(&list)
            }
            Command::Session(id) => {
                self.talk.switch(parse_session(&id)?).await?;
                self.greet().await
            }
            Command::Stop => {
                let stopped = self.talk.stop().await?;
                self.screen.line(if stopped { "stopping" } else { "nothing is running" })
            }
            Command::Retry => {
                if self.talk.session.is_none() {
                    return self.screen.line("nothing was said yet");
                }
                self.turn(Cause::Retry).await
            }
            Command::Quit => Ok(()),
        }
    }

    async fn turn(&mut self, cause: Cause) -> Result<()> {
        let outcome = follow(self.talk, cause, &mut self.screen, &mut self.interrupt).await;
        self.screen.end_line()?;
        let outcome = match outcome {
            // The person did it and has seen it.
            Ok(Some(finished)) if self.is_terminal && was_stopped(&finished) => Ok(()),
            // The next line is the answer.
            Ok(Some(Finished { ended: None, .. })) => Ok(()),
            Ok(Some(finished)) => verdict(&finished, None),
            Ok(None) => self.screen.line("left; the turn goes on without you"),
            Err(error) => Err(error),
        };
        self.forgive(outcome)
    }

    /// What went wrong is said, and the conversation goes on; only a screen that is gone ends it.
    fn forgive(&mut self, outcome: Result<()>) -> Result<()> {
        let error = match outcome {
            Ok(()) => return Ok(()),
            Err(error @ Error::Output(_)) => return Err(error),
            Err(error) => error,
        };
        self.has_failed = true;
        let advice = error.advice().map(|advice| format!("\n  → {}", neutral(&advice))).unwrap_or_default();
        let text = format!("{}{advice}", neutral(&error.to_string()));
        if self.is_terminal {
            let text = self.look.red(&text);
            return self.screen.line(&text);
        }
        eprintln!("majordomo: {text}");
        Ok(())
    }
}
