use super::*;
use tokio::net::{UnixListener, UnixStream};

#[tokio::test]
async fn a_path_of_any_length_can_be_listened_on_and_reached() {
    for length in [1, 60, 104, 108, 200, 255] {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("d".repeat(length));
        std::fs::create_dir(&folder).unwrap();
        let socket = folder.join("control.sock");
        let bound = Address::of(&socket).unwrap();
        let listener = UnixListener::bind(bound.path()).unwrap();
        assert!(socket.exists(), "the socket is where it should be");
        let reached = Address::of(&socket).unwrap();
        let (_stream, accepted) = tokio::join!(UnixStream::connect(reached.path()), listener.accept());
        accepted.unwrap();
    }
}

#[tokio::test]
async fn without_the_detour_a_long_path_does_not_work() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("d".repeat(200));
    std::fs::create_dir(&folder).unwrap();
    assert!(UnixListener::bind(folder.join("control.sock")).is_err());
}

#[test]
fn a_directory_that_is_not_there_is_an_error() {
    assert!(Address::of(&Path::new("/nowhere").join("d".repeat(200)).join("control.sock")).is_err());
}
