//! One connection: reading requests and writing answers, byte by byte where the script wants it.

use super::{
    Recorded, Reply, check,
    messages_check::{self, Memory},
    one_at_a_time::OpenRequest,
    reply::{At, Before, Body, Interruption},
    script::{Rendered, Script},
    state::State,
};
use serde_json::{Value, json};
use std::{io, net::TcpListener as StdListener, sync::Arc};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::yield_now,
    time::sleep,
};

const MAX_BODY: u64 = 64 * 1024 * 1024;
/// Of a chunked body.
const END: &[u8] = b"0\r\n\r\n";

/// Serves on a thread of its own until `stopped` fires.
pub(super) fn serve(listener: StdListener, state: Arc<State>, stopped: oneshot::Receiver<()>) {
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async move {
            let Ok(listener) = TcpListener::from_std(listener) else { return };
            tokio::select! {
                () = accept(listener, state) => {}
                _ = stopped => {}
            }
        });
    });
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    while let Ok((stream, _)) = listener.accept().await {
        state.change(|inner| inner.connections += 1);
        let state = Arc::clone(&state);
        tokio::spawn(async move {
            // A client that goes away is no failure of the server.
            let _ = Connection { stream: BufReader::new(stream), state }.run().await;
        });
    }
}

struct Connection {
    stream: BufReader<TcpStream>,
    state: Arc<State>,
}

struct Request {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Which wire a request speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    ChatCompletions,
    Messages,
}

/// What is answered to a request.
struct Chosen {
    reply: Reply,
    /// The number of the chat request it belongs to.
    number: usize,
    dialect: Dialect,
}

/// Does the connection serve another request?
#[derive(PartialEq, Eq)]
enum After {
    Stays,
    Closes,
}

impl Connection {
    async fn run(mut self) -> io::Result<()> {
        self.stream.get_ref().set_nodelay(true)?;
        while let Some(request) = self.read_request().await? {
            let (chosen, recorded) = self.choose(request);
            let _open = match &recorded {
                Some(recorded) => OpenRequest::begin(&self.state, recorded).await,
                None => None,
            };
            if self.answer(&chosen).await? == After::Closes {
                break;
            }
        }
        Ok(())
    }

