//! Who takes part in a round: the model itself, the floors, and each program.

use crate::{
    floor::{self, Floor},
    load::{
        client::{Ask, Until},
        house::House,
        mock::Mock,
        process::Watched,
    },
    options::Options,
    rounds::{Bound, Measured},
};
use anyhow::Result;
use std::net::SocketAddr;
use testkit::postgres::Cluster;

pub enum Entrant {
    /// The model, without anything between.
    Direct(SocketAddr),
    Floor(Floor, floor::Running),
    House(String, Box<House>),
    /// What others have.
    Peer(String, floor::Running),
}

impl Entrant {
    pub fn name(&self) -> &str {
        match self {
            Self::Direct(_) => "direct",
            Self::Floor(floor, _) => floor.name(),
            Self::House(name, _) | Self::Peer(name, _) => name,
        }
    }

    pub fn process(&self) -> Option<Watched> {
        match self {
            Self::Direct(_) => None,
            Self::Floor(_, running) | Self::Peer(_, running) => Some(running.process),
            Self::House(_, house) => Some(house.process),
        }
    }

    pub fn is_house(&self) -> bool {
        matches!(self, Self::House(..))
    }

    /// So many streams of replies with so many pieces.
    pub async fn replies(&mut self, streams: usize, pieces: u32) -> Result<Vec<Ask>> {
        let until = Until::End(pieces);
        match self {
            Self::Direct(address) => {
                let request = plain("POST", "/v1/chat/completions", *address);
                Ok(vec![Ask { address: *address, request, until }; streams])
            }
            Self::Floor(_, running) | Self::Peer(_, running) => {
                let request = plain("POST", "/", running.address);
                Ok(vec![Ask { address: running.address, request, until }; streams])
            }
            Self::House(_, house) => {
                house.furnish(streams).await?;
                let ask = |session| Ok(Ask { address: house.address, request: house.say(session)?, until });
                (0..streams).map(ask).collect()
            }
        }
    }
}

/// A request with a small body, as it is sent to a model.
pub fn plain(method: &str, path: &str, address: SocketAddr) -> Vec<u8> {
    let body = match method {
        "POST" => "{\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}],\"stream\":true}",
        _ => "",
    };
    format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
        .into_bytes()
}

/// The programs, each in a house of its own, on SQLite; and on PostgreSQL if that was asked for.
pub async fn houses(options: &Options, model: &Mock) -> Result<(Vec<Entrant>, Option<Cluster>)> {
    let mut houses = Vec::new();
    for (place, program) in options.programs.iter().enumerate() {
        let name = program_name(options, place);
        let house = House::open(program, &model.url(), None).await?;
        houses.push(Entrant::House(name, Box::new(house)));
    }
    let Some(url) = &options.postgres else { return Ok((houses, None)) };
    let cluster = if url == "own" { Cluster::start_durable()? } else { None };
    for (place, program) in options.programs.iter().enumerate() {
        let url = match &cluster {
            Some(cluster) => cluster.database()?,
            None if url == "own" => {
                println!("PostgreSQL: not run: its server is not installed");
                break;
            }
            // There is one address, and an empty database serves one program.
            None if place > 0 => break,
            None => url.clone(),
        };
        let house = House::open(program, &model.url(), Some(&url)).await?;
        houses.push(Entrant::House(format!("{}, PostgreSQL", program_name(options, place)), Box::new(house)));
    }
    Ok((houses, cluster))
}

/// A single program is ours; several are A, B and so on.
pub fn program_name(options: &Options, place: usize) -> String {
    if options.programs.len() == 1 {
        return "ours".to_owned();
    }
    let letter = u8::try_from(place).map_or('?', |place| char::from(b'A'.saturating_add(place)));
    letter.to_string()
}

pub fn introduce(options: &Options) {
    if options.programs.len() > 1 {
        for (place, program) in options.programs.iter().enumerate() {
            println!("  {} is {}", program_name(options, place), program.display());
        }
    }
}

/// How each program but the first compares with the first one, round by round.
pub fn against_first(what: &str, series: &[(String, Vec<f64>)]) -> Vec<Measured> {
    let Some(((first, base), others)) = series.split_first() else { return Vec::new() };
    let row = |(name, values): &(String, Vec<f64>)| Measured {
        what: format!("{what}, {name} / {first}"),
        unit: "×",
        values: Vec::new(),
        ratios: values.iter().zip(base).map(|(value, base)| value / base).collect(),
        must: Bound::None,
        aim: Bound::None,
    };
    others.iter().map(row).collect()
}
