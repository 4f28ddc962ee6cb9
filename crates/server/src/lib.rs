//! The front door: HTTP, server-sent events and WebSockets, over TCP and over the control socket.
//!
//! This crate owns what a request looks like from outside: paths, who may call them, bodies and their limits,
//! `application/problem+json`, streams. It turns a request into one call of the engine and the answer into JSON.
//! `axum` is used nowhere else.
//!
//! It must never: decide anything about a turn, hold a queue per reader (streams pull from [`engine::Reader`]), let a
//! route exist without saying who may call it, answer an error that is not a problem document, or log a query, a key
//! or a word of a message.
//!
//! Where to start reading: `router.rs` is the whole table. `pipeline.rs` is what every request passes before and
//! after it, `guard.rs` is the lock on each route, `route/<noun>/<verb>.rs` are the handlers, `sse.rs` is the stream,
//! `websocket` the WebSocket, `limits_per_person` how much one person may have at once, [`serve`] accepts connections and ends them.

mod connection;
mod request;

mod access;
mod app;
mod attachment;
mod caller;
mod describe;
mod guard;
mod json;
mod limits_per_person;
mod lists;
mod log_ring;
mod measure;
mod overload;
mod page;
mod problem;
mod route;
mod router;
mod settings;
mod sse;
mod websocket;

pub use access::{Access, Class};
pub use connection::serve::{serve, serve_control};
#[cfg(feature = "describe")]
pub use describe::openapi::document as openapi;
pub use limits_per_person::Capacity;
pub use log_ring::{Level, LogLine, LogRing};
pub use problem::{ProblemKind, problem_kinds};
pub use request::proxies::ProxyNetwork;
pub use router::{RouteLine, routes};
pub use settings::HttpSettings;
