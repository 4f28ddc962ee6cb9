use super::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

const SHORT: Duration = Duration::from_millis(30);
const LONG: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_reader_that_stops_is_given_up() {
    let (near, _far) = duplex(16);
    let mut near = Patient::new(near, SHORT);
    let error = near.write_all(&[0; 64]).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
}

#[tokio::test]
async fn a_slow_reader_that_reads_gets_everything() {
    let (near, mut far) = duplex(16);
    let mut near = Patient::new(near, LONG);
    let writing = tokio::spawn(async move {
        near.write_all(&[7; 4_096]).await.unwrap();
        near.shutdown().await.unwrap();
    });
    let mut read = Vec::new();
    let mut byte = [0];
    while far.read(&mut byte).await.unwrap() == 1 {
        read.extend(byte);
        tokio::task::yield_now().await;
    }
    assert_eq!(read, [7; 4_096]);
    writing.await.unwrap();
}

#[tokio::test]
async fn waiting_for_something_to_read_takes_as_long_as_it_takes() {
    let (near, mut far) = duplex(16);
    let mut near = Patient::new(near, Duration::ZERO);
    let reading = tokio::spawn(async move {
        let mut byte = [0];
        near.read_exact(&mut byte).await.map(|_| byte)
    });
    tokio::task::yield_now().await;
    far.write_all(&[9]).await.unwrap();
    assert_eq!(reading.await.unwrap().unwrap(), [9]);
}
