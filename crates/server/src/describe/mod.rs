//! The API's description of itself: `/openapi.json` and the page made from it.
//!
//! What a route takes and gives is read off the types of its handler ([`handler`], [`takes`], [`gives`]), so it cannot
//! differ from what the handler does. What only words can say is in [`about`], one file per noun. [`document`] puts
//! both together, route by route of the router's table; a test holds the two lists against each other.
//!
//! All of that is code for tests (the feature `describe`): one of them holds the document against `openapi.json`, and the
//! program serves that file, packed ([`packed`]).
//!
//! To describe a new route: derive `JsonSchema` for its types, add an `About` to the file of its noun in `about`, and run
//! `make describe`.

#![cfg_attr(not(feature = "describe"), allow(dead_code, reason = "only tests make the document"))]

#[cfg(feature = "describe")]
pub(crate) mod about;
#[cfg(feature = "describe")]
mod access;
mod chapters;
#[cfg(feature = "describe")]
mod example;
pub(crate) mod gives;
pub(crate) mod handler;
#[cfg(feature = "describe")]
pub(crate) mod openapi;
pub(crate) mod packed;
pub(crate) mod page;
mod references;
mod schemas;
pub(crate) mod shape;
pub(crate) mod takes;
