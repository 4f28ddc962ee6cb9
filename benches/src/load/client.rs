//! Readers. One thread has them all; each notes for every word how long after its time it came, which words are missing and which
//! came twice, and how late its stream ended.

use super::{
    clock,
    frames::{self, Chunks},
};
use anyhow::{Context, Result};
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};

/// A reader that hears nothing for so long gives up.
const PATIENCE: Duration = Duration::from_secs(30);

/// One stream that is asked for.
#[derive(Clone, Debug)]
pub struct Ask {
    pub address: SocketAddr,
    pub request: Vec<u8>,
    pub until: Until,
}

/// When the reader has enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// At the end of so many words, and at the end of the stream.
    End(u32),
    /// At the last of so many words.
    Words(u32),
    /// At this event of the log, from the first on; each must follow the one before.
    Seq(u64),
}

/// What readers heard, all together.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// Of each word: when it was due, and how many microseconds later it was read.
    pub late: Vec<(u64, u32)>,
    /// Words or events that never came.
    pub gaps: u64,
    /// Words or events that came again, or behind a later one.
    pub duplicates: u64,
    /// Of each stream: how many microseconds after its last word was due it ended.
    pub ends: Vec<u32>,
    pub frames: u64,
    /// Of the body of the first stream, where it was to be kept.
    pub body: Vec<u8>,
    /// Readers that got no stream, or lost it.
    pub broken: Vec<String>,
}

impl Heard {
    fn add(&mut self, other: Self) {
        self.late.extend(other.late);
        self.gaps += other.gaps;
        self.duplicates += other.duplicates;
        self.ends.extend(other.ends);
        self.frames += other.frames;
        if self.body.is_empty() {
            self.body = other.body;
        }
    }

    /// The lateness below which this share of the words that were due in the window lies, in microseconds.
    pub fn percentile(&self, share: f64, window: (u64, u64)) -> f64 {
        let within = self.late.iter().filter(|(due, _)| (window.0..window.1).contains(due));
        let mut late: Vec<u32> = within.map(|(_, late)| *late).collect();
        late.sort_unstable();
        let place = (late.len().saturating_sub(1)) as f64 * share;
        late.get(place as usize).map_or(f64::NAN, |late| f64::from(*late))
    }

    pub fn worst_end(&self) -> u32 {
        self.ends.iter().copied().max().unwrap_or(0)
    }

    /// Nothing missing, nothing twice, nothing broken.
    pub fn check(&self, whose: &str) -> Result<()> {
        anyhow::ensure!(
            self.broken.is_empty(),
            "{whose}: {} streams broke: {:?}",
            self.broken.len(),
            self.broken.first()
        );
        anyhow::ensure!(
            self.gaps == 0 && self.duplicates == 0,
            "{whose}: {} pieces are missing and {} came twice",
            self.gaps,
            self.duplicates
        );
        Ok(())
    }
}

/// Readers at work.
pub struct Readers {
    thread: JoinHandle<Result<Heard>>,
    open: Arc<AtomicUsize>,
}

impl Readers {
    /// Opens all streams at once. `keep`: the body of the first one is kept.
    pub fn open(asks: Vec<Ask>, keep: bool) -> Result<Self> {
        let open = Arc::new(AtomicUsize::new(0));
        let own = open.clone();
        let thread = thread::Builder::new().name("readers".to_owned()).spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(all(asks, keep, &own))
        })?;
        Ok(Self { thread, open })
    }

    /// Waits until so many have the head of their answer.
    pub async fn opened(&self, count: usize) -> Result<()> {
        let patience = tokio::time::timeout(PATIENCE, async {
            while self.open.load(Ordering::Relaxed) < count && !self.thread.is_finished() {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        });
        let open = || self.open.load(Ordering::Relaxed);
        patience.await.with_context(|| format!("only {} of {count} streams are open", open()))
    }

    pub async fn finish(self) -> Result<Heard> {
        let joined = tokio::task::spawn_blocking(move || self.thread.join());
        joined.await?.map_err(|_| anyhow::anyhow!("the readers panicked"))?
    }
}

