//! Server-sent events, decoded as the bytes come, wherever they are cut.

/// One event: its cursor and its data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    pub id: Option<String>,
    pub data: String,
}

/// Keeps what is not a whole event yet.
#[derive(Debug, Default)]
pub struct Decoder {
    line: Vec<u8>,
    /// The last byte was a carriage return: a line feed right after it belongs to the same line end.
    after_return: bool,
    event: SseEvent,
    has_data: bool,
}

impl Decoder {
    /// The events that these bytes complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<SseEvent> {
        let mut events = Vec::new();
        for &byte in bytes {
            let second_of_pair = std::mem::take(&mut self.after_return) && byte == b'\n';
            match byte {
                b'\n' if second_of_pair => {}
                b'\n' | b'\r' => {
                    self.after_return = byte == b'\r';
                    events.extend(self.end_line());
                }
                other => self.line.push(other),
            }
        }
        events
    }

    /// What is kept of an unfinished event, in bytes.
    pub fn pending(&self) -> usize {
        self.line.len().saturating_add(self.event.data.len())
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let line = String::from_utf8_lossy(&line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => self.event.id = Some(value.to_owned()),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            // The type is inside the data; comments and `retry` ask for nothing.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;
