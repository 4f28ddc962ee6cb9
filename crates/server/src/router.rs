//! The whole API, one line per route: method, path, who may call it, handler.
//!
//! A [`Route`] cannot be written without its [`Access`], and the router is built of nothing but routes, each behind
//! its own guard.

use crate::{
    access::{Access, CHAT, Class, LISTEN, LOOK, MANAGE, OPEN, OPERATOR, SELF, SETUP, TALK},
    app::{App, Door},
    describe::handler::Described,
    guard::{self, Guard},
    limits_per_person::Kind,
    problem::Problem,
    route::{
        abilities, agents, api_keys, approvals, audit, backups, capabilities, chat,
        commands::{self, help},
        events, files, house, knowledge, logins, me, messages,
        operations::{description, health, logs, master_key, metrics, nodes},
        page, prompts,
        providers::{self, models},
        questions, rules, schedules, sessions, setup, uploads, usage, users, ws,
    },
};
use axum::{
    Router,
    extract::Request,
    handler::Handler,
    http::StatusCode,
    middleware::{from_fn_with_state, map_response},
    response::Response,
    routing::{MethodFilter, MethodRouter, on},
};
use std::{future::ready, pin::Pin, sync::Arc};

/// What a body may have where nothing else is said.
const SMALL: usize = 64 << 10;
const AGENT_BODY: usize = 4 << 20;
/// More than the longest text with every character escaped.
const ABILITY_BODY: usize = 512 << 10;
const MESSAGE_BODY: usize = 8 << 20;
/// More than the largest file that can be allowed; how large a file may be is a setting.
const UPLOAD_BODY: usize = (1 << 30) + (1 << 20);
const FILE_BODY: usize = 1 << 30;

