//! Turns that are asked for, one after the other or at a rate of their own, and what came of each.

use super::{frames::Chunks, house::House};
use anyhow::{Context, Result};
use std::{
    collections::{HashMap, VecDeque},
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};

/// A person who waits longer has gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// What came of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// The turn was accepted and has come to its end.
    Completed,
    /// It was accepted, and its end was not seen in time.
    Unfinished,
    /// It was refused, with the time to come back.
    Refused,
    /// It was refused without saying when to come back.
    Dismissed,
    /// Nothing was heard of it in time.
    Unheard,
}

/// What came of all of them.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub asked: usize,
    pub completed: usize,
    pub unfinished: usize,
    pub refused: usize,
    pub dismissed: usize,
    pub unheard: usize,
    pub seconds: f64,
    /// Of completed turns, in microseconds.
    pub micros: Vec<f64>,
    /// Of refusals.
    pub refusal_micros: Vec<f64>,
}

impl Outcome {
    pub fn rate(&self) -> f64 {
        self.completed as f64 / self.seconds
    }

    fn count(&mut self, fate: Fate, took: Duration) {
        self.asked += 1;
        let micros = took.as_secs_f64() * 1e6;
        match fate {
            Fate::Completed => {
                self.completed += 1;
                self.micros.push(micros);
            }
            Fate::Unfinished => self.unfinished += 1,
            Fate::Refused => {
                self.refused += 1;
                self.refusal_micros.push(micros);
            }
            Fate::Dismissed => self.dismissed += 1,
            Fate::Unheard => self.unheard += 1,
        }
    }
}

/// Sessions in which nothing is under way, and connections that wait for the next request.
#[derive(Clone)]
pub struct Office {
    address: SocketAddr,
    requests: Arc<Vec<Vec<u8>>>,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    idle: VecDeque<usize>,
    connections: Vec<TcpStream>,
    /// Of each session: how many turns were accepted, and how many may have been.
    accepted: HashMap<usize, (usize, usize)>,
}

