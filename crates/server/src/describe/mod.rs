//! The API's description of itself: `/openapi.json` and the page made from it.
//!
//! What a route takes and gives is read off the types of its handler ([`handler`], [`takes`], [`gives`]), so it cannot
//! differ from what the handler does. What only words can say is in [`about`], one file per noun. [`document`] puts
//! both together, route by route of the router's table; a test holds the two lists against each other.
//!
//! To describe a new route: derive `JsonSchema` for its types and add an [`about::About`] to the file of its noun.

pub(crate) mod about;
mod access;
mod example;
pub(crate) mod gives;
pub(crate) mod handler;
pub(crate) mod openapi;
pub(crate) mod page;
mod references;
mod schemas;
pub(crate) mod shape;
pub(crate) mod takes;
