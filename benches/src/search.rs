//! Search by decrypting: how fast a person's own words are read, opened and looked through.

use crate::{
    rounds::{Bound, Measured},
    world::World,
};
use anyhow::{Context, Result};
use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};
use domain::{Message, MessageId, Part, Role, SessionId, Timestamp, TurnId};
use rusqlite::{Connection, params};
use std::{path::Path, time::Instant};
use store::{
    Needle,
    log::{self, Entry},
    search::{Search, SearchScope, search},
    sessions::{self, SessionFilter},
};
use uuid::Uuid;

const MESSAGES: u64 = 100_000;
const MESSAGE_BYTES: usize = 1_024;
const MEGABYTES: f64 = MESSAGES as f64 * MESSAGE_BYTES as f64 / 1e6;
/// In a word that no message has, so everything is looked through.
const NEEDLE: &str = "haystack-needle";
const ADDITIONAL: [u8; 46] = [7; 46];

pub async fn measure(rounds: usize) -> Result<Vec<Measured>> {
    println!(
        "P13: search over {MESSAGES} messages of {MESSAGE_BYTES} bytes; the floor reads as many sealed rows, opens and scans them"
    );
    let world = World::new(crate::mock::start()?).await?;
    fill(&world).await?;
    let folder = tempfile::tempdir()?;
    let floor = Floor::new(&folder.path().join("floor.db"))?;
    let (mut values, mut floors) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let (ours, least) = (round_of(&world).await?, floor.round()?);
        if round > 0 {
            values.push(ours);
            floors.push(least);
        }
    }
    let ratios = values.iter().zip(&floors).map(|(value, floor)| value / floor).collect();
    let row = |what: &str, values, ratios, must| Measured {
        what: what.to_owned(),
        unit: "MB/s",
        values,
        ratios,
        must,
        aim: Bound::None,
    };
    Ok(vec![
        row("P13 floor, read, open and scan", floors, Vec::new(), Bound::None),
        row("P13 search, nothing found", values, ratios, Bound::AtLeast(0.5)),
    ])
}

async fn round_of(world: &World) -> Result<f64> {
    let (user, key) = (world.user, world.store.data_key(world.user).await?);
    let needle = Needle::new(NEEDLE).context("no word")?;
    let (scope, filter) = (SearchScope::Everything, SessionFilter::default());
    let wanted = Search { needle, scope, filter, limit: 20, cursor: None };
    let begun = Instant::now();
    let read = move |tx: &mut store::Tx| search(tx, &key, user, wanted, || false);
    let found = world.store.read(read).await?;
    anyhow::ensure!(
        found.found.is_empty() && found.next_cursor.is_none(),
        "the search did not come to its end"
    );
    Ok(MEGABYTES / begun.elapsed().as_secs_f64())
}

/// A hundred sessions of a thousand messages.
async fn fill(world: &World) -> Result<()> {
    let key = world.store.data_key(world.user).await?;
    for number in 0..100 {
        let (session, user, key) = (world.session().await?, world.user, key.clone());
        let count = MESSAGES / 100;
        let entries = (0..count).map(|n| Entry::Message(message(session, number * count + n))).collect();
        let now = Timestamp::from_millis(0);
        let write = move |tx: &mut store::Tx| {
            let numbers = sessions::take_seq(tx, user, session, count, now)?;
            log::append(tx, &key, numbers, now, entries).map(drop)
        };
        world.store.write(write).await?;
    }
    Ok(())
}

fn message(session: SessionId, number: u64) -> Message {
    let content = text(number);
    Message {
        parts: vec![Part::Text { text: content.clone() }],
        content,
        ..Message::new(
            MessageId::from_uuid(Uuid::from_u128(u128::from(number))),
            TurnId::from_uuid(*session.as_uuid()),
            Role::User,
            Timestamp::from_millis(0),
        )
    }
}

fn text(number: u64) -> String {
    let words = ["The", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "Dog", "again"];
    let mut text = format!("{number}: ");
    let mut at = number as usize;
    while text.len() < MESSAGE_BYTES {
        at = at.wrapping_mul(31).wrapping_add(7);
        text.push_str(words.get(at % words.len()).copied().unwrap_or_default());
        text.push(' ');
    }
    text.truncate(MESSAGE_BYTES);
    text
}

/// The least: one table of sealed rows, one connection, nothing bound to its place.
struct Floor {
    connection: Connection,
    cipher: XChaCha20Poly1305,
}

impl Floor {
    fn new(path: &Path) -> Result<Self> {
        let mut connection = crate::floor::database::database(path)?;
        let cipher = XChaCha20Poly1305::new(&[7; 32].into());
        let transaction = connection.transaction()?;
        for number in 0..MESSAGES {
            let mut nonce = [0; 24];
            nonce[..8].copy_from_slice(&number.to_be_bytes());
            let plain = text(number);
            let payload = Payload { msg: plain.as_bytes(), aad: &ADDITIONAL };
            let sealed =
                cipher.encrypt(&XNonce::from(nonce), payload).map_err(|_| anyhow::anyhow!("sealing"))?;
            let row = [nonce.as_slice(), &sealed].concat();
            transaction.execute("INSERT INTO rows (kind, body) VALUES (?1, ?2)", params!["message", row])?;
        }
        transaction.commit()?;
        Ok(Self { connection, cipher })
    }

    fn round(&self) -> Result<f64> {
        let begun = Instant::now();
        let finder = memchr::memmem::Finder::new(NEEDLE);
        let mut statement = self.connection.prepare_cached("SELECT body FROM rows ORDER BY id DESC")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let body = row.get_ref(0)?.as_blob()?;
            let (nonce, sealed) = body.split_first_chunk::<24>().context("a short row")?;
            let payload = Payload { msg: sealed, aad: &ADDITIONAL };
            let plain = self
                .cipher
                .decrypt(&XNonce::from(*nonce), payload)
                .map_err(|_| anyhow::anyhow!("opening"))?;
            anyhow::ensure!(finder.find(&plain).is_none(), "found");
        }
        Ok(MEGABYTES / begun.elapsed().as_secs_f64())
    }
}
