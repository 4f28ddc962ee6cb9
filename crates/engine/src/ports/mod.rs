//! What a running tool may reach.
//!
//! **Owns** one file per port: files, attachments, what is remembered, what is done later, the web, search, programs in the sandbox, colleagues, commands. Each is made
//! for one call and one person.
//! **Must never** act for another person than the call's, or let a known secret out in a result ([`secrets`]).
//! **Start at** [`for_call`].

pub(crate) mod attachments;
pub(crate) mod colleagues;
pub(crate) mod commands;
pub(crate) mod files;
pub(crate) mod for_call;
pub(crate) mod http;
pub(crate) mod knowledge;
pub(crate) mod live_output;
pub(crate) mod output_order;
pub(crate) mod outside;
pub(crate) mod programs;
pub(crate) mod recall;
pub(crate) mod receipt;
pub(crate) mod schedules;
pub(crate) mod secrets;
pub(crate) mod web_search;
