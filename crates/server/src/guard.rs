//! The lock on each route: who is there, may they, for how long, and how much may they send.

use crate::{
    access::Access,
    app::{App, Door},
    caller::Caller,
    connection::revocable::revocable,
    limits_per_person::{Kind, RequestHold},
    problem::Problem,
    request::{
        body::BodyRules,
        credentials::{self, Presented},
        csrf,
        host::Connection,
        peer,
    },
};
use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, Method, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::{UserId, UserRole};
use engine::{Credential, Principal, Watch};
use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use std::time::Duration;

/// On the control socket: as whom its holder acts. It means nothing anywhere else.
const ACTING_USER: HeaderName = HeaderName::from_static("x-majordomo-user");
/// What a running request gets to end by itself when its caller may not go on: a person who signs out wants an answer. So
/// much time has the body of a request that is refused.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A body of this many bytes is read although its request is refused.
const SMALL_BODY: u64 = 64 << 10;
/// An answer of this many bytes is not counted.
const SMALL_ANSWER: u64 = 64 << 10;

/// One route's lock.
#[derive(Clone)]
pub(crate) struct Guard {
    pub(crate) app: App,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) body_limit: usize,
    /// What a request counts as among those of its caller.
    pub(crate) kind: Option<Kind>,
    /// Every request begins a turn or a summary, whatever its body says.
    pub(crate) begins_turn: bool,
}

/// For the request's line in the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trail {
    pub(crate) path: &'static str,
    pub(crate) user_id: Option<UserId>,
}

pub(crate) async fn guard(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let mut trail = Trail { path: guard.path, user_id: None };
    let (mut parts, body) = request.into_parts();
    let looks = parts.method == Method::GET;
    let mut response = match guard.admit(&parts).await {
        Ok(caller) => {
            trail.user_id = caller.as_ref().map(|caller| caller.user_id);
            let watch = caller.as_ref().map(|caller| caller.watch.clone());
            let request_hold = parts.extensions.get::<RequestHold>().cloned();
            parts.extensions.insert(guard.body_rules(request_hold.clone(), trail.user_id));
            if let Some(caller) = caller {
                parts.extensions.insert(caller);
            }
            let response = watched(next.run(Request::from_parts(parts, body)), watch).await;
            held(response, request_hold.as_ref(), trail.user_id, looks)
        }
        Err(problem) => {
            read_out(&parts.headers, body).await;
            problem.into_response()
        }
    };
    response.extensions_mut().insert(trail);
    response
}

/// Reads the small body of a request that is refused. If the server left it unread, it would have to close the connection, and
/// a client that still writes would see a broken connection instead of the refusal.
async fn read_out(headers: &HeaderMap, mut body: Body) {
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    // A client that asks first sends nothing after a refusal.
    let comes = !headers.contains_key(header::EXPECT);
    if !comes || announced.is_none_or(|length: u64| length > SMALL_BODY) {
        return;
    }
    let rest = async { while let Some(Ok(_)) = body.frame().await {} };
    // One that does not come is not waited for; then the connection ends with the refusal.
    drop(tokio::time::timeout(LAST_WORDS, rest).await);
}

/// Ends the request, and later its answer, when the caller may not go on.
async fn watched(answer: impl Future<Output = Response>, watch: Option<Watch>) -> Response {
    let Some(watch) = watch else { return answer.await };
    let ended = async {
        watch.ended().cancelled().await;
        tokio::time::sleep(LAST_WORDS).await;
    };
    tokio::select! {
        biased;
        response = answer => response.map(|body| revocable(body, watch)),
        () = ended => Problem::unauthorized("This sign-in or API key is no longer valid. Sign in again, or use another key.").into_response(),
    }
}

/// An answer that is whole already is memory until its reader has taken it. What was done is told in any case: a refusal
/// would say that it was not.
fn held(
    response: Response,
    request_hold: Option<&RequestHold>,
    user: Option<UserId>,
    looks: bool,
) -> Response {
    let size = response.body().size_hint().exact().filter(|size| *size > SMALL_ANSWER);
    match (size, request_hold) {
        (Some(size), Some(request_hold)) => match request_hold.hold(user, size) {
            Err(problem) if looks => problem.into_response(),
            _ => response,
        },
        _ => response,
    }
}

impl Guard {
    fn body_rules(&self, request_hold: Option<RequestHold>, user: Option<UserId>) -> BodyRules {
        BodyRules { limit: self.body_limit, time: self.app.settings.body_timeout, request_hold, user }
    }

