//! What the server refuses or ends, so that others are served.

mod bad_input;
mod endless;
mod hygiene;
mod limits_per_person;
mod overload;
mod readiness;
mod shutdown;
mod websocket_bounds;
