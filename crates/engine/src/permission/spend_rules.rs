//! Uses up the rules that permit a call once, in the transaction that begins the call.

use domain::RuleId;
use store::{Tx, rules};

/// Why a call may not begin by its rules.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SpendRefusal {
    /// Another call was first.
    #[error("The approval for one call was already used.")]
    Spent,
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// Spends all of them, or refuses; the caller undoes its transaction then.
pub(crate) fn spend(tx: &mut Tx, spends: &[RuleId]) -> Result<(), SpendRefusal> {
    for rule in spends {
        if !rules::spend(tx, *rule)? {
            return Err(SpendRefusal::Spent);
        }
    }
    Ok(())
}
