use super::{house, refused};
use testkit::postgres::Cluster;

#[tokio::test]
async fn the_same_commands_work_on_postgresql() {
    let Some(cluster) = Cluster::shared().unwrap() else { return };
    let (_root, program) = house();
    let program = program.env("MAJORDOMO_STORE_URL", cluster.database().unwrap());
    let key = program.set_up().await;
    assert!(program.must(&["chat", "--once", "hello"], "").await.contains("“hello”"));
    assert!(program.must(&["doctor"], "").await.contains("PostgreSQL opens, schema version"));
    let server = program.serve().await.unwrap();
    assert_eq!(server.client(&key).get("/v1/me").await.unwrap().expect(200)["name"], "ada");
    assert_eq!(server.terminate().await.unwrap(), Some(0));
    // Whether a PostgreSQL database is empty is seen only when it is open: no new key may be left behind.
    std::fs::remove_file(program.data().join("master.key")).unwrap();
    refused(
        &program.run(&["user", "list"], "").await.unwrap(),
        1,
        &["master.key is missing", "Put the key back"],
    );
    assert!(!program.data().join("master.key").exists());
}

#[tokio::test]
async fn a_database_server_that_is_away_is_said() {
    let (_root, program) = house();
    let program = program.env("MAJORDOMO_STORE_URL", "postgres://ann:hush@127.0.0.1:9/house");
    let output = program.run(&["user", "list"], "").await.unwrap();
    refused(&output, 1, &["→"]);
    assert!(!super::err(&output).contains("hush"), "{}", super::err(&output));
}
