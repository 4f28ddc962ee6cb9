use super::*;
use std::{future::poll_fn, sync::Arc};
use testkit::wake_count::WakeCount;

#[test]
fn a_task_that_asked_often_is_woken_once_and_so_is_one_that_took_over() {
    let token = CancellationToken::new();
    let mut until = Until::new(token.clone());
    let (first, second) = (Arc::new(WakeCount::default()), Arc::new(WakeCount::default()));
    for count in [&first, &first, &second, &second] {
        let waker = Waker::from(count.clone());
        assert!(until.poll(&mut Context::from_waker(&waker)).is_pending());
    }
    token.cancel();
    assert_eq!(first.so_far(), 0, "it has handed the wait over");
    assert_eq!(second.so_far(), 1);
    let waker = Waker::from(second);
    assert!(until.poll(&mut Context::from_waker(&waker)).is_ready());
}

#[tokio::test]
async fn it_ends_with_its_token() {
    let token = CancellationToken::new();
    let mut until = Until::new(token.clone());
    let cancelling = async {
        tokio::task::yield_now().await;
        token.cancel();
    };
    tokio::join!(poll_fn(|context| until.poll(context)), cancelling);
}
