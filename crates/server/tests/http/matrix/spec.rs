//! Who may call what, written down a second time: a change of the router's table that is not meant is found here, and
//! everything that the matrix expects is computed from these lines.
//!
//! - *least role*: `anybody`, `link` (a person with the set-up link), `guest`, `member`, `admin`, `owner`, `machine`
//!   (the control socket; elsewhere there is no such route);
//! - *keys*: the scopes that open it (`f`ull, `r`ead, `c`hat, `b`ridge); `-` = a login only;
//! - *further*: `own` = its id names something of one person, which no other person may see; `confirmed` = a login must have
//!   been confirmed just before; `nearby` = open to a person at the machine, while the server cannot be reached from elsewhere; `basic` =
//!   the key may be a password; `changes` = a cookie needs `Origin` although it is a GET.

use domain::{Scope, UserRole};
use server::{Class, RouteLine, routes};
use std::collections::BTreeSet;

#[rustfmt::skip]
const TABLE: &str = "
    GET    /healthz                            anybody -
    GET    /readyz                             anybody -
    GET    /openapi.json                       anybody -
    GET    /docs                               guest   fr   nearby
    GET    /metrics                            member  fr   nearby
    GET    /                                   anybody -
    GET    /assets/{name}                      anybody -
    GET    /setup                              anybody -
    GET    /v1/setup                           anybody -
    POST   /v1/setup                           link    -
    POST   /v1/join/look                       anybody -
    POST   /v1/join                            anybody -
    POST   /v1/login                           anybody -
    POST   /v1/logout                          guest   -
    GET    /v1/logins                          guest   fr
    DELETE /v1/logins/{id}                     guest   f    own
    GET    /v1/me                              guest   frc
    PATCH  /v1/me                              guest   f
    POST   /v1/me/password                     guest   -
    POST   /v1/me/confirm                      guest   -
    GET    /v1/users                           admin   fr
    POST   /v1/users                           admin   f    confirmed
    PATCH  /v1/users/{id}                      admin   f    confirmed
    DELETE /v1/users/{id}                      admin   f    confirmed
    GET    /v1/account-links                   admin   fr
    POST   /v1/account-links                   admin   f    confirmed
    DELETE /v1/account-links/{id}              admin   f
    GET    /v1/api-keys                        member  fr
    POST   /v1/api-keys                        member  f    confirmed
    DELETE /v1/api-keys/{id}                   member  f    own
    GET    /v1/audit                           member  fr
    GET    /v1/agents                          guest   fr
    POST   /v1/agents                          member  f
    POST   /v1/agents/import                   member  f
    GET    /v1/agents/{id}                     guest   fr   own
    GET    /v1/agents/{id}/export              member  fr   own
    POST   /v1/agents/{id}/prompt-preview      member  f    own
    PUT    /v1/agents/{id}/acceptance          guest   f    own
    DELETE /v1/agents/{id}/acceptance          guest   f    own
    PATCH  /v1/agents/{id}                     member  f    own
    DELETE /v1/agents/{id}                     member  f    own
    GET    /v1/house                           admin   fr
    PUT    /v1/house                           admin   f    confirmed
    GET    /v1/models                          member  fr
    GET    /v1/models/default                  member  fr
    PUT    /v1/models/default                  admin   f    confirmed
    GET    /v1/vendors                         admin   fr
    GET    /v1/providers                       admin   fr
    PUT    /v1/providers/{name}                admin   f    confirmed
    PATCH  /v1/providers/{name}                admin   f    confirmed
    DELETE /v1/providers/{name}                admin   f    confirmed
    POST   /v1/providers/{name}/test           admin   f    confirmed
    GET    /v1/usage                           guest   fr
    GET    /v1/capabilities                    member  fr
    GET    /v1/capabilities/{id}               member  fr
    GET    /v1/abilities                       member  fr
    POST   /v1/abilities                       member  f
    GET    /v1/abilities/{id}                  member  fr   own
    PUT    /v1/abilities/{id}                  member  f    own
    DELETE /v1/abilities/{id}                  member  f    own
    GET    /v1/help                            guest   frc
    POST   /v1/commands                        guest   fc
    GET    /v1/saved-prompts                   guest   fr
    POST   /v1/saved-prompts                   guest   f
    GET    /v1/saved-prompts/{id}              guest   fr   own
    PUT    /v1/saved-prompts/{id}              guest   f    own
    DELETE /v1/saved-prompts/{id}              guest   f    own
    GET    /v1/schedules                       member  fr
    POST   /v1/schedules                       member  f
    POST   /v1/schedules/preview               member  f
    GET    /v1/schedules/{id}                  member  fr   own
    PATCH  /v1/schedules/{id}                  member  f    own
    DELETE /v1/schedules/{id}                  member  f    own
    POST   /v1/schedules/{id}/pause            member  f    own
    POST   /v1/schedules/{id}/resume           member  f    own
    GET    /v1/schedules/{id}/runs             member  fr   own
    GET    /v1/sessions/{id}/export            guest   frc  own
    GET    /v1/sessions/{id}/links             guest   frc  own
    POST   /v1/sessions/{id}/links             guest   -    own
    DELETE /v1/links/{id}                      guest   f    own
    GET    /v1/shared/{name}                   guest   fr
    GET    /v1/folders                         guest   fr
    POST   /v1/folders                         guest   f
    GET    /v1/folders/{id}                    guest   fr   own
    PATCH  /v1/folders/{id}                    guest   f    own
    DELETE /v1/folders/{id}                    guest   f    own
    GET    /v1/folders/{id}/files              guest   fr   own
    POST   /v1/folders/{id}/files              guest   f    own
    DELETE /v1/folders/{id}/files/{upload_id}  guest   f    own
    GET    /v1/knowledge                       guest   fr
    POST   /v1/knowledge                       guest   f
    GET    /v1/knowledge/{id}                  guest   fr   own
    PATCH  /v1/knowledge/{id}                  guest   f    own
    DELETE /v1/knowledge/{id}                  guest   f    own
    GET    /v1/knowledge/{id}/history          guest   fr   own
    POST   /v1/knowledge/{id}/undo             guest   -    own
    POST   /v1/knowledge/{id}/review           guest   -    own
    POST   /v1/knowledge/{id}/purge            guest   -    own
    GET    /v1/sessions                        guest   frc
    POST   /v1/sessions/batch                  guest   f
    POST   /v1/sessions                        guest   fc
    GET    /v1/sessions/{id}                   guest   frc  own
    PATCH  /v1/sessions/{id}                   guest   f    own
    DELETE /v1/sessions/{id}                   guest   f    own
    POST   /v1/sessions/{id}/archive           guest   f    own
    POST   /v1/sessions/{id}/unarchive         guest   f    own
    POST   /v1/sessions/{id}/trust             guest   -    own confirmed
    POST   /v1/sessions/{id}/fork              guest   fc   own
    POST   /v1/sessions/{id}/compact           guest   fc   own
    POST   /v1/sessions/{id}/abort             guest   fc   own
    POST   /v1/sessions/{id}/retry             guest   fc   own
    GET    /v1/sessions/{id}/versions          guest   frc  own
    POST   /v1/sessions/{id}/versions          guest   fc   own
    POST   /v1/sessions/{id}/show              guest   fc   own
    GET    /v1/sessions/{id}/queue             guest   frc  own
    DELETE /v1/sessions/{id}/queue/{turn_id}   guest   f    own
    GET    /v1/sessions/{id}/messages          guest   frc  own
    POST   /v1/sessions/{id}/messages          guest   fc   own
    POST   /v1/sessions/{id}/messages/stream   guest   fc   own
    GET    /v1/sessions/{id}/files             guest   frc  own
    GET    /v1/sessions/{id}/files:stat        guest   frc  own
    POST   /v1/sessions/{id}/files:grep        guest   fc   own
    GET    /v1/sessions/{id}/files/{*path}     guest   frc  own
    PUT    /v1/sessions/{id}/files/{*path}     guest   f    own
    DELETE /v1/sessions/{id}/files/{*path}     guest   f    own
    GET    /v1/sessions/{id}/events            guest   frc  own
    GET    /v1/sessions/{id}/events/stream     guest   frc  own
    POST   /v1/sessions/{id}/prompts/{message_id}/{prompt_id} guest fc own
    GET    /v1/questions                       guest   frc
    POST   /v1/questions/{id}/answer           guest   fc   own
    GET    /v1/approvals                       guest   frc
    POST   /v1/approvals/{id}                  guest   f    own
    GET    /v1/rules                           guest   fr
    POST   /v1/rules                           member  f
    DELETE /v1/rules/{id}                      guest   f    own
    GET    /v1/events/stream                   guest   frc
    GET    /ws                                 guest   frc  changes
    POST   /v1/chat                            member  fcb  basic
    POST   /chat                               member  fcb  basic
    POST   /v1/uploads                         guest   fc
    GET    /v1/uploads/{id}                    guest   frc  own
    GET    /v1/backups                         owner   fr
    POST   /v1/backups                         owner   f
    GET    /v1/logs                            admin   fr
    GET    /v1/nodes                           admin   fr
    POST   /v1/master-key/rotate               machine -
