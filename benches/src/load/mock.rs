//! A model with a timetable. Replies wait until all that are wanted have been asked for; then each piece leaves when it is due,
//! whatever became of the pieces before, and says when that was.

use super::clock;
use anyhow::{Context, Result};
use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    num::NonZeroU64,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    },
    thread,
    time::Duration,
};

/// How a reply is cut and timed.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    pub pieces: u32,
    /// From piece to piece; with nothing between them the whole reply comes at once and waits for no sign.
    pub every: Duration,
}

const STACK: usize = 128 << 10;
/// Replies that wait for the timetable to hear of them.
const ORDERS: usize = 64;
const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const BEFORE: &str = "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\
                      \"choices\":[{\"index\":0,\"delta\":{\"content\":\"";
const BEHIND: &str = "\"},\"finish_reason\":null}]}\n\n";
const LAST: &str = "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\
                    \"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\
                    \"usage\":{\"prompt_tokens\":5,\"completion_tokens\":5,\"total_tokens\":10}}\n\ndata: [DONE]\n\n";

pub struct Mock {
    pub address: SocketAddr,
    shared: Arc<Shared>,
    timetable: SyncSender<Order>,
}

struct Shared {
    pace: Mutex<Pace>,
    /// Replies that wait for the sign.
    gathered: AtomicUsize,
    /// Pieces that have left.
    sent: AtomicU64,
}

enum Order {
    Reply(Reply),
    /// All that have gathered begin at this time, spread evenly over the time between two pieces.
    Begin(u64),
}

struct Reply {
    socket: TcpStream,
    pace: Pace,
    done: SyncSender<()>,
    next: u32,
    begun: u64,
}

