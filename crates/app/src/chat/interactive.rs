//! The loop around the prompt.

use super::{
    approval::{self, ApprovalReply},
    command::{HELP, Line, name},
    completion::known,
    input::{Input, TypedInput},
    keys::QuietKeys,
    once::verdict,
    outgoing::NextMessage,
    request::Request,
    screen::Screen,
    talk::{Talk, is_working},
    transcript::Transcript,
    turn::{Finished, TurnCause, follow},
    watch::{SessionPlace, Watch},
    welcome,
};
use crate::{
    error::{Error, Result, advised},
    terminal::{Look, neutral, sentence},
};
use domain::{Answers, Approval, ApprovalDecision, Cursor, RuleScope, SessionId, TurnId, TurnOutcome};
use serde_json::Value;
use std::{
    collections::VecDeque,
    io::{Stdout, stdout},
    path::Path,
    time::Duration,
};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// How long a request that was just shown is deaf.
const DEAF: Duration = Duration::from_secs(1);

struct Conversation<'a> {
    talk: &'a mut Talk,
    screen: Screen<Stdout>,
    look: Look,
    interrupt: Signal,
    is_terminal: bool,
    has_failed: bool,
    /// What waits for the person and was shown; the next line answers the first of it.
    asked: VecDeque<Request>,
    /// Words that are neither a yes nor a no, typed when an approval was asked for: they deny it when that is said again.
    doubtful: Option<String>,
    /// Up to where the session was shown.
    seen: Option<Cursor>,
    /// What is asked changed while the line was typed.
    overtaken: bool,
    /// The request that listens: it was shown long enough to be read.
    read: Option<Answers>,
    /// What goes along with the next message.
    next_message: NextMessage,
}

pub async fn interactive(talk: &mut Talk, next_message: NextMessage) -> Result<()> {
    let look = Look::detect();
    let mut input = Input::detect(look.is_coloured());
    if input.is_terminal() {
        // Without it everything works but Tab.
        input.complete(known(&talk.commands().await.unwrap_or_default()));
    }
    let mut conversation = Conversation {
        talk,
        screen: Screen::new(stdout(), look).with_previews(),
        look,
        interrupt: signal(SignalKind::interrupt()).map_err(Error::disconnected)?,
        is_terminal: input.is_terminal(),
        has_failed: false,
        asked: VecDeque::new(),
        doubtful: None,
        seen: None,
        overtaken: false,
        read: None,
        next_message,
    };
    conversation.greet().await?;
    loop {
        let line = match conversation.next(&mut input).await? {
            TypedInput::End => break,
            TypedInput::Cleared | TypedInput::Paused { .. } => continue,
            TypedInput::Line(line) => line,
        };
        if !conversation.obey(Line::parse(&line)).await? {
            break;
        }
    }
    // In a script the exit code is all that is looked at; at a prompt everything was said already.
    if conversation.has_failed && !conversation.is_terminal { Err(Error::Shown) } else { Ok(()) }
}

fn is_list(line: &str) -> bool {
    let mut words = line.split_whitespace();
    matches!((words.next(), words.next()), (Some("/sessions"), _) | (Some("/session"), Some("list")))
}

fn was_stopped(finished: &Finished) -> bool {
    finished.ended.as_ref().is_some_and(|ended| ended.outcome == TurnOutcome::Cancelled)
}

