//! People: their accounts, where they are signed in, what they share.

pub mod login;
pub mod share;
pub mod user;