impl Mock {
    pub fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let pace = Mutex::new(Pace { pieces: 12, every: Duration::ZERO });
        let shared = Arc::new(Shared { pace, gathered: AtomicUsize::new(0), sent: AtomicU64::new(0) });
        let (timetable, orders) = mpsc::sync_channel(ORDERS);
        let own = shared.clone();
        thread::Builder::new().name("timetable".to_owned()).spawn(move || keep_time(&orders, &own))?;
        let (own, sender) = (shared.clone(), timetable.clone());
        thread::Builder::new().name("model".to_owned()).spawn(move || {
            for socket in listener.incoming().flatten() {
                let (shared, timetable) = (own.clone(), sender.clone());
                let answer = move || drop(answer(socket, &shared, &timetable));
                // A connection without a thread is one that hangs, which the readers will tell.
                drop(thread::Builder::new().stack_size(STACK).spawn(answer));
            }
        })?;
        Ok(Self { address, shared, timetable })
    }

    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub fn set_pace(&self, pace: Pace) {
        *self.shared.pace.lock().unwrap_or_else(PoisonError::into_inner) = pace;
    }

    /// Pieces that have left so far.
    pub fn sent(&self) -> u64 {
        self.shared.sent.load(Ordering::Relaxed)
    }

    /// Waits until so many replies have been asked for, and lets them begin. When the first piece is due.
    pub async fn begin(&self, replies: usize) -> Result<u64> {
        let patience = tokio::time::timeout(Duration::from_secs(60), async {
            while self.shared.gathered.load(Ordering::Relaxed) < replies {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        let gathered = || self.shared.gathered.load(Ordering::Relaxed);
        patience.await.with_context(|| format!("only {} of {replies} replies were asked for", gathered()))?;
        let at = clock::now() + 100_000;
        self.timetable.send(Order::Begin(at)).context("the timetable has ended")?;
        Ok(at)
    }
}

fn answer(socket: TcpStream, shared: &Shared, timetable: &SyncSender<Order>) -> Result<()> {
    socket.set_nodelay(true)?;
    socket.set_write_timeout(Some(Duration::from_secs(5)))?;
    let mut reader = BufReader::new(socket);
    while read_request(&mut reader)? {
        let pace = *shared.pace.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = HEAD.as_bytes().to_vec();
        if pace.every.is_zero() {
            (0..pace.pieces).for_each(|index| write_piece(&mut bytes, index, clock::now()));
            write_end(&mut bytes);
            reader.get_mut().write_all(&bytes)?;
            shared.sent.fetch_add(u64::from(pace.pieces), Ordering::Relaxed);
            continue;
        }
        reader.get_mut().write_all(&bytes)?;
        let (done, ended) = mpsc::sync_channel(1);
        let reply = Reply { socket: reader.get_ref().try_clone()?, pace, done, next: 0, begun: 0 };
        timetable.send(Order::Reply(reply))?;
        ended.recv()?;
    }
    Ok(())
}

/// Reads a request to its end; false when there is none any more. What it asks does not matter, unless it is no question.
fn read_request(reader: &mut BufReader<TcpStream>) -> io::Result<bool> {
    loop {
        let (mut length, mut is_question, mut line) = (0, false, String::new());
        loop {
            line.clear();
            if reader.read_line(&mut line)? == 0 {
                return Ok(false);
            }
            is_question |= line.starts_with("POST ");
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            if line == "\r\n" {
                break;
            }
        }
        io::copy(&mut reader.take(length), &mut io::sink())?;
        if is_question {
            return Ok(true);
        }
        reader.get_mut().write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")?;
    }
}

fn write_piece(bytes: &mut Vec<u8>, index: u32, due: u64) {
    let word = super::frames::word(index, due);
    let length = BEFORE.len() + word.len() + BEHIND.len();
    // Writing to memory does not fail.
    let _ = write!(bytes, "{length:x}\r\n{BEFORE}{word}{BEHIND}\r\n");
}

fn write_end(bytes: &mut Vec<u8>) {
    let _ = write!(bytes, "{:x}\r\n{LAST}\r\n0\r\n\r\n", LAST.len());
}

/// Sends what is due; one thread does nothing else.
fn keep_time(orders: &Receiver<Order>, shared: &Shared) {
    // The kernel may otherwise wake this thread 50 microseconds late, to save power.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    let mut waiting: Vec<Reply> = Vec::new();
    let mut running: Vec<Option<Reply>> = Vec::new();
    let mut due: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    let mut bytes = Vec::with_capacity(1_024);
    loop {
        let wait = due.peek().map_or(Duration::from_secs(3_600), |Reverse((at, _))| clock::until(*at));
        let order = if wait.is_zero() { orders.try_recv().ok() } else { receive(orders, wait) };
        match order {
            Some(Order::Reply(reply)) => {
                waiting.push(reply);
                shared.gathered.fetch_add(1, Ordering::Relaxed);
            }
            Some(Order::Begin(at)) => {
                shared.gathered.store(0, Ordering::Relaxed);
                if due.is_empty() {
                    running.clear();
                }
                let count = waiting.len() as u64;
                for (place, mut reply) in waiting.drain(..).enumerate() {
                    reply.begun = at + reply.pace.micros() * place as u64 / count;
                    due.push(Reverse((reply.begun, running.len())));
                    running.push(Some(reply));
                }
            }
            None => {}
        }
        while let Some(Reverse((at, place))) =
            due.peek().copied().filter(|Reverse((at, _))| *at <= clock::now())
        {
            due.pop();
            let Some(slot) = running.get_mut(place) else { continue };
            let next = slot.as_mut().and_then(|reply| reply.say(at, &mut bytes, shared));
            match next {
                Some(next) => due.push(Reverse((next, place))),
                None => *slot = None,
            }
        }
    }
}

fn receive(orders: &Receiver<Order>, wait: Duration) -> Option<Order> {
    match orders.recv_timeout(wait) {
        Ok(order) => Some(order),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => {
            thread::sleep(wait);
            None
        }
    }
}

impl Pace {
    fn micros(&self) -> u64 {
        u64::try_from(self.every.as_micros()).unwrap_or(u64::MAX)
    }
}

impl Reply {
    /// Sends the piece that is due; when the next one is. A reply whose reader has gone ends.
    fn say(&mut self, due: u64, bytes: &mut Vec<u8>, shared: &Shared) -> Option<u64> {
        bytes.clear();
        let is_last = self.next == self.pace.pieces;
        if is_last {
            write_end(bytes);
        } else {
            write_piece(bytes, self.next, due);
        }
        let written = self.socket.write_all(bytes);
        if is_last || written.is_err() {
            let _ = self.done.send(());
            return None;
        }
        shared.sent.fetch_add(1, Ordering::Relaxed);
        self.next += 1;
        Some(self.begun + self.pace.micros() * u64::from(self.next))
    }
}