";

/// One line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub method: &'static str,
    pub path: &'static str,
    pub least: &'static str,
    pub keys: &'static str,
    pub further: Vec<&'static str>,
}

pub fn rules() -> Vec<Rule> {
    let lines = TABLE.lines().map(str::trim).filter(|line| !line.is_empty());
    let rule = |line: &'static str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [method, path, least, keys, ref further @ ..] = words[..] else { panic!("{line}") };
        Rule { method, path, least, keys, further: further.to_vec() }
    };
    lines.map(rule).collect()
}

impl Rule {
    pub fn says(&self, word: &str) -> bool {
        self.further.contains(&word)
    }

    pub fn admits_role(&self, role: UserRole) -> bool {
        let order = ["guest", "member", "admin", "owner"];
        let least = order.iter().position(|word| *word == self.least);
        let place = order.iter().position(|word| *word == role.as_str());
        least.is_none_or(|least| place >= Some(least))
    }

    pub fn admits_key(&self, scope: Scope) -> bool {
        let letter = match scope {
            Scope::Full => 'f',
            Scope::Read => 'r',
            Scope::Chat => 'c',
            Scope::Bridge => 'b',
        };
        self.keys.contains(letter)
    }

    /// The same as the router says it.
    fn of(route: RouteLine) -> Self {
        let RouteLine { method, path, access } = route;
        let least = match access.class {
            Class::Public => "anybody",
            Class::Setup => "link",
            Class::User => "guest",
            Class::Member => "member",
            Class::Admin => "admin",
            Class::Owner => "owner",
            Class::Operator => "machine",
        };
        let mut rule = Self { method, path, least, keys: "", further: Vec::new() };
        let known = ["-", "f", "fr", "frc", "fc", "fcb"];
        let scopes = [Scope::Full, Scope::Read, Scope::Chat, Scope::Bridge];
        let same =
            |rule: &Self| scopes.iter().all(|scope| rule.admits_key(*scope) == access.scopes.contains(scope));
        rule.keys = known.into_iter().find(|keys| same(&Self { keys, ..rule.clone() })).unwrap_or("?");
        let words = [(access.confirmed, "confirmed"), (access.nearby, "nearby"), (access.basic, "basic")];
        rule.further = words.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word).collect();
        rule
    }
}

