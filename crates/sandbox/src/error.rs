//! What can go wrong, in words that a person or a model can act on.

use std::net::IpAddr;
use thiserror::Error;

/// Why a target is out of bounds. Nothing was sent, and no connection was opened to it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    #[error("the address is not a complete http or https URL: {0}")]
    Malformed(String),
    #[error("only addresses that begin with http:// or https:// can be used, not {0}:")]
    Scheme(String),
    #[error("the address contains a user name or password; leave it out")]
    Credentials,
    #[error("tools cannot use port {0}; they can use 80, 443 and ports from 1024 on")]
    Port(u16),
    #[error(
        "{0} is a name of this machine or of the home network; the owner can allow it with egress.private_hosts"
    )]
    HomeName(String),
    #[error(
        "{host} has the address {address}, which is {what}; the owner can allow it with egress.private_hosts"
    )]
    PrivateAddress { host: String, address: IpAddr, what: &'static str },
    #[error("{host} has the address {address}, which is {what}; tools cannot reach it")]
    NeverAddress { host: String, address: IpAddr, what: &'static str },
    #[error("{0} is on the list of hosts that this agent may not reach")]
    Denied(String),
    #[error("{0} is not on the list of hosts that this agent may reach")]
    NotListed(String),
    #[error("the page redirects from https to http, which is not encrypted")]
    Downgrade,
    #[error(
        "the page redirects to {0} and wants the same data sent there; to do that, make a new request to that address"
    )]
    BodyElsewhere(String),
    #[error("the page redirects more than {0} times")]
    TooManyRedirects(usize),
    #[error("tools cannot set the header {0}")]
    Header(String),
}

#[derive(Debug, Error)]
pub enum Error {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("{host} could not be found ({why})")]
    NotFound { host: String, why: String },
    #[error("{host} cannot be reached ({why})")]
    Unreachable { host: String, why: String },
    #[error("no secure connection to {host} could be made ({why})")]
    Tls { host: String, why: String },
    #[error("{host} did not answer within {seconds} seconds")]
    Silent { host: String, seconds: f32 },
    #[error("{host} sent an answer that is not valid HTTP ({why})")]
    Protocol { host: String, why: String },
    #[error(
        "the sandbox for the program could not be started ({0}); `majordomo doctor` says what is missing"
    )]
    Cage(String),
    #[error("{path} cannot be given to the program: {why}")]
    File { path: String, why: String },
}

impl Error {
    /// A stable word for logs, audits and tests.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Refused(refusal) => refusal.code(),
            Self::NotFound { .. } => "host_not_found",
            Self::Unreachable { .. } => "host_unreachable",
            Self::Tls { .. } => "tls_failed",
            Self::Silent { .. } => "host_silent",
            Self::Protocol { .. } => "protocol_error",
            Self::Cage(_) => "cage_failed",
            Self::File { .. } => "file_refused",
        }
    }
}

impl Refusal {
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "url_malformed",
            Self::Scheme(_) => "url_scheme",
            Self::Credentials => "url_credentials",
            Self::Port(_) => "url_port",
            Self::HomeName(_) => "host_at_home",
            Self::PrivateAddress { .. } => "address_private",
            Self::NeverAddress { .. } => "address_special",
            Self::Denied(_) => "host_denied",
            Self::NotListed(_) => "host_not_listed",
            Self::Downgrade => "redirect_downgrade",
            Self::BodyElsewhere(_) => "redirect_body",
            Self::TooManyRedirects(_) => "redirect_limit",
            Self::Header(_) => "header_refused",
        }
    }
}