impl Office {
    /// For so many sessions of the house, the newest ones.
    pub fn open(house: &House, sessions: usize) -> Result<Self> {
        let all = house.sessions.len();
        let requests: Result<Vec<Vec<u8>>> = (0..all).map(|session| house.say(session)).collect();
        let shared = Shared { idle: (all.saturating_sub(sessions)..all).collect(), ..Shared::default() };
        Ok(Self {
            address: house.address,
            requests: Arc::new(requests?),
            shared: Arc::new(Mutex::new(shared)),
        })
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many people who each say the next thing when they have their answer.
    pub async fn in_turn(&self, people: usize, seconds: f64) -> Result<Outcome> {
        let begun = Instant::now();
        let until = begun + Duration::from_secs_f64(seconds);
        let mut tasks = JoinSet::new();
        for _ in 0..people {
            let office = self.clone();
            tasks.spawn(async move {
                let mut fates = Vec::new();
                while Instant::now() < until {
                    fates.push(office.ask().await?);
                }
                anyhow::Ok(fates)
            });
        }
        let mut outcome = Outcome::default();
        while let Some(fates) = tasks.join_next().await {
            fates??.into_iter().for_each(|(fate, took)| outcome.count(fate, took));
        }
        outcome.seconds = begun.elapsed().as_secs_f64();
        Ok(outcome)
    }

    /// So many a second, whatever becomes of those before. What is completed later than the last was asked does not count to
    /// the rate, but to what was completed.
    pub async fn at_rate(&self, rate: f64, seconds: f64) -> Result<(Outcome, f64)> {
        let begun = Instant::now();
        let mut tasks = JoinSet::new();
        let mut asked = 0_u32;
        while begun.elapsed().as_secs_f64() < seconds {
            let due = (begun.elapsed().as_secs_f64() * rate) as u32;
            while asked < due {
                asked += 1;
                let office = self.clone();
                tasks.spawn(async move { (office.ask().await, Instant::now()) });
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let end = Instant::now();
        let (mut outcome, mut in_time) = (Outcome::default(), 0_usize);
        while let Some(done) = tasks.join_next().await {
            let (fate, at) = done?;
            let (fate, took) = fate?;
            outcome.count(fate, took);
            in_time += usize::from(fate == Fate::Completed && at <= end);
        }
        outcome.seconds = end.duration_since(begun).as_secs_f64();
        let goodput = in_time as f64 / outcome.seconds;
        Ok((outcome, goodput))
    }

    async fn ask(&self) -> Result<(Fate, Duration)> {
        let session = self.shared().idle.pop_front().context("there are too few sessions")?;
        let request = self.requests.get(session).context("there is no such session")?;
        let begun = Instant::now();
        let mut accepted = false;
        let heard = tokio::time::timeout(PATIENCE, self.exchange(request, &mut accepted)).await;
        let fate = match heard {
            Ok(Ok(fate)) => fate,
            _ if accepted => Fate::Unfinished,
            _ => Fate::Unheard,
        };
        let mut shared = self.shared();
        shared.idle.push_back(session);
        let counts = shared.accepted.entry(session).or_default();
        counts.0 += usize::from(matches!(fate, Fate::Completed | Fate::Unfinished));
        counts.1 += usize::from(fate == Fate::Unheard);
        Ok((fate, begun.elapsed()))
    }

    async fn exchange(&self, request: &[u8], accepted: &mut bool) -> Result<Fate> {
        let kept = self.shared().connections.pop();
        let mut socket = match kept {
            Some(socket) => socket,
            None => TcpStream::connect(self.address).await?,
        };
        socket.set_nodelay(true)?;
        socket.write_all(request).await?;
        let mut buffer = vec![0; 16 << 10];
        let (head, rest) = read_head(&mut socket, &mut buffer).await?;
        *accepted = head.starts_with("http/1.1 200");
        if *accepted {
            read_turn(&mut socket, &rest, &mut buffer).await?;
        } else {
            read_refusal(&mut socket, &head, rest.len(), &mut buffer).await?;
        }
        if !head.contains("connection: close") {
            self.shared().connections.push(socket);
        }
        let is_refusal = ["http/1.1 503", "http/1.1 429"].iter().any(|status| head.starts_with(status));
        match (*accepted, is_refusal, head.contains("\r\nretry-after: ")) {
            (true, ..) => Ok(Fate::Completed),
            (false, true, true) => Ok(Fate::Refused),
            (false, true, false) => Ok(Fate::Dismissed),
            _ => anyhow::bail!("{head}"),
        }
    }

    /// Compares what was accepted with what the program has: turns that are missing, and turns that are there without having
    /// been asked for.
    pub async fn compare(&self, house: &House) -> Result<(usize, usize)> {
        let accepted = self.shared().accepted.clone();
        let (mut lost, mut surplus) = (0, 0);
        for (session, (sure, perhaps)) in accepted {
            let id = house.sessions.get(session).context("there is no such session")?;
            let list = house.client.get(&format!("/v1/sessions/{id}/messages?limit=100")).await?.body;
            let items = list["items"].as_array().context("there are no messages")?;
            let of = |role: &str| items.iter().filter(|message| message["role"] == role).count();
            let (said, answered) = (of("user"), of("assistant"));
            lost += sure.saturating_sub(answered.min(said));
            surplus += said.saturating_sub(sure + perhaps);
        }
        Ok((lost, surplus))
    }
}

async fn read_head(socket: &mut TcpStream, buffer: &mut [u8]) -> Result<(String, Vec<u8>)> {
    let mut head = Vec::new();
    loop {
        let read = socket.read(buffer).await?;
        anyhow::ensure!(read > 0, "the connection ended");
        head.extend_from_slice(buffer.get(..read).unwrap_or_default());
        if let Some(at) = memchr::memmem::find(&head, b"\r\n\r\n") {
            let rest = head.split_off(at + 4);
            // The line end behind the last chunk of the answer before may have come late.
            return Ok((String::from_utf8_lossy(&head).trim_start().to_ascii_lowercase(), rest));
        }
    }
}

async fn read_turn(socket: &mut TcpStream, rest: &[u8], buffer: &mut [u8]) -> Result<()> {
    let (mut chunks, mut body) = (Chunks::default(), Vec::new());
    chunks.push(rest, &mut body);
    while !chunks.ended {
        let read = socket.read(buffer).await?;
        anyhow::ensure!(read > 0, "the connection ended");
        chunks.push(buffer.get(..read).unwrap_or_default(), &mut body);
    }
    let has = |word: &[u8]| memchr::memmem::find(&body, word).is_some();
    anyhow::ensure!(has(b"turn_ended") && !has(b"turn_failed"), "the turn did not come to its end");
    Ok(())
}

async fn read_refusal(socket: &mut TcpStream, head: &str, begun: usize, buffer: &mut [u8]) -> Result<()> {
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length: usize = length.and_then(|length| length.trim().parse().ok()).context("no length")?;
    let mut left = length.saturating_sub(begun);
    while left > 0 {
        let read = socket.read(buffer).await?;
        anyhow::ensure!(read > 0, "the connection ended");
        left = left.saturating_sub(read);
    }
    Ok(())
}