/// Without what the router does not say: whose the things behind ids are, and what a WebSocket is.
fn declared(rule: Rule) -> Rule {
    let said = |word: &&str| !["own", "changes"].contains(word);
    Rule { further: rule.further.into_iter().filter(said).collect(), ..rule }
}

#[test]
fn the_router_says_the_same() {
    let written: Vec<Rule> = rules().into_iter().map(declared).collect();
    let routed: Vec<Rule> = routes().into_iter().map(Rule::of).collect();
    for rule in &routed {
        assert!(written.contains(rule), "the router says {rule:?}");
    }
    assert_eq!(written.len(), routed.len(), "the matrix has routes that the router has not");
}

#[test]
fn the_description_has_the_same_routes() {
    let methods = |(path, item): (&String, &serde_json::Value)| {
        let methods = item.as_object().unwrap().keys().filter(|word| *word != "parameters");
        methods.map(|method| format!("{} {path}", method.to_uppercase())).collect::<Vec<_>>()
    };
    let paths = server::openapi()["paths"].as_object().unwrap();
    let described: BTreeSet<String> = paths.iter().flat_map(methods).collect();
    let expected: BTreeSet<String> =
        rules().into_iter().map(|rule| format!("{} {}", rule.method, rule.path.replace("{*", "{"))).collect();
    assert_eq!(described, expected);
}
