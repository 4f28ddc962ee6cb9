//! What people do all the time, as requests, with what each of them costs the program.

use crate::load::{
    client::{Ask, Readers, Until},
    house::House,
    process::Watched,
    turns,
};
use anyhow::{Context, Result};
use std::time::Instant;

/// Something a person does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// The first page of the list of conversations.
    List,
    /// A page further down.
    ListFurther,
    /// The conversation with its newest messages: the longest there is.
    Open,
    /// The first page of what is found, of a word that many conversations have.
    Search,
    /// Following everything: how all conversations stand.
    UserStream,
    /// A turn in a short conversation.
    Turn,
}

pub const DEEDS: [Deed; 6] =
    [Deed::List, Deed::ListFurther, Deed::Open, Deed::Search, Deed::UserStream, Deed::Turn];

const TIMES: usize = 20;

impl Deed {
    pub fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::ListFurther => "list, next page",
            Self::Open => "open the longest",
            Self::Search => "search",
            Self::UserStream => "user stream",
            Self::Turn => "turn",
        }
    }

    /// Processor time of the program in microseconds, each time, and how long it took.
    pub async fn cost(self, house: &mut House) -> Result<(f64, f64)> {
        let process = house.process;
        if self == Self::Turn {
            let session = house.sessions.len();
            house.furnish(session + 1).await?;
            let request = vec![house.say(session)?];
            turns::run(house.address, request.clone(), 5).await?;
            return counted(process, turns::run(house.address, request, TIMES)).await;
        }
        let paths = self.paths(house).await?;
        self.ask(house, &paths).await?;
        let times = async {
            for _ in 0..TIMES {
                self.ask(house, &paths).await?;
            }
            Ok(Vec::new())
        };
        counted(process, times).await
    }

    async fn paths(self, house: &House) -> Result<Vec<String>> {
        let longest = house.sessions.first().context("there is no session")?;
        Ok(match self {
            Self::List => vec!["/v1/sessions?limit=20".to_owned()],
            Self::ListFurther => {
                let page = house.client.get("/v1/sessions?limit=10").await?.body;
                let cursor = page.pointer("/next_cursor").and_then(|cursor| cursor.as_str());
                vec![format!("/v1/sessions?limit=20&cursor={}", cursor.context("there is one page only")?)]
            }
            Self::Open => {
                vec![format!("/v1/sessions/{longest}"), format!("/v1/sessions/{longest}/messages?limit=50")]
            }
            Self::Search => vec!["/v1/sessions?limit=20&search=answer".to_owned()],
            Self::UserStream | Self::Turn => Vec::new(),
        })
    }

    async fn ask(self, house: &House, paths: &[String]) -> Result<()> {
        if self == Self::UserStream {
            let request = house.follow_everything();
            let ask = Ask { address: house.address, request, until: Until::Frames(2) };
            let heard = Readers::open(vec![ask], false)?.finish().await?;
            return heard.check("the user stream");
        }
        for path in paths {
            let answer = house.client.get(path).await?;
            anyhow::ensure!(answer.status == 200, "{path}: {}", answer.body);
        }
        Ok(())
    }
}

async fn counted(process: Watched, doing: impl Future<Output = Result<Vec<f64>>>) -> Result<(f64, f64)> {
    let (before, begun) = (process.worked()?, Instant::now());
    doing.await?;
    let taken = begun.elapsed().as_secs_f64() * 1e6;
    Ok((process.worked()?.micros_since(&before) / TIMES as f64, taken / TIMES as f64))
}
