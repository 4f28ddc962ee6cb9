//! Which walls there are, for `doctor` and for the call that is refused.

use serde::Serialize;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Layer {
    pub name: &'static str,
    /// Without it nothing runs.
    pub mandatory: bool,
    pub present: bool,
    /// What was found, or what to do.
    pub detail: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    pub layers: Vec<Layer>,
}

impl Report {
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.missing().next().is_none()
    }

    /// Mandatory layers that are not there.
    pub fn missing(&self) -> impl Iterator<Item = &Layer> {
        self.layers.iter().filter(|layer| layer.mandatory && !layer.present)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_complete() {
            return f.write_str("programs can run in a sandbox on this machine");
        }
        f.write_str("The sandbox does not work on this machine, so programs do not run at all:")?;
        self.missing().try_for_each(|layer| write!(f, " {} not available ({}).", layer.name, layer.detail))
    }
}
