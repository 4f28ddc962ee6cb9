//! The lock on each route: who is there, may they, and how much may they send.

use crate::{
    access::Access,
    app::{App, Door},
    body::BodyRules,
    caller::Caller,
    problem::Problem,
};
use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, StatusCode, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::UserId;

/// On the control socket: as whom its holder acts. It means nothing anywhere else.
const ACTING_USER: HeaderName = HeaderName::from_static("x-majordomo-user");
const KEY_BYTES: usize = 512;
/// Names under which people are tempted to put a key into a URL, where logs and histories would keep it.
const KEY_PARAMETERS: [&str; 5] = ["token", "access_token", "api_key", "apikey", "key"];

/// One route's lock.
#[derive(Clone)]
pub(crate) struct Guard {
    pub(crate) app: App,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) body_limit: usize,
}

/// For the request's line in the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trail {
    pub(crate) path: &'static str,
    pub(crate) user_id: Option<UserId>,
}

pub(crate) async fn guard(State(guard): State<Guard>, mut request: Request, next: Next) -> Response {
    let mut trail = Trail { path: guard.path, user_id: None };
    let mut response = match guard.admit(request.headers(), request.uri()).await {
        Ok(caller) => {
            trail.user_id = caller.map(|caller| caller.user_id);
            let extensions = request.extensions_mut();
            extensions.insert(guard.body_rules());
            if let Some(caller) = caller {
                extensions.insert(caller);
            }
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    };
    response.extensions_mut().insert(trail);
    response
}

impl Guard {
    fn body_rules(&self) -> BodyRules {
        BodyRules { limit: self.body_limit, time: self.app.settings.body_timeout }
    }

    async fn admit(&self, headers: &HeaderMap, uri: &Uri) -> Result<Option<Caller>, Problem> {
        let source = self.app.door.source();
        let caller = match (self.access, self.app.door) {
            (Access::Public, _) => None,
            (Access::User(scopes), Door::Tcp) => {
                refuse_key_in_query(uri)?;
                let secret = bearer(headers)?;
                let found = self.app.engine.authenticate(secret).await?;
                let principal = found.ok_or_else(|| Problem::unauthorized("this key is not valid"))?;
                if !principal.scope.is_some_and(|scope| scopes.contains(&scope)) {
                    let detail = "the scope of this key does not allow that";
                    return Err(Problem::new(StatusCode::FORBIDDEN, "scope_insufficient", detail));
                }
                Some(Caller { user_id: principal.user_id, source, scope: principal.scope })
            }
            (Access::Operator | Access::Founder, Door::Tcp) => return Err(Problem::not_found("thing")),
            (Access::Founder, Door::Control) => None,
            (Access::User(_) | Access::Operator, Door::Control) => {
                Some(Caller { user_id: self.acting_user(headers).await?, source, scope: None })
            }
        };
        self.body_rules().check_announced(headers)?;
        Ok(caller)
    }

    async fn acting_user(&self, headers: &HeaderMap) -> Result<UserId, Problem> {
        let Some(owner) = self.app.engine.owner().await? else {
            let detail = "this house has no owner yet; create one with: majordomo user add NAME --role owner";
            return Err(Problem::new(StatusCode::CONFLICT, "no_owner", detail));
        };
        let mut names = headers.get_all(ACTING_USER).iter();
        let name = match (names.next(), names.next()) {
            (None, _) => return Ok(owner.id),
            (Some(name), None) => std::str::from_utf8(name.as_bytes()).ok(),
            _ => None,
        };
        let unknown =
            || Problem::bad_request("unknown_user", "X-Majordomo-User: there is no user of that name");
        match self.app.engine.user_by_name(name.ok_or_else(unknown)?.to_owned()).await {
            Err(engine::Error::NotFound(_)) => Err(unknown()),
            found => Ok(found?.id),
        }
    }
}

/// The one key of a request. Two headers are refused: a proxy and we might read different ones.
fn bearer(headers: &HeaderMap) -> Result<&str, Problem> {
    let refused = || Problem::unauthorized("send an API key, in the header Authorization: Bearer KEY");
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return Err(refused()) };
    let (scheme, key) = value.to_str().ok().and_then(|value| value.split_once(' ')).ok_or_else(refused)?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    let key = key.trim_matches(' ');
    let usable = !key.is_empty() && key.len() <= KEY_BYTES && key.bytes().all(plain);
    if scheme.eq_ignore_ascii_case("bearer") && usable { Ok(key) } else { Err(refused()) }
}

fn refuse_key_in_query(uri: &Uri) -> Result<(), Problem> {
    let names = uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split('=').next());
    let is_key = |name: &str| KEY_PARAMETERS.iter().any(|known| name.eq_ignore_ascii_case(known));
    if names.into_iter().any(is_key) {
        let detail = "a key does not belong into a URL; send it in the header Authorization: Bearer KEY";
        return Err(Problem::bad_request("key_in_query", detail));
    }
    Ok(())
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
