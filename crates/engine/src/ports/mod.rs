//! What a running tool may reach: files, the web, programs, colleagues.

pub(crate) mod colleagues;
pub(crate) mod commands;
pub(crate) mod files;
pub(crate) mod for_call;
pub(crate) mod http;
pub(crate) mod live_output;
pub(crate) mod outside;
pub(crate) mod programs;
pub(crate) mod secrets;
pub(crate) mod web_search;
