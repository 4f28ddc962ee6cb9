//! Those who wait for something new in a feed, each in a place of its own.

use std::task::Waker;

/// Invariant: a place belongs to one reader from [`enter`](Self::enter) to [`leave`](Self::leave), and holds at most one waker, so
/// that what a feed keeps does not grow with how often its readers were asked.
#[derive(Default)]
pub(crate) struct Waiters {
    places: Vec<Option<Waker>>,
    free: Vec<usize>,
}

impl Waiters {
    pub(crate) fn enter(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            self.places.len() - 1
        })
    }

    /// Does a reader have a place?
    pub(crate) fn are_there(&self) -> bool {
        self.places.len() > self.free.len()
    }

    pub(crate) fn leave(&mut self, place: usize) {
        if let Some(waiting) = self.places.get_mut(place) {
            *waiting = None;
            self.free.push(place);
        }
    }

    pub(crate) fn wait(&mut self, place: usize, waker: &Waker) {
        match self.places.get_mut(place) {
            Some(Some(known)) => known.clone_from(waker),
            Some(waiting) => *waiting = Some(waker.clone()),
            None => {}
        }
    }

    /// Those who wait now. They are woken when the feed is not locked any more: who is woken looks at it at once.
    pub(crate) fn take(&mut self) -> Vec<Waker> {
        self.places.iter_mut().filter_map(Option::take).collect()
    }
}

#[cfg(test)]
#[path = "waiters_tests.rs"]
mod tests;
