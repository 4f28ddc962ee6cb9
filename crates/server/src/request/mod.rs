//! What a request brings: its body, its cookies, where it came from.

pub(crate) mod body;
pub(crate) mod cookie;
pub(crate) mod credentials;
pub(crate) mod csrf;
pub(crate) mod extract;
pub(crate) mod host;
pub(crate) mod multipart;
pub(crate) mod peer;
pub(crate) mod proxies;
