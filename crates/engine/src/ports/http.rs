//! The web, for a call: through the one way out, with the house's policy narrowed by what the call may reach.

use crate::engine::Engine;
use async_trait::async_trait;
use capability::{Http, HttpAnswer, HttpBody, HttpEnd, HttpError, HttpHead, HttpMethod, HttpRequest, Reach};
use domain::Label;
use prompt::provenance_label::SeenLabel;
use sandbox::{
    Error as SandboxError,
    egress::{BodyEnd, EgressResponse, HostList, HostPattern, Limits, Method, Policy, Ports, Request},
};
use std::time::Duration;
use url::Url;

pub(crate) struct CallHttp {
    pub(crate) engine: Engine,
    /// Of everything that the call could tell.
    pub(crate) weighed: Label,
    /// What is at home is not for everybody.
    pub(crate) seen: SeenLabel,
}

/// THREAT[label-11] A host at home that the owner allows tells what is not for everybody. `Some` where an answer from the
/// second address, after the first was asked, may be from there.
fn home_label(policy: &Policy, asked: &str, answered: Option<&Url>) -> Option<Label> {
    let asked = Url::parse(asked).ok();
    let is_home = |url: &Url| policy.is_private(url);
    // Of a redirect only its end is known.
    let redirected = answered.is_some() && answered != asked.as_ref() && policy.reaches_private();
    let home = asked.as_ref().is_some_and(is_home) || answered.is_some_and(is_home) || redirected;
    home.then_some(Label::WORST)
}

/// THREAT[label-08] What was let through to one host would be sent on by it to any other that may be reached, in an address
/// that a stranger made: where the gate looked at the host, a redirect stays there, and at its port.
fn kept_to_its_host(mut request: HttpRequest) -> HttpRequest {
    let bare = |name: &str| {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        name.strip_prefix("www.").map_or(name.clone(), str::to_owned)
    };
    let own = Url::parse(&request.url).ok().and_then(|url| url.host_str().map(bare));
    // Many sites send their readers from one of the two to the other.
    let names = own.into_iter().flat_map(|own| [format!("www.{own}"), own]);
    let names = names.filter(|name| name.parse::<HostPattern>().is_ok());
    let listed =
        request.reach.hosts.take().map(|hosts| {
            hosts.iter().filter_map(|host| host.parse::<HostPattern>().ok()).collect::<Vec<_>>()
        });
    let may_be_reached =
        |name: &String| listed.as_ref().is_none_or(|hosts| hosts.iter().any(|listed| listed.matches(name)));
    request.reach.hosts = Some(names.filter(may_be_reached).collect());
    request
}

/// Another port is another server: the card that its person was shown names a port unless it is the usual one (`gate::host`).
fn own_ports(address: &str) -> Ports {
    Url::parse(address).map_or(Ports::Usual, |url| Ports::of(&url))
}

#[async_trait]
impl Http for CallHttp {
    async fn fetch(&self, request: HttpRequest) -> Result<Box<dyn HttpAnswer>, HttpError> {
        let is_kept = self.weighed.is_private() && self.weighed.is_untrusted();
        let request = if is_kept { kept_to_its_host(request) } else { request };
        let outside = &self.engine.inner.settings.outside;
        let egress = outside.egress.as_ref();
        let egress =
            egress.ok_or_else(|| HttpError::Failed("this server cannot reach the web".to_owned()))?;
        let mut policy = narrowed(&outside.policy, &request.reach)?;
        if is_kept {
            policy.ports = own_ports(&request.url);
        }
        let limits = Limits { first_byte: request.first_byte, body: request.body, ..Limits::default() };
        let method = match request.method {
            HttpMethod::Get => Method::GET,
            HttpMethod::Head => Method::HEAD,
        };
        home_label(&policy, &request.url, None).into_iter().for_each(|label| self.seen.add(label));
        let answer = egress.fetch(Request::new(method, request.url.clone()), &policy, &limits).await;
        let answer = answer.map_err(|error| told(error, limits.first_byte))?;
        let label = home_label(&policy, &request.url, Some(&answer.url));
        label.into_iter().for_each(|label| self.seen.add(label));
        Ok(Box::new(Fetched { head: head(&answer), answer }))
    }
}

/// A tool only ever narrows what the house allows.
pub(crate) fn narrowed(house: &Policy, reach: &Reach) -> Result<Policy, HttpError> {
    let patterns = |names: &[String]| {
        let read = names.iter().map(|name| name.parse::<HostPattern>());
        read.collect::<Result<Vec<_>, _>>().map_err(|refusal| HttpError::Failed(refusal.to_string()))
    };
    let mut policy = house.clone();
    let allow = reach.hosts.as_deref().map(patterns).transpose()?;
    policy.hosts.deny.extend(patterns(&reach.denied_hosts)?);
    let deny = std::mem::take(&mut policy.hosts.deny);
    policy.hosts = HostList { allow: allow.or(policy.hosts.allow), deny };
    Ok(policy)
}

