//! The WebSocket's handshake. Host, Origin, key and scope were checked before; nothing the client says afterwards can
//! widen what was found.

use crate::{
    app::App,
    caller::Caller,
    limits_per_person::RequestHold,
    problem::Problem,
    route::me::Me,
    websocket::{Connection, FRAME_BYTES},
};
use axum::{
    Extension,
    extract::{
        State,
        ws::{WebSocketUpgrade, rejection::WebSocketUpgradeRejection},
    },
    http::StatusCode,
    response::Response,
};
use tracing::Instrument;

/// Replies are kept up to 4 MiB, and JSON may write one byte as six.
const WRITE_BUFFER: usize = 64 << 20;

pub(crate) async fn open(
    State(app): State<App>,
    caller: Caller,
    Extension(request_hold): Extension<RequestHold>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    let upgrade = upgrade.map_err(|_| {
        let detail = "This address is a WebSocket, version 13. Send the headers of its handshake.";
        Problem::new(StatusCode::UPGRADE_REQUIRED, "not_a_websocket", detail)
    })?;
    app.check_stays()?;
    let me = Me::of(&app, &caller).await?;
    let (glances, hints) = app.engine.overview(caller.user_id).await?;
    let upgrade = upgrade
        .max_message_size(FRAME_BYTES)
        .max_frame_size(FRAME_BYTES)
        .max_write_buffer_size(WRITE_BUFFER)
        .on_failed_upgrade(|error| tracing::debug!(%error, "a WebSocket did not come about"));
    let span = tracing::info_span!("websocket", user = %caller.user_id);
    Ok(upgrade.on_upgrade(move |socket| {
        let connection = Connection::new(app, caller, hints, socket);
        let talk = async move {
            request_hold.abandon().run_until_cancelled(Box::pin(connection.run(me, glances))).await;
            drop(request_hold);
        };
        talk.instrument(span)
    }))
}
