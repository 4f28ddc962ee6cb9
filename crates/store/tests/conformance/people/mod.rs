//! People, where they sign in, what they share, what is noted of it.

pub mod audit;
pub mod for_all_nodes;
pub mod known_places;
pub mod logins;
pub mod people;
pub mod sharing;
