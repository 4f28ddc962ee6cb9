//! The web page, and what stands in its place where it was not built.

mod asset;
mod index;

pub(crate) use self::{
    asset::asset,
    index::{elsewhere, index, setup},
};
