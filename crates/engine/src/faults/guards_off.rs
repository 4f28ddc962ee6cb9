//! Guards that a test can take away, to show that what they stop would work without them. A test of a guard that stops
//! an attack that fails without the guard, too, proves nothing.
//!
//! They go by the same means as crash points: without the feature `crash-points`, each of these functions is `false`, and
//! with it, too, unless the program that a test runs has named the guard. The shipped program names none.

/// Every guard that can be taken away.
pub const GUARDS: &[&str] = &[
    "guard_gate",
    "guard_labels",
    "guard_digest",
    "guard_shown",
    "guard_secrets",
    "guard_audit",
    "guard_bus",
    "guard_notes",
    "guard_looks",
    "guard_review",
    "guard_recall",
];

/// Every call of a tool that is there runs.
pub(crate) fn gate_is_off() -> bool {
    fail::fail_point!("guard_gate", |_| true);
    false
}

/// Where things come from is forgotten.
pub(crate) fn labels_are_off() -> bool {
    fail::fail_point!("guard_labels", |_| true);
    false
}

/// A yes is for whatever the call has become.
pub(crate) fn digest_is_off() -> bool {
    fail::fail_point!("guard_digest", |_| true);
    false
}

/// People are shown arguments as they came.
pub(crate) fn shown_is_off() -> bool {
    fail::fail_point!("guard_shown", |_| true);
    false
}

/// What is known to be secret stays where it is found; here, and in what providers complain of.
pub(crate) fn secrets_are_off() -> bool {
    fail::fail_point!("guard_secrets", |_| true);
    false
}

/// What was denied is not written down.
pub(crate) fn audit_is_off() -> bool {
    fail::fail_point!("guard_audit", |_| true);
    false
}

/// Nodes neither tell each other anything nor look for what was not told.
pub(crate) fn bus_is_off() -> bool {
    fail::fail_point!("guard_bus", |_| true);
    false
}

/// Nodes say that they are there, and nothing else.
pub(crate) fn notes_are_off() -> bool {
    fail::fail_point!("guard_notes", |_| true);
    false
}

/// Nodes do not look for what was not told.
pub(crate) fn looks_are_off() -> bool {
    fail::fail_point!("guard_looks", |_| true);
    false
}

/// Who looks for something finds what others had a say in without asking for it.
pub(crate) fn recall_is_off() -> bool {
    fail::fail_point!("guard_recall", |_| true);
    false
}

/// What others had a say in counts as remembered without its person.
pub(crate) fn review_is_off() -> bool {
    fail::fail_point!("guard_review", |_| true);
    false
}