    async fn read_request(&mut self) -> io::Result<Option<Request>> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line).await? == 0 || line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':') {
                headers.push((name.trim().to_lowercase(), value.trim().to_owned()));
            }
        }
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length: u64 = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
        let mut body = Vec::new();
        (&mut self.stream).take(length.min(MAX_BODY)).read_to_end(&mut body).await?;
        Ok(Some(Request { method, path, headers, body }))
    }

    fn choose(&self, request: Request) -> (Chosen, Option<Recorded>) {
        let dialect = match request.header("anthropic-version") {
            Some(_) => Dialect::Messages,
            None => Dialect::ChatCompletions,
        };
        let path = request.path.split('?').next().unwrap_or_default();
        if request.method == "GET" && path == "/v1/models" {
            return (Chosen { reply: self.models(dialect), number: 0, dialect }, None);
        }
        let body = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
        let mut problems = match (request.method.as_str(), path) {
            ("POST", "/v1/messages") => self.state.look(|inner| {
                let memory = Memory { issued: inner.issued.clone(), paused: inner.paused };
                messages_check::problems(&request.headers, &body, &memory)
            }),
            _ => check::problems(&request.method, &request.path, &request.headers, &body),
        };
        let raw = String::from_utf8_lossy(&request.body).into_owned();
        let recorded = Recorded { path: request.path, headers: request.headers, body, raw };
        let (number, reply) = self.state.receive(&recorded, problems.is_empty());
        match reply {
            Some(reply) => return (Chosen { reply, number, dialect }, Some(recorded)),
            None if problems.is_empty() => problems.push("nothing is scripted for this request".to_owned()),
            None => {}
        }
        let said = problems.join("; ");
        self.state.change(|inner| inner.violations.push(format!("request {number}: {said}")));
        let error = json!({"error": {"message": said, "type": "invalid_request_error"}}).to_string();
        (Chosen { reply: Reply::status(400).body(error), number, dialect }, None)
    }

    fn models(&self, dialect: Dialect) -> Reply {
        let (list, scripted) = self.state.look(|inner| (inner.models.clone(), inner.models_reply.clone()));
        let list = match dialect {
            Dialect::ChatCompletions => json!({"object": "list", "data": list}),
            Dialect::Messages => json!({"data": list, "has_more": false}),
        };
        scripted.unwrap_or_else(|| Reply::raw(list.to_string()).content_type("application/json"))
    }

    fn render(&self, script: &Script, chosen: &Chosen) -> Rendered {
        let rendered = match chosen.dialect {
            Dialect::ChatCompletions => script.render(chosen.number),
            Dialect::Messages => script.render_messages(chosen.number),
        };
        self.state.change(|inner| {
            inner.issued.extend(rendered.issued.iter().cloned());
            inner.paused = rendered.paused;
        });
        rendered
    }

    async fn answer(&mut self, chosen: &Chosen) -> io::Result<After> {
        let reply = &chosen.reply;
        for before in &reply.before {
            match before {
                Before::Delay(delay) => {
                    if !self.present(sleep(*delay)).await {
                        return Ok(After::Closes);
                    }
                }
                Before::Gate(gate) => {
                    if !self.present(gate.notified()).await {
                        return Ok(After::Closes);
                    }
                }
            }
        }
        let rendered = match &reply.body {
            Body::HangUp => return Ok(After::Closes),
            Body::Verbatim(answer) => {
                self.write(answer, reply.write_size).await?;
                return Ok(After::Closes);
            }
            Body::Raw(body) => Rendered { frames: vec![body.clone()], ..Rendered::default() },
            Body::Stream(script) => self.render(script, chosen),
        };
        self.write(head(reply).as_bytes(), None).await?;
        self.write_body(reply, &rendered.frames, &rendered.pieces).await
    }

    async fn write_body(&mut self, reply: &Reply, frames: &[Vec<u8>], pieces: &[usize]) -> io::Result<After> {
        let mut interruptions = located(reply, frames, pieces);
        let mut sent = 0;
        for (number, frame) in frames.iter().enumerate() {
            if let Some(pace) = reply.pace {
                sleep(pace).await;
            }
            let mut rest = frame.as_slice();
            while let Some((at, _)) = interruptions.first().filter(|(at, _)| *at < sent + rest.len()) {
                let (now, later) = rest.split_at(at.saturating_sub(sent));
                self.write_frame(reply, now).await?;
                sent += now.len();
                rest = later;
                if self.interrupt(&interruptions.remove(0).1).await == After::Closes {
                    return Ok(After::Closes);
                }
            }
            // Who has the end of the message has the end of the answer, unless the script comes in between.
            let whole = interruptions.is_empty() && reply.write_size.is_none() && !reply.close;
            if whole && number + 1 == frames.len() {
                self.write(&[chunk(rest), END.to_vec()].concat(), None).await?;
                return Ok(After::Stays);
            }
            self.write_frame(reply, rest).await?;
            sent += rest.len();
        }
        for (_, interruption) in interruptions {
            if self.interrupt(&interruption).await == After::Closes {
                return Ok(After::Closes);
            }
        }
        if reply.close {
            return Ok(After::Closes);
        }
        self.write(END, reply.write_size).await?;
        Ok(After::Stays)
    }

    async fn interrupt(&mut self, interruption: &Interruption) -> After {
        let goes_on = match interruption {
            Interruption::Cut => false,
            Interruption::Stall => self.present(std::future::pending()).await,
            Interruption::Gate(gate) => self.present(gate.notified()).await,
        };
        if goes_on { After::Stays } else { After::Closes }
    }

    /// Waits for `event`; false when the client hung up first.
    async fn present(&mut self, event: impl Future<Output = ()>) -> bool {
        let mut byte = [0; 1];
        tokio::select! {
            () = event => true,
            _ = self.stream.get_ref().peek(&mut byte) => {
                self.state.change(|inner| inner.hang_ups += 1);
                false
            }
        }
    }

    async fn write_frame(&mut self, reply: &Reply, bytes: &[u8]) -> io::Result<()> {
        if reply.close {
            return self.write(bytes, reply.write_size).await;
        }
        self.write(&chunk(bytes), reply.write_size).await
    }

    async fn write(&mut self, bytes: &[u8], size: Option<usize>) -> io::Result<()> {
        for piece in bytes.chunks(size.unwrap_or(bytes.len()).max(1)) {
            if let Err(error) = self.stream.get_mut().write_all(piece).await {
                self.state.change(|inner| inner.hang_ups += 1);
                return Err(error);
            }
            // Lets the other side read this piece before the next one is there.
            yield_now().await;
        }
        Ok(())
    }
}

/// Of a chunked body; an empty one would be its end.
fn chunk(bytes: &[u8]) -> Vec<u8> {
    if bytes.is_empty() {
        return Vec::new();
    }
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

/// The interruptions by the byte before which they happen, in order.
fn located(reply: &Reply, frames: &[Vec<u8>], pieces: &[usize]) -> Vec<(usize, Interruption)> {
    let end_of = |piece: usize| {
        let count = piece.checked_sub(1).and_then(|last| pieces.get(last).copied());
        // Before the first piece: after the event that opens the message.
        frames.iter().take(count.unwrap_or(if piece == 0 { 1 } else { frames.len() })).map(Vec::len).sum()
    };
    let mut located: Vec<(usize, Interruption)> = reply
        .interruptions
        .iter()
        .map(|(at, interruption)| {
            let byte = match at {
                At::Byte(byte) => *byte,
                At::Piece(piece) => end_of(*piece),
            };
            (byte, interruption.clone())
        })
        .collect();
    located.sort_by_key(|(at, _)| *at);
    located
}

fn head(reply: &Reply) -> String {
    let framing = if reply.close { "connection: close" } else { "transfer-encoding: chunked" };
    let mut head = format!(
        "HTTP/1.1 {} Scripted\r\ncontent-type: {}\r\n{framing}\r\n",
        reply.status, reply.content_type
    );
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    head
}
