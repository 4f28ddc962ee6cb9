//! P15: a reply that runs at one node and is read at another, on one PostgreSQL: how much later its pieces come than at their own node,
//! and how many statements that takes.

use super::entrants;
use crate::{
    findings::Findings,
    load::{
        client::{Ask, Readers, Until, percentile},
        clock,
        house::{House, Neighbour},
        mock::{Mock, Pace},
    },
    options::Options,
    rounds::{Bound, Measured},
};
use anyhow::{Context, Result};
use serde_json::json;
use std::time::Duration;
use testkit::postgres::{COUNTING, Cluster};

/// Replies at once, each read once at its own node and once at the other.
const STREAMS: [usize; 2] = [1, 100];
const EVERY: Duration = Duration::from_millis(25);
/// A message that was not taken is sent again after so long.
const AGAIN: Duration = Duration::from_millis(200);
/// Nothing is said and nothing is read.
const IDLE: Duration = Duration::from_secs(10);

/// Of one round.
#[derive(Default)]
struct Series {
    own: Vec<f64>,
    other: Vec<f64>,
    own_p99: Vec<f64>,
    other_p99: Vec<f64>,
    per_second: Vec<f64>,
    per_piece: Vec<f64>,
}

pub async fn measure(options: &Options) -> Result<Findings> {
    println!("P15: pieces read at another node; the floor is the same reply read at its own node");
    entrants::introduce(options);
    let program = options.programs.first().context("there is no program")?;
    let cluster = Cluster::start_set(COUNTING)?.context("PostgreSQL is not installed")?;
    let url = cluster.database()?;
    let model = Mock::start()?;
    let mut house = House::open(program, &model.url(), Some(&url)).await?;
    let other = house.neighbour().await?;
    let mut rows = Vec::new();
    for streams in options.streams(&STREAMS) {
        house.furnish(streams).await?;
        let mut series = Series::default();
        for round in 0..=options.rounds {
            let trial = Trial { model: &model, house: &house, other: &other, cluster: &cluster, url: &url };
            trial.take(streams, options.seconds, (round > 0).then_some(&mut series)).await?;
            println!("  {streams} replies: round {round} of {} done", options.rounds);
        }
        rows.extend(series.rows(streams));
    }
    cluster.statements(&url)?;
    tokio::time::sleep(IDLE).await;
    let idle = cluster.statements(&url)? as f64 / IDLE.as_secs_f64();
    rows.push(reported("P15 statements/s, two nodes, idle".to_owned(), "1/s", vec![idle], Vec::new()));
    Ok(rows.into())
}

struct Trial<'a> {
    model: &'a Mock,
    house: &'a House,
    other: &'a Neighbour,
    cluster: &'a Cluster,
    url: &'a str,
}

impl Trial<'_> {
    async fn take(&self, streams: usize, seconds: f64, series: Option<&mut Series>) -> Result<()> {
        let pieces = ((1.4 + seconds) / EVERY.as_secs_f64()) as u32;
        self.model.set_pace(Pace { pieces, every: EVERY });
        let readers = |address| {
            let until = Until::Words(pieces);
            let ask =
                |session| Ok(Ask { address, request: self.house.follow_at(address, session, None)?, until });
            Readers::open((0..streams).map(ask).collect::<Result<_>>()?, false)
        };
        let (own, other) = (readers(self.house.address)?, readers(self.other.address)?);
        own.opened(streams).await?;
        other.opened(streams).await?;
        let speaking: Vec<_> = (0..streams).map(|session| self.speak(session)).collect::<Result<_>>()?;
        let begun = self.model.begin(streams).await?;
        let window = (begun + 1_000_000, begun + ((1.0 + seconds) * 1e6) as u64);
        tokio::time::sleep(clock::until(window.0)).await;
        self.cluster.statements(self.url)?;
        let sent = self.model.sent();
        tokio::time::sleep(clock::until(window.1)).await;
        let (statements, sent) = (self.cluster.statements(self.url)? as f64, self.model.sent() - sent);
        let (own, other) = (own.finish().await?, other.finish().await?);
        own.check("the own node")?;
        other.check("the other node")?;
        for speaker in speaking {
            speaker.await??;
        }
        let Some(series) = series else { return Ok(()) };
        let (own, other) = (own.lateness(window), other.lateness(window));
        series.own.push(percentile(&own, 0.5));
        series.other.push(percentile(&other, 0.5));
        series.own_p99.push(percentile(&own, 0.99));
        series.other_p99.push(percentile(&other, 0.99));
        series.per_second.push(statements / seconds);
        series.per_piece.push(statements / sent.max(1) as f64);
        Ok(())
    }

    fn speak(&self, session: usize) -> Result<tokio::task::JoinHandle<Result<()>>> {
        let client = self.house.client.clone();
        let session = self.house.sessions.get(session).context("there is no session")?.clone();
        Ok(tokio::spawn(async move {
            let path = format!("/v1/sessions/{session}/messages");
            let message = json!({ "content": "hello" });
            let mut answer = client.post(&path, &message).await?;
            // So many at once may be more than the node takes; it has said to send it again in a moment.
            while answer.status == 503 {
                tokio::time::sleep(AGAIN).await;
                answer = client.post(&path, &message).await?;
            }
            anyhow::ensure!(answer.status == 200, "{}", answer.body);
            Ok(())
        }))
    }
}

impl Series {
    fn rows(self, streams: usize) -> Vec<Measured> {
        let over = |values: &[f64], floor: &[f64]| {
            values.iter().zip(floor).map(|(value, floor)| value / floor).collect()
        };
        let named = |what: &str| format!("P15 {what}, {streams}");
        let (p50, p99) = (over(&self.other, &self.own), over(&self.other_p99, &self.own_p99));
        vec![
            reported(named("µs late p50, own node"), "µs", self.own, Vec::new()),
            reported(named("µs late p50, other node"), "µs", self.other, p50),
            reported(named("µs late p99, own node"), "µs", self.own_p99, Vec::new()),
            reported(named("µs late p99, other node"), "µs", self.other_p99, p99),
            reported(named("statements/s, two nodes"), "1/s", self.per_second, Vec::new()),
            reported(named("statements/piece"), "×", self.per_piece, Vec::new()),
        ]
    }
}

fn reported(what: String, unit: &'static str, values: Vec<f64>, ratios: Vec<f64>) -> Measured {
    Measured { what, unit, values, ratios, must: Bound::None, aim: Bound::None }
}