impl Conversation<'_> {
    /// The next line. Whatever happens in the session meanwhile is shown above it.
    async fn next(&mut self, input: &mut Input) -> Result<TypedInput> {
        self.overtaken = false;
        if !self.is_terminal {
            return tokio::select! {
                typed = input.next() => typed,
                _ = self.interrupt.recv() => Ok(TypedInput::End),
            };
        }
        self.let_read(input).await;
        let Some(mut watch) = self.watch()? else { return input.next().await };
        let mut news = String::new();
        loop {
            let typed = tokio::select! {
                typed = input.next() => typed?,
                lines = watch.next() => {
                    news.push_str(&lines?);
                    input.pause();
                    continue;
                }
            };
            let is_empty = match &typed {
                TypedInput::Paused { is_empty } => *is_empty,
                TypedInput::Line(line) => line.is_empty(),
                TypedInput::Cleared | TypedInput::End => true,
            };
            self.hear(&std::mem::take(&mut news), watch.place(), is_empty)?;
            if !matches!(typed, TypedInput::Paused { .. }) {
                return Ok(typed);
            }
            self.let_read(input).await;
        }
    }

    /// THREAT[terminal-04] Keys that were pressed before a request was shown, or as it appeared, are not its answer: it listens
    /// a second after it was shown, and hears nothing of what was typed until then.
    async fn let_read(&mut self, input: &Input) {
        let Some(asked) = self.asked.front().map(Request::name) else { return };
        if self.read.replace(asked) != Some(asked) {
            tokio::time::sleep(DEAF).await;
        }
        input.forget_typed_ahead();
    }

    fn watch(&self) -> Result<Option<Watch>> {
        let Some(session) = self.talk.session else { return Ok(None) };
        let place = SessionPlace {
            turn: self.asked.front().map(Request::turn_id),
            cursor: self.seen,
            requests: self.asked.iter().cloned().collect(),
        };
        let client = self.talk.client()?.clone();
        Ok(Some(Watch::new(self.talk.context.clone(), client, session, place, self.look)))
    }

    /// THREAT[terminal-03] What somebody begins to type is meant for what they see: if that changes, it answers nothing.
    fn hear(&mut self, news: &str, place: &SessionPlace, is_empty: bool) -> Result<()> {
        if !news.is_empty() {
            self.screen.line(news.trim_end_matches('\n'))?;
        }
        if !self.asked.iter().map(Request::name).eq(place.requests.iter().map(Request::name)) {
            self.overtaken = !is_empty;
            self.asked = place.requests.iter().cloned().collect();
            self.doubtful = None;
        }
        self.seen = place.cursor;
        Ok(())
    }

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
        self.seen = session.get("last_seq").and_then(Value::as_u64).map(|seq| Cursor { seq, offset: 0 });
        if is_working(&session) {
            self.turn(TurnCause::Running).await?;
        }
        if self.asked.is_empty() {
            self.asked = self.talk.requests().await?.into();
            for request in &self.asked {
                self.screen.line(&request.lines(self.look))?;
            }
        }
        Ok(())
    }

    /// `false` to leave.
    async fn obey(&mut self, line: Line) -> Result<bool> {
        let shown = self.asked.front().map(Request::name);
        let outcome = self.see_what_was_settled().await;
        self.forgive(outcome)?;
        let changed = self.overtaken || shown != self.asked.front().map(Request::name);
        match line {
            Line::Nothing => {}
            Line::Message(_) if changed => {
                self.screen.line("The request changed while you were typing. Your answer was not used.")?;
                self.ask_again()?;
            }
            Line::Message(text) => self.say(text).await?,
            Line::Quit => return Ok(false),
            Line::Stream(setting) => self.stream(setting)?,
            Line::ModelOnce(model) => {
                let said = self.next_message.set_model(model);
                self.screen.line(&said)?;
            }
            Line::Attach(path) => {
                let outcome = self.attach(path).await;
                self.forgive(outcome)?;
            }
            Line::Command(line) => {
                let outcome = self.command(&line).await;
                self.forgive(outcome)?;
            }
        }
        Ok(true)
    }

    /// What is typed answers what is shown, by its name; where nothing is, it is a message.
    async fn say(&mut self, text: String) -> Result<()> {
        let outcome = match self.asked.front().cloned() {
            None => {
                let message = self.next_message.take(text);
                return self.turn(TurnCause::Message(message)).await;
            }
            Some(Request::Question(question)) => {
                let known = Transcript::waiting_for(self.asked.iter().cloned().collect());
                let next = self.asked.get(1).map(Request::name);
                let answers = Answers::QuestionId(question.id);
                self.turn(TurnCause::Reply(text, answers, Box::new(known))).await?;
                return self.ask_if(next);
            }
            Some(Request::Approval(approval)) => self.decide(*approval, text).await,
        };
        self.forgive(outcome)
    }

    /// A file for the next message; without a path, which files go along.
    async fn attach(&mut self, path: Option<String>) -> Result<()> {
        match path.as_deref() {
            Some("none") => return self.screen.line(self.next_message.forget_files()),
            Some(path) => self.next_message.attach(self.talk, Path::new(path)).await?,
            None => {}
        }
        let said = self.next_message.files();
        self.screen.line(&said)
    }

    async fn command(&mut self, line: &str) -> Result<()> {
        if self.talk.session.is_none() && matches!(name(line), "new" | "clear") {
            return self.screen.line("A new conversation starts with your next message.");
        }
        let answer = self.talk.command(&self.with_place(line)).await?;
        let text = answer.get("text").and_then(Value::as_str).unwrap_or_default();
        let help = if matches!(line, "/help" | "/help all" | "/?") { HELP } else { "" };
        let listed = Some(line).filter(|line| self.is_terminal && is_list(line));
        let listed = listed.and(answer.get("data")).and_then(welcome::conversations);
        self.screen.text(&format!("{}{help}", listed.as_deref().unwrap_or(text)))?;
        for effect in answer.get("effects").and_then(Value::as_array).into_iter().flatten() {
            self.take_effect(effect).await?;
        }
        Ok(())
    }

    /// What is marked as trusted is what was shown here, and nothing that came since.
    fn with_place(&self, line: &str) -> String {
        match (line.trim(), self.seen) {
            ("/trust", Some(seen)) => format!("/trust {}", seen.seq),
            _ => line.to_owned(),
        }
    }

    async fn take_effect(&mut self, effect: &Value) -> Result<()> {
        let text = |name: &str| effect.get(name).and_then(Value::as_str).unwrap_or_default();
        let session = text("session_id").parse();
        match (text("type"), session) {
            ("open_session", Ok(session)) => {
                self.switch(session).await?;
                self.greet().await
            }
            ("follow_turn", Ok(session)) => {
                if self.talk.session != Some(session) {
                    self.switch(session).await?;
                }
                self.turn(TurnCause::Begun {
                    turn: text("turn_id").parse().ok(),
                    cursor: text("cursor").parse().ok(),
                })
                .await
            }
            _ => Ok(()),
        }
    }

    async fn switch(&mut self, session: SessionId) -> Result<()> {
        self.talk.switch(session).await?;
        self.seen = None;
        self.forget_asked();
        Ok(())
    }

    fn forget_asked(&mut self) {
        self.asked.clear();
        self.doubtful = None;
    }

    /// A request may have run out of time, or have been answered elsewhere, while nothing was typed here: what came of it
    /// is shown before anything else is done.
    async fn see_what_was_settled(&mut self) -> Result<()> {
        if self.asked.is_empty() {
            return Ok(());
        }
        let waiting = self.talk.requests().await?;
        let waits = |asked: &&Request| waiting.iter().any(|known| known.name() == asked.name());
        let open: Vec<Request> = self.asked.iter().filter(waits).cloned().collect();
        if open.len() == self.asked.len() {
            return Ok(());
        }
        let Some(turn) = self.asked.front().map(Request::turn_id) else { return Ok(()) };
        self.forget_asked();
        self.go_on(turn, Transcript::waiting_for(open)).await
    }

    /// From where the session was left.
    async fn go_on(&mut self, turn: TurnId, known: Transcript) -> Result<()> {
        match self.seen {
            Some(cursor) => self.turn(TurnCause::Resumed(turn, cursor, Box::new(known))).await,
            None => self.turn(TurnCause::Running).await,
        }
    }

    fn ask_again(&mut self) -> Result<()> {
        let Some(request) = self.asked.front() else { return Ok(()) };
        self.screen.line(&request.lines(self.look))
    }

    /// A bare yes or no decides; other words are asked about once more, because they may have been meant for something else.
    async fn decide(&mut self, approval: Approval, line: String) -> Result<()> {
        let doubtful = self.doubtful.take();
        let (decision, scope, reason) = match approval::reply(&line) {
            ApprovalReply::Yes(scope) => (ApprovalDecision::Approve, scope, None),
            ApprovalReply::No(reason) => (ApprovalDecision::Deny, RuleScope::Once, reason.or(doubtful)),
            ApprovalReply::Words if self.is_terminal => {
                self.screen.line(&approval::doubt(&approval, &line))?;
                self.doubtful = Some(line);
                return Ok(());
            }
            ApprovalReply::Words => {
                let how = format!(
                    "Answer y or n on the next line, or run: majordomo approval deny {}",
                    approval.id
                );
                return Err(advised(
                    format!(
                        "{} is waiting for your approval (y or n). This line was not sent.",
                        approval.tool
                    ),
                    how,
                ));
            }
        };
        let (answered, turn) = (Answers::ApprovalId(approval.id), approval.turn_id);
        if let Err(error) = self.talk.answer(&approval, decision, scope, reason).await {
            // What can be answered better is asked again; what is settled is settled.
            if error.has_code("approval_settled") {
                self.asked.pop_front();
            }
            return Err(error);
        }
        let known = self.asked.iter().cloned().collect();
        self.asked.pop_front();
        let next = self.asked.front().map(Request::name);
        self.go_on(turn, Transcript::waiting_for(known).without(answered)).await?;
        self.ask_if(next)
    }

    /// Asked above, perhaps a while ago.
    fn ask_if(&mut self, next: Option<Answers>) -> Result<()> {
        if self.asked.front().map(Request::name) == next { self.ask_again() } else { Ok(()) }
    }

    /// Whether words are shown while they come, or when the reply is complete.
    fn stream(&mut self, setting: Option<bool>) -> Result<()> {
        if let Some(is_live) = setting {
            self.screen.set_live(is_live);
        }
        let words = match self.screen.is_live() {
            true => "Streaming is on: words are shown as they arrive. /stream off changes that.",
            false => "Streaming is off: a reply is shown when it is complete. /stream on changes that.",
        };
        self.screen.line(words)
    }

    async fn turn(&mut self, cause: TurnCause) -> Result<()> {
        let quiet = self.is_terminal.then(QuietKeys::begin);
        let outcome = follow(self.talk, cause, &mut self.screen, &mut self.interrupt).await;
        self.screen.end_line()?;
        drop(quiet);
        if let Ok(Some(Finished { cursor, requests, .. })) = &outcome {
            self.asked = requests.iter().cloned().collect();
            self.doubtful = None;
            self.seen = *cursor;
        }
        let outcome = match outcome {
            // The person did it and has seen it.
            Ok(Some(finished)) if self.is_terminal && was_stopped(&finished) => Ok(()),
            // The next line is the answer.
            Ok(Some(Finished { ended: None, .. })) => Ok(()),
            Ok(Some(finished)) => verdict(&finished, None),
            Ok(None) => self.screen.line("You left. The reply continues on the server."),
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
        let text = format!("{}{advice}", sentence(&neutral(&error.to_string())));
        if self.is_terminal {
            let text = self.look.red(&text);
            return self.screen.line(&text);
        }
        eprintln!("majordomo: {text}");
        Ok(())
    }
}
