use super::{err, house, out, refused, spawned::Spawned};
use std::{
    net::TcpListener,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn it_says_where_it_listens_and_what_to_do_next() {
    let (_root, program) = house();
    let mut server =
        Spawned::start(program.data(), "http://127.0.0.1:9/v1", &["serve", "--bind", "127.0.0.1:0"]);
    server.until("model: ").await;
    let data = program.data().display();
    server.signal("-TERM").await;
    let ended = server.end().await;
    assert_eq!(ended.code, Some(0));
    let first = ended.out.lines().next().unwrap();
    assert!(first.starts_with("listening on http://127.0.0.1:") && !first.ends_with(":0"), "{first}");
    for command in ["user add NAME --role owner", "api-key new", "chat"] {
        assert!(
            ended.out.contains(&format!("majordomo {command} --data {data}")),
            "{command}: {}",
            ended.out
        );
    }
}

#[tokio::test]
async fn with_an_owner_it_says_how_to_talk() {
    let (_root, program) = house();
    program.set_up().await;
    let mut server =
        Spawned::start(program.data(), "http://127.0.0.1:9/v1", &["serve", "--bind", "127.0.0.1:0"]);
    server.until("model: ").await;
    server.signal("-INT").await;
    let ended = server.end().await;
    assert_eq!(ended.code, Some(0));
    let page = ended.out.lines().next().unwrap().replace("listening on", "To sign in on the page, open");
    assert!(ended.out.lines().any(|line| line == page), "{page}: {}", ended.out);
    assert!(ended.out.contains("as ada") && ended.out.contains("curl -H"), "{}", ended.out);
    assert!(!ended.out.contains("user add"), "{}", ended.out);
}

#[tokio::test]
async fn everything_in_the_data_directory_is_its_owners_alone() {
    let (_root, program) = house();
    program.set_up().await;
    let server = program.serve().await.unwrap();
    assert_eq!(mode(program.data()), 0o700);
    for entry in std::fs::read_dir(program.data()).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path) & 0o077, 0, "{}", path.display());
    }
    assert_eq!(mode(&program.data().join("control.sock")), 0o600);
    assert_eq!(server.terminate().await.unwrap(), Some(0));
    assert!(!program.data().join("control.sock").exists());
}

#[tokio::test]
async fn the_second_one_on_a_directory_is_refused_and_hears_why() {
    let (_root, program) = house();
    let server = program.serve().await.unwrap();
    let pid = server.id().unwrap().to_string();
    let output = program.run(&["serve", "--bind", "127.0.0.1:0"], "").await.unwrap();
    refused(&output, 1, &[&pid, "already uses", "--data"]);
}

#[tokio::test]
async fn what_a_killed_server_left_is_no_obstacle() {
    let (_root, program) = house();
    let key = program.set_up().await;
    program.serve().await.unwrap().kill().await.unwrap();
    assert!(program.data().join("control.sock").exists(), "a killed server leaves its socket");
    assert!(program.must(&["user", "list"], "").await.contains("ada"));
    program.serve().await.unwrap().kill().await.unwrap();
    let server = program.serve().await.unwrap();
    server.client(&key).get("/v1/me").await.unwrap().expect(200);
    assert!(program.must(&["user", "list"], "").await.contains("ada"));
}

#[tokio::test]
async fn a_taken_port_is_named() {
    let (_root, program) = house();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = program.run(&["serve", "--bind", &address], "").await.unwrap();
    refused(&output, 1, &[&address, "already uses", "--bind 127.0.0.1:0"]);
}

#[tokio::test]
async fn beyond_loopback_is_refused_without_tls() {
    let (_root, program) = house();
    let output = program.run(&["serve", "--bind", "0.0.0.0:0"], "").await.unwrap();
    refused(&output, 1, &["unencrypted", "public_url", "allow_insecure_http"]);
    assert!(!program.data().exists());
}

#[tokio::test]
async fn a_mistake_in_the_configuration_is_named_by_its_line() {
    let (_root, program) = house();
    std::fs::create_dir_all(program.data()).unwrap();
    std::fs::write(program.data().join("majordomo.toml"), "[server]\n\nbinding = \"x\"\n").unwrap();
    let output = program.run(&["serve"], "").await.unwrap();
    refused(&output, 1, &["majordomo.toml line 3", "`binding`", "Did you mean `bind`?"]);
    let output = program.run(&["serve", "--config", "/nowhere.toml"], "").await.unwrap();
    refused(&output, 1, &["/nowhere.toml"]);
}

#[tokio::test]
async fn a_data_directory_may_lie_very_deep() {
    let root = tempfile::tempdir().unwrap();
    let deep: PathBuf = root.path().join("d".repeat(100)).join("e".repeat(100));
    assert!(deep.as_os_str().len() > 200);
    let program = testkit::program::Program::new(super::BINARY, &deep);
    program.set_up().await;
    assert!(program.must(&["chat", "--once", "hello"], "").await.contains("“hello”"));
    let server = program.serve().await.unwrap();
    assert!(program.must(&["user", "list"], "").await.contains("ada"), "through the socket of the server");
    assert_eq!(mode(&deep.join("control.sock")), 0o600);
    assert_eq!(server.terminate().await.unwrap(), Some(0));
}

#[tokio::test]
async fn the_master_key_may_come_from_the_environment() {
    let (_root, program) = house();
    let with_key = program.clone().env("MAJORDOMO_MASTER_KEY", "a1".repeat(32));
    with_key.set_up().await;
    assert!(!program.data().join("master.key").exists());
    let output = program.run(&["user", "list"], "").await.unwrap();
    refused(&output, 1, &["master.key", "missing"]);
    assert!(!program.data().join("master.key").exists(), "no new key for an old database");
    let wrong = program.clone().env("MAJORDOMO_MASTER_KEY", "b2".repeat(32));
    refused(&wrong.run(&["user", "list"], "").await.unwrap(), 1, &["does not belong to this database"]);
    let short = program.clone().env("MAJORDOMO_MASTER_KEY", "b2b2");
    refused(&short.run(&["user", "list"], "").await.unwrap(), 1, &["MAJORDOMO_MASTER_KEY", "64 hexadecimal"]);
}

#[tokio::test]
async fn the_log_is_quiet_unless_asked() {
    let (_root, program) = house();
    let quiet = program.run(&["chat", "--once", "a secret word"], "").await.unwrap();
    assert_eq!(err(&quiet), "");
    let loud = program.run(&["-vv", "chat", "--once", "a secret word"], "").await.unwrap();
    assert!(out(&loud).contains("secret word"));
    assert!(!err(&loud).is_empty() && !err(&loud).contains("secret word"), "{}", err(&loud));
}
