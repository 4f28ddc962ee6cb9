//! What can be set about money.

#[derive(Clone, Debug)]
pub struct BudgetSettings {
    /// What each person may spend of whom no admin has said it.
    pub default: domain::Budget,
    /// Where the midnight is at which a day of every budget ends.
    pub zone: String,
}

impl Default for BudgetSettings {
    fn default() -> Self {
        Self { default: domain::Budget::NONE, zone: "UTC".to_owned() }
    }
}