    async fn admit(&self, request: &Parts) -> Result<Option<Caller>, Problem> {
        let headers = &request.headers;
        if self.begins_turn {
            self.app.overload.check(self.app.running())?;
        }
        let principal = match self.app.door {
            _ if self.access.is_open() || (self.access.nearby && self.app.private) => None,
            Door::Tcp => Some(self.visitor(request).await?),
            Door::Control => self.acting_user(headers).await?,
        };
        if let Some(principal) = &principal {
            self.check(principal)?;
        }
        self.count(request, principal.as_ref()).await?;
        self.body_rules(None, None).check_announced(headers)?;
        Ok(principal.map(|principal| Caller {
            user_id: principal.user_id,
            role: principal.role,
            source: self.app.door.source(),
            watch: self.app.engine.people().watch(&principal),
            principal,
        }))
    }

    /// Refuses what is too much at once, for this caller or for everybody.
    async fn count(&self, request: &Parts, principal: Option<&Principal>) -> Result<(), Problem> {
        let (Some(request_hold), Some(kind)) = (request.extensions.get::<RequestHold>(), self.kind) else {
            return Ok(());
        };
        match principal {
            Some(who) => {
                let (people, is_owner) = (self.app.engine.people(), who.role == UserRole::Owner);
                request_hold.of_person(people, kind, who.user_id, proof(who), is_owner).await
            }
            None => request_hold.of_stranger(peer::origin(request, &self.app)),
        }
    }

    /// Who comes from the network.
    async fn visitor(&self, request: &Parts) -> Result<Principal, Problem> {
        let (headers, engine) = (&request.headers, &self.app.engine);
        credentials::refuse_key_in_query(&request.uri)?;
        let connection = request.extensions.get::<Connection>().copied().unwrap_or_default();
        match credentials::presented(headers, connection, self.access.basic)? {
            Presented::Key(secret) => {
                let found = engine.people().authenticate(&secret).await?;
                found.ok_or_else(|| Problem::unauthorized("This API key is not valid."))
            }
            Presented::Login(secret) => {
                csrf::check_origin(request, connection)?;
                let found = engine.people().authenticate_login(secret).await?;
                found.ok_or_else(|| Problem::unauthorized("You are no longer signed in. Sign in again."))
            }
        }
    }

    fn check(&self, principal: &Principal) -> Result<(), Problem> {
        if principal.scope().is_some_and(|scope| !self.access.scopes.contains(&scope)) {
            let detail = match self.access.scopes {
                [] => "API keys cannot do this. Sign in.",
                _ => "This API key does not have access to this. Use a key with wider access.",
            };
            return Err(Problem::new(StatusCode::FORBIDDEN, "scope_insufficient", detail));
        }
        if !self.access.class.admits(principal.role) {
            let detail = "Your role does not allow this. Ask the owner or an admin.";
            return Err(Problem::new(StatusCode::FORBIDDEN, "role_insufficient", detail));
        }
        if self.access.confirmed {
            principal.check_confirmed(self.app.engine.now())?;
        }
        Ok(())
    }

    async fn acting_user(&self, headers: &HeaderMap) -> Result<Option<Principal>, Problem> {
        let Some(owner) = self.app.engine.people().owner().await? else {
            if self.access.founding {
                return Ok(None);
            }
            let detail =
                "There is no owner account yet. Create one with: majordomo user add NAME --role owner";
            return Err(Problem::new(StatusCode::CONFLICT, "no_owner", detail));
        };
        let mut names = headers.get_all(ACTING_USER).iter();
        let name = match (names.next(), names.next()) {
            (None, _) => return Ok(Some(Principal::operator(owner.id, owner.role))),
            (Some(name), None) => std::str::from_utf8(name.as_bytes()).ok(),
            _ => None,
        };
        let unknown =
            || Problem::bad_request("unknown_user", "X-Majordomo-User: There is no account of that name.");
        match self.app.engine.people().user_by_name(name.ok_or_else(unknown)?.to_owned()).await {
            Err(engine::PeopleError::NotFound(_)) => Err(unknown()),
            found => found.map(|user| Some(Principal::operator(user.id, user.role))).map_err(Problem::from),
        }
    }
}

/// One login or one key, as what it has open is counted.
fn proof(who: &Principal) -> String {
    match who.credential {
        Credential::Login { id, .. } => id.to_string(),
        Credential::Key { id, .. } => id.to_string(),
        Credential::Operator | Credential::Agent(_) => who.user_id.to_string(),
    }
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