#[rustfmt::skip]
pub(crate) fn table() -> Vec<Route> {
    vec![
        get("/healthz", OPEN, health::alive).uncounted(),
        get("/readyz", OPEN, health::ready).uncounted(),
        get("/openapi.json", OPEN, description::openapi),
        get("/docs", LOOK.guests().nearby(), description::docs),
        get("/metrics", LOOK.nearby(), metrics::get),

        get("/", OPEN, page::index),
        get("/assets/{name}", OPEN, page::asset),
        get("/setup", OPEN, page::setup),
        get("/v1/setup", OPEN, setup::get),
        post("/v1/setup", SETUP, setup::create),
        post("/v1/login", OPEN, logins::login),
        post("/v1/logout", SELF, logins::logout),
        get("/v1/logins", LOOK.guests(), logins::list),
        delete("/v1/logins/{id}", MANAGE.guests(), logins::end),
        get("/v1/me", LISTEN, me::get),
        patch("/v1/me", MANAGE.guests(), me::change),
        post("/v1/me/password", SELF, me::password),
        post("/v1/me/confirm", SELF, me::confirm),
        get("/v1/users", LOOK.admins(), users::list),
        post("/v1/users", MANAGE.admins().founding().confirmed(), users::create),
        patch("/v1/users/{id}", MANAGE.admins().confirmed(), users::change),
        delete("/v1/users/{id}", MANAGE.admins().confirmed(), users::remove),
        get("/v1/account-links", LOOK.admins(), users::account_links::list),
        post("/v1/account-links", MANAGE.admins().confirmed(), users::account_links::create),
        delete("/v1/account-links/{id}", MANAGE.admins(), users::account_links::revoke),
        post("/v1/join/look", OPEN, users::account_links::look),
        post("/v1/join", OPEN, users::account_links::join),
        get("/v1/api-keys", LOOK, api_keys::list),
        post("/v1/api-keys", MANAGE.confirmed(), api_keys::create),
        delete("/v1/api-keys/{id}", MANAGE, api_keys::revoke),
        get("/v1/audit", LOOK, audit::list),

        get("/v1/agents", LOOK.guests(), agents::list),
        post("/v1/agents", MANAGE, agents::create).body(AGENT_BODY),
        post("/v1/agents/import", MANAGE, agents::import).body(AGENT_BODY),
        get("/v1/agents/{id}", LOOK.guests(), agents::get),
        get("/v1/agents/{id}/export", LOOK, agents::export),
        post("/v1/agents/{id}/prompt-preview", MANAGE, agents::preview).body(AGENT_BODY),
        put("/v1/agents/{id}/acceptance", MANAGE.guests(), agents::accept),
        delete("/v1/agents/{id}/acceptance", MANAGE.guests(), agents::decline),
        patch("/v1/agents/{id}", MANAGE, agents::change).body(AGENT_BODY),
        delete("/v1/agents/{id}", MANAGE, agents::delete),
        get("/v1/house", LOOK.admins(), house::get),
        put("/v1/house", MANAGE.admins().confirmed(), house::put).body(AGENT_BODY),
        get("/v1/models", LOOK, models::list),
        get("/v1/models/default", LOOK, models::default),
        put("/v1/models/default", MANAGE.admins().confirmed(), models::set_default),
        get("/v1/vendors", LOOK.admins(), providers::vendors),
        get("/v1/providers", LOOK.admins(), providers::list),
        put("/v1/providers/{name}", MANAGE.admins().confirmed(), providers::put),
        patch("/v1/providers/{name}", MANAGE.admins().confirmed(), providers::change),
        delete("/v1/providers/{name}", MANAGE.admins().confirmed(), providers::delete),
        post("/v1/providers/{name}/test", MANAGE.admins().confirmed(), providers::test),
        get("/v1/usage", LOOK.guests(), usage::list),
        get("/v1/capabilities", LOOK, capabilities::list),
        get("/v1/capabilities/{id}", LOOK, capabilities::get),
        get("/v1/abilities", LOOK, abilities::list),
        post("/v1/abilities", MANAGE, abilities::create).body(ABILITY_BODY),
        get("/v1/abilities/{id}", LOOK, abilities::get),
        put("/v1/abilities/{id}", MANAGE, abilities::put).body(ABILITY_BODY),
        delete("/v1/abilities/{id}", MANAGE, abilities::delete),
        get("/v1/help", LISTEN, help::show),
        post("/v1/commands", TALK, commands::run).may_begin_turn(),
        get("/v1/saved-prompts", LOOK.guests(), commands::saved_prompts::list),
        post("/v1/saved-prompts", MANAGE.guests(), commands::saved_prompts::create).body(ABILITY_BODY),
        get("/v1/saved-prompts/{id}", LOOK.guests(), commands::saved_prompts::get),
        put("/v1/saved-prompts/{id}", MANAGE.guests(), commands::saved_prompts::put).body(ABILITY_BODY),
        delete("/v1/saved-prompts/{id}", MANAGE.guests(), commands::saved_prompts::delete),

        get("/v1/schedules", LOOK, schedules::list),
        post("/v1/schedules", MANAGE, schedules::create),
        post("/v1/schedules/preview", MANAGE, schedules::preview),
        get("/v1/schedules/{id}", LOOK, schedules::get),
        patch("/v1/schedules/{id}", MANAGE, schedules::change),
        delete("/v1/schedules/{id}", MANAGE, schedules::delete),
        post("/v1/schedules/{id}/pause", MANAGE, schedules::pause),
        post("/v1/schedules/{id}/resume", MANAGE, schedules::resume),
        get("/v1/schedules/{id}/runs", LOOK, schedules::runs),

        get("/v1/folders", LOOK.guests(), sessions::folders::list),
        post("/v1/folders", MANAGE.guests(), sessions::folders::create).body(ABILITY_BODY),
        get("/v1/folders/{id}", LOOK.guests(), sessions::folders::get),
        patch("/v1/folders/{id}", MANAGE.guests(), sessions::folders::change).body(ABILITY_BODY),
        delete("/v1/folders/{id}", MANAGE.guests(), sessions::folders::delete),
        get("/v1/folders/{id}/files", LOOK.guests(), sessions::folders::files::list),
        post("/v1/folders/{id}/files", MANAGE.guests(), sessions::folders::files::add),
        delete("/v1/folders/{id}/files/{upload_id}", MANAGE.guests(), sessions::folders::files::remove),

        get("/v1/knowledge", LOOK.guests(), knowledge::list),
        post("/v1/knowledge", MANAGE.guests(), knowledge::create).body(ABILITY_BODY),
        get("/v1/knowledge/{id}", LOOK.guests(), knowledge::get),
        patch("/v1/knowledge/{id}", MANAGE.guests(), knowledge::change).body(ABILITY_BODY),
        delete("/v1/knowledge/{id}", MANAGE.guests(), knowledge::delete),
        get("/v1/knowledge/{id}/history", LOOK.guests(), knowledge::history),
        post("/v1/knowledge/{id}/undo", SELF, knowledge::undo),
        post("/v1/knowledge/{id}/review", SELF, knowledge::review).body(ABILITY_BODY),
        post("/v1/knowledge/{id}/purge", SELF, knowledge::purge),

        get("/v1/sessions", LISTEN, sessions::list),
        post("/v1/sessions", TALK, sessions::create),
        post("/v1/sessions/batch", MANAGE.guests(), sessions::change_many),
        get("/v1/sessions/{id}", LISTEN, sessions::get),
        patch("/v1/sessions/{id}", MANAGE.guests(), sessions::change),
        delete("/v1/sessions/{id}", MANAGE.guests(), sessions::delete),
        post("/v1/sessions/{id}/archive", MANAGE.guests(), sessions::archive),
        post("/v1/sessions/{id}/unarchive", MANAGE.guests(), sessions::unarchive),
        get("/v1/sessions/{id}/export", LISTEN, sessions::export),
        get("/v1/sessions/{id}/links", LISTEN, sessions::share_links::list),
        post("/v1/sessions/{id}/links", SELF, sessions::share_links::create),
        delete("/v1/links/{id}", MANAGE.guests(), sessions::share_links::revoke),
        get("/v1/shared/{name}", LOOK.guests(), sessions::share_links::show),
        post("/v1/sessions/{id}/trust", SELF.confirmed(), sessions::trust),
        post("/v1/sessions/{id}/fork", TALK, sessions::fork),
        post("/v1/sessions/{id}/compact", TALK, sessions::compact).begins_turn(),
        post("/v1/sessions/{id}/abort", TALK, sessions::abort),
        post("/v1/sessions/{id}/retry", TALK, sessions::retry).begins_turn(),

        get("/v1/sessions/{id}/versions", LISTEN, sessions::versions),
        post("/v1/sessions/{id}/versions", TALK, sessions::create_version).body(MESSAGE_BODY).begins_turn(),
        post("/v1/sessions/{id}/show", TALK, sessions::show_version),
        get("/v1/sessions/{id}/queue", LISTEN, sessions::queue),
        delete("/v1/sessions/{id}/queue/{turn_id}", MANAGE.guests(), sessions::take_back),

        get("/v1/sessions/{id}/messages", LISTEN, messages::list),
        post("/v1/sessions/{id}/messages", TALK, messages::send).body(MESSAGE_BODY).begins_turn(),
        post("/v1/sessions/{id}/messages/stream", TALK, messages::stream).body(MESSAGE_BODY).counts_as(Kind::Stream).begins_turn(),
        post("/v1/sessions/{id}/prompts/{message_id}/{prompt_id}", TALK, prompts::answer),
        get("/v1/sessions/{id}/files", LISTEN, files::list),
        get("/v1/sessions/{id}/files:stat", LISTEN, files::stat),
        post("/v1/sessions/{id}/files:grep", TALK, files::grep),
        get("/v1/sessions/{id}/files/{*path}", LISTEN, files::get),
        put("/v1/sessions/{id}/files/{*path}", MANAGE.guests(), files::put).body(FILE_BODY).counts_as(Kind::Upload),
        delete("/v1/sessions/{id}/files/{*path}", MANAGE.guests(), files::delete),
        get("/v1/sessions/{id}/events", LISTEN, events::list),
        get("/v1/sessions/{id}/events/stream", LISTEN, events::follow).counts_as(Kind::Stream),
        get("/v1/questions", LISTEN, questions::list),
        post("/v1/questions/{id}/answer", TALK, questions::answer),
        get("/v1/approvals", LISTEN, approvals::list),
        post("/v1/approvals/{id}", MANAGE.guests(), approvals::answer),
        get("/v1/rules", LOOK.guests(), rules::list),
        post("/v1/rules", MANAGE, rules::create),
        delete("/v1/rules/{id}", MANAGE.guests(), rules::delete),
        get("/v1/events/stream", LISTEN, events::everything).counts_as(Kind::Stream),
        get("/ws", LISTEN, ws::open).counts_as(Kind::Socket),
        post("/v1/chat", CHAT, chat::send).body(MESSAGE_BODY).may_begin_turn().finished(chat::with_error),
        post("/chat", CHAT, chat::send).body(MESSAGE_BODY).may_begin_turn().finished(chat::with_error),

        post("/v1/uploads", TALK, uploads::create).body(UPLOAD_BODY).counts_as(Kind::Upload),
        get("/v1/uploads/{id}", LISTEN, uploads::get),

        get("/v1/backups", LOOK.owner(), backups::list),
        post("/v1/backups", MANAGE.owner(), backups::create),
        get("/v1/logs", LOOK.admins(), logs::list),
        get("/v1/nodes", LOOK.admins(), nodes::list),
        post("/v1/master-key/rotate", OPERATOR, master_key::rotate),
    ]
}

