//! Following a session: durable events from the log, live pieces from the feed, one cursor over both.
//!
//! A reader never misses and never repeats: it remembers the highest durable `seq` and the live bytes it has
//! delivered, and asks for what comes after. That works the same for a fresh reader, for one that was cut off in the
//! middle of a word, and across a restart of the program.

use crate::{
    engine::Engine,
    error::{Error, Result},
    follow::{
        feed::{FeedPlace, FeedState},
        frame::{About, Durable, Frame, RecentEvent, Written, bytes_of},
        open_message::{OpenMessage, WrittenRun},
        read_log::{LogRequest, ReadLog},
        tool_output::{Had, OutputPiece},
        until::Until,
    },
};
use domain::{Cursor, EventKind, LiveBody, TurnId, TurnOutcome};
use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll, Waker, ready},
};

/// Durable events read from the store at once.
const BATCH: u32 = 1_024;

/// One connection's view of a session.
pub struct Reader {
    engine: Engine,
    log: ReadLog,
    feed: FeedPlace,
    /// The version of the feed that was looked at last.
    looked_at: u64,
    /// The task that the next change wakes, if nothing was new.
    waiting: Option<Waker>,
    cursor: Cursor,
    /// The newest `seq` in the log when the reader began: the feed may not have heard of it.
    known: u64,
    /// The newest beginning or end of a message that this reader knows to be past. The feed may hear of it later than the reader.
    passed: u64,
    /// Only this turn's events, up to its end.
    turn: Option<TurnFilter>,
    /// What is asked of the store.
    asked: Option<LogRequest>,
    /// What was found after the cursor.
    found: VecDeque<Durable>,
    ready: VecDeque<Frame>,
    /// What it has of calls that run.
    had: Had,
    finished: bool,
    /// The program goes down.
    halt: Until,
}

struct TurnFilter {
    turn_id: TurnId,
    /// The attempt that `turn_started` last named: an older attempt's end is not the end.
    attempt: u32,
}

enum NextEvents {
    Durable(Vec<Arc<RecentEvent>>),
    Live(Option<TurnId>, Arc<[WrittenRun]>),
    ToolOutput(Vec<OutputPiece>),
    AskStore,
    Nothing,
}

impl Reader {
    pub(super) fn new(
        engine: Engine,
        log: ReadLog,
        feed: FeedPlace,
        cursor: Cursor,
        (known, passed): (u64, u64),
    ) -> Result<Self> {
        let halt = Until::new(engine.inner.halt.clone());
        let reader = Self {
            engine,
            log,
            feed,
            looked_at: 0,
            waiting: None,
            cursor,
            known,
            passed,
            turn: None,
            asked: None,
            found: VecDeque::new(),
            ready: VecDeque::new(),
            had: Had::default(),
            finished: false,
            halt,
        };
        // Is the cursor one that this session can have given out?
        reader.look(&mut reader.feed.lock())?;
        Ok(reader)
    }

    /// Only the events of this turn, up to its end.
    pub(super) fn of_turn(mut self, turn_id: TurnId) -> Self {
        self.turn = Some(TurnFilter { turn_id, attempt: 0 });
        self
    }

