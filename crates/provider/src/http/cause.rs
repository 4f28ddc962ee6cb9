//! Why a connection failed, as far as the layers below tell.

use std::error::Error;

/// The innermost cause: what the operating system or the protocol said, without the address.
pub(crate) fn describe(error: &reqwest::Error) -> String {
    causes(error).last().map(ToString::to_string).unwrap_or_default()
}

type Cause<'a> = &'a (dyn Error + 'static);

fn causes(error: &reqwest::Error) -> impl Iterator<Item = Cause<'_>> {
    let mut next: Option<Cause<'_>> = Some(error);
    std::iter::from_fn(move || {
        let cause = next?;
        next = cause.source();
        Some(cause)
    })
}

/// What came is not HTTP.
pub(crate) fn is_parse_error(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| cause.downcast_ref().is_some_and(hyper::Error::is_parse))
}