/// One line of the table.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    /// What the handler's types say of it.
    #[cfg(feature = "describe")]
    pub(crate) describe: fn(&mut crate::describe::shape::Shape<'_>),
    body_limit: usize,
    /// What it counts as; `None` where every client is answered, however many ask.
    pub(crate) kind: Option<Kind>,
    /// Something begins that others have to wait for.
    pub(crate) begins_turn: Option<Begins>,
    handler: MethodRouter<App>,
    /// The last hand on every answer, refusals of the guard too.
    finish: Option<fn(Response) -> Response>,
}

/// Does a turn or a summary begin with every request, or does its body say so?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begins {
    Always,
    Perhaps,
}

impl Route {
    fn finished(mut self, finish: fn(Response) -> Response) -> Self {
        self.finish = Some(finish);
        self
    }

    fn body(mut self, limit: usize) -> Self {
        self.body_limit = limit;
        self
    }

    fn counts_as(mut self, kind: Kind) -> Self {
        self.kind = Some(kind);
        self
    }

    fn begins_turn(mut self) -> Self {
        self.begins_turn = Some(Begins::Always);
        self
    }

    fn may_begin_turn(mut self) -> Self {
        self.begins_turn = Some(Begins::Perhaps);
        self
    }

    /// A house that is full still says that it is there.
    fn uncounted(mut self) -> Self {
        self.kind = None;
        self
    }

