//! What can be set about errands.

#[derive(Clone, Debug)]
pub struct ErrandSettings {
    /// Errands of agents for agents that one message may lead to, at whatever distance.
    pub most: u64,
}

impl Default for ErrandSettings {
    fn default() -> Self {
        Self { most: 200 }
    }
}
