//! People: how they come in, what they may do, what they share, and how it ends.

mod account_links;
mod cookies;
mod keys;
mod logins;
mod revocation;
mod setup;
mod sharing;
mod users;
