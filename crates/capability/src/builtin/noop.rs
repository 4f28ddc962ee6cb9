//! `noop`: adds nothing. For trying out how capabilities are listed, ordered and saved.

use crate::{Capability, CapabilityInfo};

pub struct Noop;

impl Capability for Noop {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin("noop", "Noop", "Adds nothing; for trying out how capabilities are combined.")
    }
}
