//! What the server refuses or ends, so that others are served.

mod bad_input;
mod crowd;
mod endless;
mod hygiene;
mod readiness;
mod rush;
mod shutdown;
mod websocket_bounds;
