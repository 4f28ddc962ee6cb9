//! People: their accounts, where they are signed in, what they share.

pub mod kept;
pub mod login;
pub mod share;
pub mod user;
