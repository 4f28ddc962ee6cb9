//! Taking secrets out of text, however they are spelled.

mod escape;
pub(crate) mod scrub;
pub(crate) mod scrubber;
pub(crate) mod spelling;
