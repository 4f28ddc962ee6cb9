//! How people come in: where they are signed in, and links that an admin gave them.

pub mod account_links;
pub mod logins;