    /// The next event; waits until there is one. `None` after the end of the turn that was asked for. Safe to drop while it
    /// waits: nothing is lost.
    pub async fn next(&mut self) -> Result<Option<Frame>> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// As [`next`](Self::next).
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Frame>>> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Poll::Ready(Ok(Some(frame)));
            }
            if self.finished {
                return Poll::Ready(Ok(None));
            }
            if !ready!(self.poll_fill(context))? {
                // The shutdown would wait for a reader whose turn goes on only at the next start.
                ready!(self.halt.poll(context));
                return Poll::Ready(Err(Error::ShuttingDown));
            }
        }
    }

    /// Waits until there is something new, and takes nothing of it: a client that follows many sessions waits for all of
    /// them and then pulls from one after the other, so that no more than one piece is in memory at a time.
    pub async fn stirred(&mut self) -> Result<()> {
        poll_fn(|context| {
            let has_more = !self.ready.is_empty() || !self.found.is_empty() || self.asked.is_some();
            if has_more
                || self.finished
                || !matches!(self.look_or_wait(context.waker())?, NextEvents::Nothing)
            {
                return Poll::Ready(Ok(()));
            }
            Poll::Pending
        })
        .await
    }

    /// Makes what is new ready to be taken. False when nothing is.
    pub async fn pull(&mut self) -> Result<bool> {
        match self.ready.is_empty() {
            true => poll_fn(|context| self.poll_fill(context)).await,
            false => Ok(true),
        }
    }

    /// What is there now, without waiting.
    pub fn take_ready(&mut self) -> Option<Frame> {
        self.ready.pop_front()
    }

    /// About how many bytes can be taken without waiting; it counts no further than `most`.
    pub fn ready_bytes(&self, most: usize) -> usize {
        bytes_of(self.ready.iter().map(Frame::size), most)
    }

    pub fn cursor(&self) -> Cursor {
        self.cursor
    }

    /// Collects what is new. False when nothing is; the next change wakes the task then.
    fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<Result<bool>> {
        loop {
            match &mut self.asked {
                Some(LogRequest::Log(answer)) => {
                    let found = ready!(answer.as_mut().poll(context));
                    self.asked = None;
                    self.found = found?.into();
                    if self.found.is_empty() && self.waits(context.waker()) {
                        return Poll::Ready(Ok(false));
                    }
                }
                Some(LogRequest::IsFinal(answer)) => {
                    let last = ready!(answer.as_mut().poll(context));
                    self.asked = None;
                    if let Some(event) = self.found.pop_front() {
                        self.take(&event, last?)?;
                    }
                    if self.found.is_empty() {
                        return Poll::Ready(Ok(true));
                    }
                }
                None => {}
            }
            if !self.found.is_empty() {
                self.deliver()?;
                match self.asked {
                    Some(_) if self.ready.is_empty() => continue,
                    _ => return Poll::Ready(Ok(true)),
                }
            }
            match self.look_or_wait(context.waker())? {
                NextEvents::Nothing => return Poll::Ready(Ok(false)),
                NextEvents::Live(turn_id, runs) => self.deliver_live(turn_id, &runs),
                NextEvents::ToolOutput(heard) => self.deliver_output(heard)?,
                NextEvents::Durable(events) => {
                    let registry = self.engine.registry();
                    self.found =
                        events.iter().map(|recent| recent.durable(registry)).collect::<Result<_>>()?;
                    continue;
                }
                NextEvents::AskStore => {
                    let answer = self.log.clone().after(self.cursor.seq, BATCH);
                    self.asked = Some(LogRequest::Log(Box::pin(answer)));
                    continue;
                }
            }
            return Poll::Ready(Ok(true));
        }
    }

    /// What is new; where nothing is, the next change wakes the task.
    fn look_or_wait(&mut self, waker: &Waker) -> Result<NextEvents> {
        // A connection asks several times for each piece that it writes.
        let waits = self.waiting.as_ref().is_some_and(|waiting| waiting.will_wake(waker));
        if waits && self.feed.version() == self.looked_at {
            return Ok(NextEvents::Nothing);
        }
        let mut state = self.feed.lock();
        let next = self.look(&mut state)?;
        let version = self.feed.version();
        let nothing = matches!(next, NextEvents::Nothing);
        if nothing {
            self.feed.wait(&mut state, waker);
        }
        drop(state);
        self.looked_at = version;
        self.waiting = nothing.then(|| waker.clone());
        Ok(next)
    }

    /// Whether nothing has changed since it looked; then the next change wakes the task.
    fn waits(&self, waker: &Waker) -> bool {
        let mut state = self.feed.lock();
        let unchanged = self.feed.version() == self.looked_at;
        if unchanged {
            self.feed.wait(&mut state, waker);
        }
        unchanged
    }

    fn look(&self, state: &mut FeedState) -> Result<NextEvents> {
        if state.newest().unwrap_or(0).max(self.known) > self.cursor.seq {
            let events = state.after(self.cursor.seq).filter(|events| !events.is_empty());
            return Ok(events.map_or(NextEvents::AskStore, NextEvents::Durable));
        }
        let until = |open: &OpenMessage| self.sees(open).then(|| open.length());
        // What another node writes is not all here yet: a cursor of that node may be further.
        let lacks = |open: &OpenMessage| open.mirrored && open.length() < self.cursor.offset;
        if !state.open().is_some_and(lacks)
            && let Some(until) = state.open().and_then(until).filter(|until| *until != self.cursor.offset)
            && let Some(open) = state.open_mut()
        {
            let runs = open.written(self.log.session(), (self.cursor.offset, until), || self.engine.now())?;
            return Ok(NextEvents::Live(open.turn_id, runs));
        }
        Ok(match state.outputs().after(&self.had) {
            heard if heard.is_empty() => NextEvents::Nothing,
            heard => NextEvents::ToolOutput(heard),
        })
    }

    /// Delivers what was found, or as much of it as there are no questions about.
    fn deliver(&mut self) -> Result<()> {
        while let Some(event) = self.found.pop_front() {
            self.catch_up(&event)?;
            if event.seq <= self.cursor.seq || self.finished {
                continue;
            }
            let Some(last) = self.is_final(&event)? else {
                self.found.push_front(event);
                return Ok(());
            };
            self.take(&event, last)?;
        }
        Ok(())
    }

    /// What was written of the open message before this event happened comes before it.
    fn catch_up(&mut self, event: &Durable) -> Result<()> {
        let lacks = |open: &OpenMessage| open.mirrored && open.length() <= self.cursor.offset;
        let before = |open: &OpenMessage| self.sees(open) && event.seq > open.since && !lacks(open);
        // In most of a log no message is open, and then the event is not read.
        if !event.may_have_offset() || !self.feed.lock().open().is_some_and(before) {
            return Ok(());
        }
        let offset = event.facts()?.offset.filter(|offset| *offset > self.cursor.offset);
        let mut state = self.feed.lock();
        let open = state.open_mut().filter(|open| before(open));
        let (Some(offset), Some(open)) = (offset, open) else { return Ok(()) };
        let range = (self.cursor.offset, offset.min(open.length()));
        let runs = open.written(self.log.session(), range, || self.engine.now())?;
        let turn_id = open.turn_id;
        drop(state);
        self.deliver_live(turn_id, &runs);
        Ok(())
    }

    fn sees(&self, open: &OpenMessage) -> bool {
        self.cursor.seq >= open.since && self.passed <= open.since
    }

    /// Takes an event in. `last`: nothing comes after it.
    fn take(&mut self, event: &Durable, last: bool) -> Result<()> {
        self.advance(event)?;
        if !self.wants(event.turn_id) {
            return Ok(());
        }
        if let Some(filter) = &mut self.turn
            && event.kind == Some(EventKind::TurnStarted)
            && let Some(attempt) = event.facts()?.attempt
        {
            filter.attempt = attempt;
        }
        self.finished = last;
        self.ready.push_back(Frame::new(self.cursor, &event.written));
        Ok(())
    }

    fn advance(&mut self, event: &Durable) -> Result<()> {
        self.cursor.seq = event.seq;
        match event.kind {
            Some(EventKind::MessageStart | EventKind::MessageRestarted | EventKind::MessageComplete) => {
                self.cursor.offset = 0;
                self.passed = event.seq;
            }
            Some(EventKind::ToolResult) if !self.had.is_empty() => {
                if let Some(call) = event.facts()?.call {
                    self.had.forget(call);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn deliver_live(&mut self, turn_id: Option<TurnId>, runs: &[WrittenRun]) {
        let wanted = self.wants(turn_id);
        for run in runs {
            self.cursor.offset += run.length;
            if wanted {
                self.ready.push_back(Frame::new(self.cursor, &run.written));
            }
        }
    }

    fn deliver_output(&mut self, heard: Vec<OutputPiece>) -> Result<()> {
        let at = self.engine.now();
        for heard in heard {
            self.had.add(&heard);
            let OutputPiece { call: call_id, turn, offset, text: delta } = heard;
            if self.wants(Some(turn)) {
                let body = LiveBody::ToolOutput { call_id, offset, delta };
                let about = About { at, session_id: self.log.session(), turn_id: Some(turn) };
                let written = Written::new(about, body.type_name(), &body)?;
                self.ready.push_back(Frame::new(self.cursor, &written));
            }
        }
        Ok(())
    }

    fn wants(&self, turn_id: Option<TurnId>) -> bool {
        self.turn.as_ref().is_none_or(|filter| turn_id == Some(filter.turn_id))
    }

    /// A turn that was retried has several ends; only the newest attempt's closes the stream. `None`: the store is asked.
    fn is_final(&mut self, event: &Durable) -> Result<Option<bool>> {
        let Some(filter) = &self.turn else { return Ok(Some(false)) };
        if event.kind != Some(EventKind::TurnEnded) || event.turn_id != Some(filter.turn_id) {
            return Ok(Some(false));
        }
        if let Some(TurnOutcome::Completed | TurnOutcome::Cancelled) = event.facts()?.outcome {
            return Ok(Some(true));
        }
        let answer = self.log.clone().ends_turn(filter.turn_id, filter.attempt, event.seq);
        self.asked = Some(LogRequest::IsFinal(Box::pin(answer)));
        Ok(None)
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
