//! How people come in: where they are signed in, links that they were given, how often they tried, from where, and how much they have open.

pub mod account_links;
pub mod attempts;
pub mod known_places;
pub mod logins;
pub mod setup_links;
pub mod slots;
