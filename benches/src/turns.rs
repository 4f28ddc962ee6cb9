//! P7: what a turn costs when the model costs nothing.

use crate::{
    floor, mock,
    rounds::{Bound, Measured, median_micros},
    world::World,
};
use anyhow::Result;
use domain::SessionId;
use std::{net::SocketAddr, sync::Arc, time::Instant};
use tokio::net::TcpStream;

const TURNS: usize = 100;
const SESSIONS: usize = 8;

/// One kind of session under test.
struct Case {
    world: Arc<World>,
    sessions: Vec<SessionId>,
    messages: usize,
    latency: Measured,
    rate: Measured,
    statements: Measured,
    commits: Measured,
}

fn row(what: String, unit: &'static str, must: Bound) -> Measured {
    Measured { what, unit, values: Vec::new(), ratios: Vec::new(), must, aim: Bound::None }
}

impl Case {
    async fn new(model: SocketAddr, sessions: usize, messages: usize) -> Result<Self> {
        let world = Arc::new(World::new(model).await?);
        let mut ids = Vec::new();
        for _ in 0..sessions {
            ids.push(world.session().await?);
        }
        let name = format!("{sessions} × {messages} messages");
        Ok(Self {
            world,
            sessions: ids,
            messages,
            latency: row(format!("P7 turn p50, {name}"), "µs", Bound::None),
            rate: row(format!("P7 turns/s, {name}"), "/s", Bound::None),
            statements: row(format!("P7 statements/turn, {name}"), "", Bound::AtMost(20.0)),
            commits: row(format!("P7 commits/turn, {name}"), "", Bound::AtMost(4.0)),
        })
    }

    /// Sessions grow as they are used, so each round begins with new ones of the right length.
    async fn fill(&mut self) -> Result<()> {
        for session in &mut self.sessions {
            *session = self.world.session().await?;
            for _ in 0..self.messages / 2 {
                self.world.turn(*session).await?;
            }
        }
        Ok(())
    }

    async fn round(&mut self, floor: f64, keep: bool) -> Result<()> {
        self.fill().await?;
        let before = self.world.store.counts();
        let begun = Instant::now();
        let mut tasks = Vec::new();
        for session in self.sessions.clone() {
            let world = self.world.clone();
            let turns = TURNS / self.sessions.len();
            tasks.push(tokio::spawn(async move {
                let mut micros = Vec::new();
                for _ in 0..turns {
                    let begun = Instant::now();
                    world.turn(session).await?;
                    micros.push(begun.elapsed().as_secs_f64() * 1e6);
                }
                anyhow::Ok(micros)
            }));
        }
        let mut micros = Vec::new();
        for task in tasks {
            micros.extend(task.await??);
        }
        let seconds = begun.elapsed().as_secs_f64();
        let after = self.world.store.counts();
        if !keep {
            return Ok(());
        }
        let turns = micros.len() as f64;
        let p50 = median_micros(micros);
        self.latency.values.push(p50);
        self.latency.ratios.push(p50 / floor);
        self.rate.values.push(turns / seconds);
        self.statements.values.push((after.statements - before.statements) as f64 / turns);
        self.commits.values.push((after.commits - before.commits) as f64 / turns);
        Ok(())
    }
}

async fn floor_micros(model: SocketAddr) -> Result<f64> {
    let folder = tempfile::tempdir()?;
    let mut database = floor::database::database(&folder.path().join("floor.db"))?;
    let mut stream = TcpStream::connect(model).await?;
    stream.set_nodelay(true)?;
    let mut micros = Vec::new();
    for _ in 0..TURNS {
        let begun = Instant::now();
        floor::database::turn(&mut stream, model, &mut database).await?;
        micros.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median_micros(micros))
}

pub async fn measure(rounds: usize) -> Result<Vec<Measured>> {
    println!("P7: turns with a model of zero latency; the floor is one request to it and one durable commit");
    let model = mock::start()?;
    let mut cases = vec![
        Case::new(model, 1, 10).await?,
        Case::new(model, SESSIONS, 10).await?,
        Case::new(model, 1, 1_000).await?,
    ];
    let mut floors = row("P7 floor, 1 request + 1 commit".to_owned(), "µs", Bound::None);
    for round in 0..=rounds {
        let floor = floor_micros(model).await?;
        // The order changes from round to round, so that nobody always goes first.
        let count = cases.len();
        for place in 0..count {
            if let Some(case) = cases.get_mut((place + round) % count) {
                case.round(floor, round > 0).await?;
            }
        }
        if round > 0 {
            floors.values.push(floor);
        }
        println!("  round {round} of {rounds} done");
    }
    let growth = growth(&cases);
    let mut rows = vec![floors];
    for case in cases {
        rows.extend([case.latency, case.rate, case.statements, case.commits]);
    }
    rows.extend(growth);
    Ok(rows)
}

/// A long history should cost little more than a short one.
fn growth(cases: &[Case]) -> Option<Measured> {
    let (short, long) = (cases.first()?, cases.last()?);
    let ratios = long.latency.values.iter().zip(&short.latency.values).map(|(long, short)| long / short);
    let what = "P7 1,000 messages against 10".to_owned();
    Some(Measured {
        what,
        unit: "",
        values: Vec::new(),
        ratios: ratios.collect(),
        must: Bound::None,
        aim: Bound::None,
    })
}
