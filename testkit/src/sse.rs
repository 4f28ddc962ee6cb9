//! Reading server-sent events in tests: frames as they come, whatever the cuts.

use serde_json::Value;

/// One event as a browser would see it.
#[derive(Clone, Debug, PartialEq)]
pub struct SseEvent {
    pub event: String,
    pub id: String,
    pub data: Value,
}

/// Collects bytes until frames are whole.
#[derive(Default)]
pub struct SseFrames {
    buffer: Vec<u8>,
}

impl SseFrames {
    /// The events that these bytes complete. Comments and fields without data are passed over.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<SseEvent> {
        self.buffer.extend_from_slice(bytes);
        let mut events = Vec::new();
        while let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\n\n") {
            let frame: Vec<u8> = self.buffer.drain(..end + 2).collect();
            events.extend(parse(&String::from_utf8_lossy(&frame)));
        }
        events
    }
}

fn parse(frame: &str) -> Option<SseEvent> {
    let field = |name: &str| {
        let prefix = format!("{name}: ");
        frame.lines().find_map(|line| line.strip_prefix(&prefix)).map(str::to_owned)
    };
    let data = serde_json::from_str(&field("data")?).ok()?;
    Some(SseEvent { event: field("event").unwrap_or_default(), id: field("id").unwrap_or_default(), data })
}
