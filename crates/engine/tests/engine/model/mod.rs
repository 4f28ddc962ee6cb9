//! Asking a model, and how that ends.

mod bridging;
mod endings;
mod failures;
mod providers;
mod unpriced;