fn told(error: SandboxError, first_byte: Duration) -> HttpError {
    match error {
        SandboxError::Silent { seconds, .. } if seconds == first_byte.as_secs_f32() => {
            HttpError::Silent(first_byte)
        }
        SandboxError::Refused(sandbox::Refusal::NotListed(host)) => HttpError::Failed(format!(
            "the page redirects to {host}, which was not approved and is not in the agent's list of hosts; fetch that address itself if you want it"
        )),
        other => HttpError::Failed(other.to_string()),
    }
}

struct Fetched {
    head: HttpHead,
    answer: EgressResponse,
}

fn head(answer: &EgressResponse) -> HttpHead {
    HttpHead {
        status: answer.status,
        url: answer.url.to_string(),
        content_type: answer.content_type().map(str::to_owned),
        media_type: answer.media_type(),
        last_modified: answer.last_modified().map(str::to_owned),
        file_name: answer.file_name(),
        size: answer.announced_bytes(),
    }
}

#[async_trait]
impl HttpAnswer for Fetched {
    fn head(&self) -> &HttpHead {
        &self.head
    }

    async fn body(self: Box<Self>) -> HttpBody {
        let whole = self.answer.body.read().await;
        let end = match whole.end {
            BodyEnd::Complete => HttpEnd::Complete,
            BodyEnd::TooLarge => HttpEnd::TooLarge,
            BodyEnd::TooDense => HttpEnd::TooDense,
            BodyEnd::TimedOut => HttpEnd::TimedOut,
            BodyEnd::Broken(why) => HttpEnd::Broken(why),
        };
        HttpBody { bytes: whole.bytes, end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandbox::egress::PrivateHost;

    #[test]
    fn what_comes_from_home_is_private_and_what_strangers_wrote_is_not() {
        let home = |host: &str, port| PrivateHost { host: host.parse().unwrap(), port };
        let policy =
            Policy { private_hosts: vec![home("wiki.lan", 80), home("10.0.0.7", 8123)], ..Policy::default() };
        let label =
            |asked: &str, answered: &str| home_label(&policy, asked, Url::parse(answered).ok().as_ref());
        let page = "https://wiki.example/boots";
        assert_eq!(label(page, page), None);
        assert_eq!(label("http://wiki.lan/boots", "http://wiki.lan/boots"), Some(Label::WORST));
        assert_eq!(label("http://10.0.0.7:8123/", "http://10.0.0.7:8123/"), Some(Label::WORST));
        assert_eq!(label(page, "http://wiki.lan/boots"), Some(Label::WORST), "sent on to it");
        assert_eq!(label(page, "https://www.wiki.example/boots"), Some(Label::WORST), "perhaps by way of it");
        assert_eq!(
            home_label(&policy, "http://wiki.lan/none", None),
            Some(Label::WORST),
            "it did not answer"
        );
        let away = |hosts: &[&str]| {
            let reach = Reach {
                hosts: Some(hosts.iter().map(|host| (*host).to_owned()).collect()),
                ..Reach::default()
            };
            narrowed(&policy, &reach).unwrap()
        };
        let elsewhere = Url::parse("https://www.wiki.example/boots").unwrap();
        assert_eq!(home_label(&away(&["*.example"]), page, Some(&elsewhere)), None);
        for (hosts, reaches) in [
            (&["*.example"][..], false),
            (&["*.lan"], true),
            (&["wiki.lan"], true),
            (&["10.0.0.7"], true),
            (&["lan"], false),
        ] {
            assert_eq!(away(hosts).reaches_private(), reaches, "{hosts:?}");
        }
    }

    #[test]
    fn a_redirect_stays_at_the_host_that_was_let_through() {
        let reach = |hosts: &[&str]| Reach {
            hosts: Some(hosts.iter().map(|host| (*host).to_owned()).collect()),
            denied_hosts: Vec::new(),
        };
        let request = HttpRequest {
            method: HttpMethod::Get,
            url: "https://Wiki.example/boots".to_owned(),
            reach: reach(&["listed.example", "*.example", "www.wiki.example", "wiki.example"]),
            first_byte: Duration::ZERO,
            body: Duration::ZERO,
        };
        let kept = |url: &str, reach: Reach| {
            let request = HttpRequest { url: url.to_owned(), reach, ..request.clone() };
            kept_to_its_host(request).reach.hosts.unwrap()
        };
        let both = ["www.wiki.example", "wiki.example"];
        let wiki = "https://Wiki.example/boots";
        assert_eq!(kept(wiki, request.reach.clone()), both);
        assert_eq!(kept(wiki, reach(&["*.example"])), both, "what is below a name is listed with it");
        assert_eq!(kept(wiki, reach(&["wiki.example"])), ["wiki.example"]);
        assert_eq!(kept(wiki, reach(&["listed.example"])), [""; 0]);
        let open = || Reach { hosts: None, denied_hosts: Vec::new() };
        assert_eq!(kept(wiki, open()), both);
        assert_eq!(kept("https://www.wiki.example./boots", open()), both);
        assert_eq!(kept("http://127.0.0.1:8080/", open()), ["127.0.0.1"]);
        assert_eq!(kept("http://[::1]/", open()), ["[::1]"]);
    }
}
