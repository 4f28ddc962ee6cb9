//! What a person was shown of a call's label when they were asked, against what is known of it when it is decided anew.

use crate::{Circumstances, Why};
use domain::Approval;

/// Was the person shown that private data and untrusted content come together, or that others want something done later, as far as that
/// is so by now?
///
/// THREAT[gate-14]: while the request waits, content of a stranger comes into the conversation. The person read that commands ask
/// always, and their yes would send out what the stranger asks for. Of a request of an earlier version nothing is known.
pub(crate) fn is_as_shown(c: &Circumstances<'_>, concerns: &[Why], answer: &Approval) -> bool {
    let no_worse = || answer.label.is_some_and(|shown| shown.join(c.label) == shown);
    !concerns.iter().any(|why| matches!(why, Why::RuleOfTwo | Why::ActsLater)) || no_worse()
}
