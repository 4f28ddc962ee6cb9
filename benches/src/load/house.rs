//! A program in a fresh folder: started, with an owner, a key and sessions.

use super::process::Watched;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::{net::SocketAddr, path::Path};
use store::{KeyFiles, Store};
use tempfile::TempDir;
use testkit::{
    client::Client,
    program::{Program, Running},
};

/// More than any metric asks for.
const MANY: &str = "5000";

pub struct House {
    pub client: Client,
    pub address: SocketAddr,
    pub key: String,
    pub process: Watched,
    pub sessions: Vec<String>,
    program: Program,
    running: Option<Running>,
    /// Where its memory is.
    url: String,
    _folder: TempDir,
}

/// Another node of the same house.
pub struct Neighbour {
    pub address: SocketAddr,
    _running: Running,
}

impl House {
    /// `database`: the address of an empty one; without it, a file in the folder.
    pub async fn open(program: &Path, model: &str, database: Option<&str>) -> Result<Self> {
        anyhow::ensure!(program.is_file(), "there is no program {}: build it first", program.display());
        let folder = tempfile::tempdir()?;
        let data = folder.path().join("data");
        let url = format!("sqlite:{}", data.join("majordomo.db").display());
        let mut program = Program::new(program, data)
            .model(model)
            .env("MAJORDOMO_PROVIDER_TEST_PRICE", "free")
            .env("MAJORDOMO_LOG", "error")
            // The model would take a request for a summary for one of the replies that it waits for.
            .env("MAJORDOMO_LIMITS_COMPACT_AT", "0");
        for kind in ["REQUESTS", "STREAMS"] {
            program = program.env(&format!("MAJORDOMO_CONNECTIONS_{kind}_PER_PERSON"), MANY);
        }
        if let Some(database) = database {
            program = program.env("MAJORDOMO_STORE_URL", database);
        }
        let key = program.set_up().await;
        let running = program.serve().await?;
        let (client, address, process) = reached(&running, &key)?;
        let url = database.map_or(url, str::to_owned);
        let (sessions, running) = (Vec::new(), Some(running));
        Ok(Self { client, address, key, process, sessions, program, running, url, _folder: folder })
    }

    /// Ends the program in good order.
    pub async fn stop(&mut self) -> Result<()> {
        if let Some(running) = self.running.take() {
            running.terminate().await?;
        }
        Ok(())
    }

    /// Starts the program again, on what is there.
    pub async fn start(&mut self) -> Result<()> {
        self.stop().await?;
        let running = self.program.serve().await?;
        (self.client, self.address, self.process) = reached(&running, &self.key)?;
        self.running = Some(running);
        Ok(())
    }

    /// A second node on the same database, with a data directory of its own.
    pub async fn neighbour(&self) -> Result<Neighbour> {
        let data = self.program.data().with_file_name("neighbour");
        std::fs::create_dir(&data)?;
        std::fs::copy(self.program.data().join("master.key"), data.join("master.key"))?;
        let running = self.program.at(data).serve().await?;
        let (_, address, _) = reached(&running, &self.key)?;
        Ok(Neighbour { address, _running: running })
    }

    /// Its memory, while the program does not run.
    pub async fn store(&self) -> Result<Store> {
        let keys = KeyFiles::new(self.program.data().join("master.key")).load()?;
        Ok(Store::open(&self.url, keys).await?)
    }

    /// Sees to it that there are at least so many sessions.
    pub async fn furnish(&mut self, sessions: usize) -> Result<()> {
        let agents = self.client.get("/v1/agents").await?.body;
        let agent = text(&agents, "/items/0/id")?;
        while self.sessions.len() < sessions {
            let created = self.client.post("/v1/sessions", &json!({ "agent_id": agent })).await?;
            self.sessions.push(text(&created.body, "/id")?);
        }
        Ok(())
    }

    pub async fn user(&self) -> Result<String> {
        text(&self.client.get("/v1/me").await?.body, "/id")
    }

    /// The request that says something in a session and follows the turn.
    pub fn say(&self, session: usize) -> Result<Vec<u8>> {
        let id = self.sessions.get(session).context("there is no such session")?;
        let body = json!({ "content": "hello" }).to_string();
        let path = format!("POST /v1/sessions/{id}/messages/stream");
        Ok(self.request(
            &path,
            &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()),
            &body,
        ))
    }

    /// The request that follows a session, from an event on or from now on.
    pub fn follow(&self, session: usize, after: Option<u64>) -> Result<Vec<u8>> {
        self.follow_at(self.address, session, after)
    }

    /// The same at another node of the house.
    pub fn follow_at(&self, node: SocketAddr, session: usize, after: Option<u64>) -> Result<Vec<u8>> {
        let id = self.sessions.get(session).context("there is no such session")?;
        let after = after.map_or_else(String::new, |seq| format!("Last-Event-ID: {seq}\r\n"));
        Ok(self.request_at(node, &format!("GET /v1/sessions/{id}/events/stream"), &after, ""))
    }

    /// The request that follows everything of the person.
    pub fn follow_everything(&self) -> Vec<u8> {
        self.request("GET /v1/events/stream", "", "")
    }

    fn request(&self, line: &str, headers: &str, body: &str) -> Vec<u8> {
        self.request_at(self.address, line, headers, body)
    }

    fn request_at(&self, address: SocketAddr, line: &str, headers: &str, body: &str) -> Vec<u8> {
        let key = &self.key;
        format!("{line} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n{headers}\r\n{body}")
            .into_bytes()
    }
}

fn reached(running: &Running, key: &str) -> Result<(Client, SocketAddr, Watched)> {
    let address = running.base.trim_start_matches("http://").trim_end_matches('/').parse();
    let address = address.with_context(|| format!("{} is no address", running.base))?;
    let process = Watched(running.id().context("the program has ended")?);
    Ok((running.client(key), address, process))
}

fn text(value: &Value, pointer: &str) -> Result<String> {
    let found = value.pointer(pointer).and_then(Value::as_str);
    Ok(found.with_context(|| format!("no {pointer} in {value}"))?.to_owned())
}
