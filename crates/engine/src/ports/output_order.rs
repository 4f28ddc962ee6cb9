//! In which order a program spoke on its two streams, so that people see its result as they saw it live.
//!
//! The result keeps two texts; beside them stands how much of each came in turn. A model is told the texts alone.

use crate::reply::shorten::place;
use sandbox::process::{Captured, Order, Stream};
use std::sync::{Arc, Mutex, PoisonError};

/// The order of what the program of a call said, noted by the port that ran it.
#[derive(Clone, Default)]
pub(crate) struct NotedOrder(Arc<Mutex<Vec<u32>>>);

impl NotedOrder {
    pub(crate) fn note(&self, order: &[u32]) {
        order.clone_into(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn take(&self) -> Vec<u32> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What was heard of one stream.
pub(crate) struct Spoken<'a> {
    pub(crate) captured: &'a Captured,
    /// Its text without secrets.
    pub(crate) clean: &'a str,
    /// The most characters of it that are told.
    pub(crate) most: usize,
}

impl Spoken<'_> {
    /// How many characters had come by each change of streams: of the text, and of what is told of it.
    fn places(&self, order: &Order, stream: Stream) -> Vec<(usize, usize)> {
        let said: Vec<u64> =
            order.iter().filter(|(heard, _)| *heard == stream).map(|(_, said)| said).collect();
        let total = self.clean.chars().count();
        let both = |at| (at, place(at, total, self.most));
        self.captured.places(&said).into_iter().map(both).collect()
    }
}

/// How many characters came on stdout, then on stderr, then on stdout again, and so on; none where nothing came on stderr.
///
/// THREAT[secret-02]: a program that writes half of a secret to each stream would have it shown where the halves are put together. So
/// there is no order where a secret was taken out, or would have to be of both streams as one.
pub(crate) fn order(
    heard: &Order,
    spoken: &[Spoken<'_>; 2],
    without_secrets: impl Fn(String) -> String,
) -> Vec<u32> {
    let [output, errors] = spoken;
    if errors.clean.is_empty() || spoken.iter().any(|one| one.captured.text() != one.clean) {
        return Vec::new();
    }
    let mut places =
        [output.places(heard, Stream::Output), errors.places(heard, Stream::Errors)].map(Vec::into_iter);
    let mut texts = spoken.each_ref().map(|one| one.clean.chars());
    let (mut both, mut had, mut order) = (String::new(), [(0, 0); 2], vec![0_u32]);
    for (stream, _) in heard.iter() {
        let at = usize::from(stream == Stream::Errors);
        let (Some(places), Some(text), Some(had)) = (places.get_mut(at), texts.get_mut(at), had.get_mut(at))
        else {
            break;
        };
        let Some(until) = places.next() else { break };
        let (whole, told) = (until.0 - had.0, until.1 - had.1);
        *had = until;
        both.extend(text.by_ref().take(whole));
        // Numbers of stdout are the first, the third, the fifth …
        if told > 0 && order.len() % 2 == at {
            order.push(0);
        }
        if let Some(last) = order.last_mut() {
            *last = last.saturating_add(u32::try_from(told).unwrap_or(u32::MAX));
        }
    }
    texts.into_iter().for_each(|rest| both.extend(rest));
    match without_secrets(both.clone()) == both {
        true => order,
        false => Vec::new(),
    }
}

#[cfg(test)]
#[path = "output_order_tests.rs"]
mod tests;