    fn exists_at(&self, door: Door) -> bool {
        door == Door::Control || self.access.class != Class::Operator
    }
}

/// What every function that is a handler gives.
type Answer = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A handler without its types, so that what is around it is compiled once and not for each route.
#[derive(Clone)]
struct Erased(Arc<dyn Fn(Request, App) -> Answer + Send + Sync>);

impl Erased {
    fn new<H, T>(handler: H) -> Self
    where
        H: Handler<T, App, Future = Answer>,
        T: 'static,
    {
        Self(Arc::new(move |request, app| handler.clone().call(request, app)))
    }
}

impl Handler<(), App> for Erased {
    type Future = Answer;

    fn call(self, request: Request, app: App) -> Answer {
        (self.0)(request, app)
    }
}

macro_rules! verb {
    ($name:ident, $method:ident) => {
        fn $name<H, T, I, O>(path: &'static str, access: Access, handler: H) -> Route
        where
            H: Handler<T, App, Future = Answer> + Described<I, O>,
            T: 'static,
        {
            let handler = on(MethodFilter::$method, Erased::new(handler));
            Route {
                method: stringify!($method),
                path,
                access,
                #[cfg(feature = "describe")]
                describe: H::describe,
                body_limit: SMALL,
                kind: Some(Kind::Request),
                begins_turn: None,
                handler,
                finish: None,
            }
        }
    };
}

verb!(get, GET);
verb!(post, POST);
verb!(put, PUT);
verb!(patch, PATCH);
verb!(delete, DELETE);

/// One line of the table, for the tests and the description of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteLine {
    pub method: &'static str,
    /// With its parameters in braces.
    pub path: &'static str,
    pub access: Access,
}

/// Every route there is.
pub fn routes() -> Vec<RouteLine> {
    table().into_iter().map(|Route { method, path, access, .. }| RouteLine { method, path, access }).collect()
}

pub(crate) fn build(app: &App) -> Router {
    let mut router = Router::new();
    for route in table().into_iter().filter(|route| route.exists_at(app.door)) {
        let Route { path, access, body_limit, kind, begins_turn, handler, finish, .. } = route;
        let begins_turn = begins_turn == Some(Begins::Always);
        let lock = Guard { app: app.clone(), path, access, body_limit, kind, begins_turn };
        let handler = handler.route_layer(from_fn_with_state(lock, guard::guard));
        let handler = match finish {
            Some(finish) => {
                handler.route_layer(map_response(move |response: Response| ready(finish(response))))
            }
            None => handler,
        };
        router = router.route(path, handler);
    }
    router.fallback(page::elsewhere).method_not_allowed_fallback(wrong_method).with_state(app.clone())
}

/// The largest body that a route reads whole.
pub(crate) fn largest_body(engine: &engine::Engine) -> u64 {
    engine.file_limit().saturating_add(MESSAGE_BODY as u64)
}

async fn wrong_method() -> Problem {
    let detail = "This address does not accept this method. The header Allow lists the methods it accepts.";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
}

#[cfg(test)]
#[path = "router_tests.rs"]
mod tests;
