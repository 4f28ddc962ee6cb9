//! Single events in the words of each wire, for streams that no script would make.

use provider::Wire;
use serde_json::{Value, json};

pub fn frame(event: &Value) -> String {
    format!("data: {event}\n\n")
}

/// Opens a message that will hold text.
pub fn opening(wire: Wire) -> String {
    match wire {
        Wire::OpenAi => String::new(),
        Wire::Anthropic => {
            let usage = json!({"input_tokens": 1, "output_tokens": 1});
            let start = json!({"type": "message_start", "message": {"content": [], "usage": usage}});
            let block = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
            frame(&start) + &frame(&block)
        }
    }
}

pub fn text(wire: Wire, text: &str) -> Value {
    match wire {
        Wire::OpenAi => json!({"choices": [{"index": 0, "delta": {"content": text}}]}),
        Wire::Anthropic => {
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})
        }
    }
}

/// Says that the model stopped, and nothing else.
pub fn finish(wire: Wire) -> Value {
    match wire {
        Wire::OpenAi => json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
        Wire::Anthropic => json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
    }
}

/// Says that nothing follows.
pub fn done(wire: Wire) -> String {
    match wire {
        Wire::OpenAi => "data: [DONE]\n\n".to_owned(),
        Wire::Anthropic => frame(&json!({"type": "message_stop"})),
    }
}

pub fn error(wire: Wire, kind: &str, message: &str) -> Value {
    match wire {
        Wire::OpenAi => json!({"error": {"message": message, "type": kind}}),
        Wire::Anthropic => json!({"type": "error", "error": {"type": kind, "message": message}}),
    }
}

/// Whatever a later version of the wire may bring: events, fields, blocks and pieces that nobody knows yet.
pub fn inventions(wire: Wire) -> Vec<Value> {
    match wire {
        Wire::OpenAi => vec![
            json!({"type": "response.created", "response": {"id": 1}}),
            json!({"choices": [{"index": 0, "delta": {"annotations": [1], "audio": {}}, "logprobs": null, "new": {}}], "x": [[]]}),
            json!({"choices": null}),
            json!(7),
        ],
        Wire::Anthropic => vec![
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "colour_delta", "colour": {"r": 1}}}),
            json!({"type": "content_block_delta", "index": 99, "delta": {"type": "text_delta", "text": "nowhere"}}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "hologram", "depth": 3}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "hologram_delta", "light": "x"}}),
            json!({"type": "content_block_stop", "index": 1}),
            json!({"type": "message_mood", "mood": ["fine"]}),
            json!({"type": 7, "delta": 3}),
            json!([]),
        ],
    }
}

/// The whole answer of a server that does not stream.
pub fn whole(wire: Wire, text: &str) -> Value {
    match wire {
        Wire::OpenAi => json!({"choices": [{"message": {"content": text}, "finish_reason": "length"}]}),
        Wire::Anthropic => json!({"type": "message", "content": [{"type": "text", "text": text}],
            "stop_reason": "max_tokens", "usage": {"input_tokens": 3, "output_tokens": 4}}),
    }
}
