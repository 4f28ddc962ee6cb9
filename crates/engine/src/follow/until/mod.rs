//! Waiting for a token in a task that is asked far more often than the token is cancelled.

use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Waits for a token. A task that is in the token's list already only looks at the token.
pub struct Until {
    token: CancellationToken,
    wait: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Whose task is in the list.
    listed: Option<Waker>,
}

impl Until {
    pub fn new(token: CancellationToken) -> Self {
        let wait = Box::pin(token.clone().cancelled_owned());
        Self { token, wait, listed: None }
    }

    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.listed.as_ref().is_some_and(|listed| listed.will_wake(context.waker())) {
            return if self.token.is_cancelled() { Poll::Ready(()) } else { Poll::Pending };
        }
        if self.wait.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        self.listed = Some(context.waker().clone());
        Poll::Pending
    }
}

#[cfg(test)]
#[path = "until_tests.rs"]
mod tests;