async fn all(asks: Vec<Ask>, keep: bool, open: &Arc<AtomicUsize>) -> Result<Heard> {
    let mut tasks = JoinSet::new();
    for (place, ask) in asks.into_iter().enumerate() {
        let open = open.clone();
        tasks.spawn(async move { one(ask, keep && place == 0, &open).await });
    }
    let mut heard = Heard::default();
    while let Some(done) = tasks.join_next().await {
        match done? {
            Ok(one) => heard.add(one),
            Err(reason) => heard.broken.push(format!("{reason:#}")),
        }
    }
    Ok(heard)
}

async fn one(ask: Ask, keep: bool, open: &AtomicUsize) -> Result<Heard> {
    let mut socket = TcpStream::connect(ask.address).await?;
    socket.set_nodelay(true)?;
    socket.write_all(&ask.request).await?;
    let mut buffer = vec![0; 32 << 10];
    let mut head = Vec::new();
    let body = loop {
        let read = heard_of(&mut socket, &mut buffer).await?;
        head.extend_from_slice(buffer.get(..read).unwrap_or_default());
        if let Some(at) = memchr::memmem::find(&head, b"\r\n\r\n") {
            break head.split_off(at + 4);
        }
    };
    anyhow::ensure!(head.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&head));
    open.fetch_add(1, Ordering::Relaxed);
    let mut stream = Stream { until: ask.until, keep, ..Stream::default() };
    stream.push(&body);
    while !stream.is_done() {
        let read = heard_of(&mut socket, &mut buffer).await?;
        stream.push(buffer.get(..read).unwrap_or_default());
    }
    Ok(stream.ended())
}

async fn heard_of(socket: &mut TcpStream, buffer: &mut [u8]) -> Result<usize> {
    let read = tokio::time::timeout(PATIENCE, socket.read(buffer)).await.context("nothing came")??;
    anyhow::ensure!(read > 0, "the connection ended");
    Ok(read)
}

struct Stream {
    until: Until,
    keep: bool,
    chunks: Chunks,
    bytes: Vec<u8>,
    /// The next word or event that is expected.
    next: u64,
    last_due: u64,
    heard: Heard,
}

impl Default for Stream {
    fn default() -> Self {
        let (chunks, bytes, heard) = (Chunks::default(), Vec::new(), Heard::default());
        Self { until: Until::Words(0), keep: false, chunks, bytes, next: 0, last_due: 0, heard }
    }
}

impl Stream {
    fn push(&mut self, bytes: &[u8]) {
        let now = clock::now();
        let before = self.bytes.len();
        self.chunks.push(bytes, &mut self.bytes);
        if self.keep {
            self.heard.body.extend_from_slice(self.bytes.get(before..).unwrap_or_default());
        }
        let (heard, next, last_due) = (&mut self.heard, &mut self.next, &mut self.last_due);
        let by_seq = matches!(self.until, Until::Seq(_));
        frames::take_frames(&mut self.bytes, |frame| {
            heard.frames += 1;
            if by_seq {
                if let Some(seq) = frames::seq(frame) {
                    heard.note(next, seq.saturating_sub(1));
                }
            } else if frames::is_live(frame) {
                frames::words(frame, |index, due| {
                    heard.note(next, u64::from(index));
                    heard.late.push((due, u32::try_from(now.saturating_sub(due)).unwrap_or(u32::MAX)));
                    *last_due = due;
                });
            }
        });
    }

    fn is_done(&self) -> bool {
        match self.until {
            Until::End(_) => self.chunks.ended,
            Until::Words(count) => self.next >= u64::from(count) || self.chunks.ended,
            Until::Seq(seq) => self.next >= seq || self.chunks.ended,
        }
    }

    fn ended(mut self) -> Heard {
        let expected = match self.until {
            Until::End(count) | Until::Words(count) => u64::from(count),
            Until::Seq(seq) => seq,
        };
        self.heard.gaps += expected.saturating_sub(self.next);
        let late = clock::now().saturating_sub(self.last_due);
        self.heard.ends.push(u32::try_from(late).unwrap_or(u32::MAX));
        self.heard
    }
}

impl Heard {
    /// Notes that this word or event has come while `next` was expected.
    fn note(&mut self, next: &mut u64, number: u64) {
        if number < *next {
            self.duplicates += 1;
            return;
        }
        self.gaps += number - *next;
        *next = number + 1;
    }
}
