use super::{err, house, out, refused};
use serde_json::Value;

#[tokio::test]
async fn a_person_and_a_key_work_without_a_server_and_with_one() {
    let (_root, program) = house();
    let key = program.set_up().await;
    assert!(key.starts_with("mjd_") && !key.contains(char::is_whitespace), "{key}");
    let server = program.serve().await.unwrap();
    let me = server.client(&key).get("/v1/me").await.unwrap().expect(200);
    assert_eq!(me["name"], "ada");
    let added =
        program.must(&["user", "add", "bob", "--role", "member", "--password-stdin"], "long enough").await;
    assert_eq!(added, "bob was added as a member.");
    let output = program.run(&["api-key", "new", "--user", "bob", "--scope", "read"], "").await.unwrap();
    assert_eq!(err(&output), "");
    let bobs = out(&output);
    assert_eq!(server.client(bobs.trim()).get("/v1/me").await.unwrap().expect(200)["name"], "bob");
    let users = program.must(&["user", "list"], "").await;
    assert!(users.contains("ada") && users.contains("owner") && users.contains("bob"), "{users}");
}

#[tokio::test]
async fn a_revoked_key_is_useless_at_once() {
    let (_root, program) = house();
    let key = program.set_up().await;
    let server = program.serve().await.unwrap();
    server.client(&key).get("/v1/me").await.unwrap().expect(200);
    let list: Value = serde_json::from_str(&program.must(&["api-key", "list", "--json"], "").await).unwrap();
    assert!(!list.to_string().contains(&key), "the secret is shown once");
    let id = list["items"][0]["id"].as_str().unwrap();
    program.must(&["api-key", "revoke", id], "").await;
    server.client(&key).get("/v1/me").await.unwrap().expect(401);
    refused(&program.run(&["api-key", "revoke", id], "").await.unwrap(), 1, &["→"]);
    refused(&program.run(&["api-key", "revoke", "nonsense"], "").await.unwrap(), 1, &["api-key list"]);
}

#[tokio::test]
async fn keys_expire_when_they_are_told_to() {
    let (_root, program) = house();
    program.set_up().await;
    let key =
        program.must(&["api-key", "new", "--expires", "2099-01-01", "--name", "laptop", "--json"], "").await;
    let key: Value = serde_json::from_str(&key).unwrap();
    assert_eq!(key["expires_at"], "2099-01-01T00:00:00.000Z");
    assert_eq!(key["name"], "laptop");
    refused(
        &program.run(&["api-key", "new", "--expires", "yesterday"], "").await.unwrap(),
        1,
        &["--expires", "30d"],
    );
}

#[tokio::test]
async fn passwords_are_taken_from_stdin_only_and_have_a_least_length() {
    let (_root, program) = house();
    let add = ["user", "add", "ann", "--role", "owner"];
    refused(&program.run(&add, "").await.unwrap(), 1, &["No password", "--password-stdin"]);
    let piped = ["user", "add", "ann", "--role", "owner", "--password-stdin"];
    refused(&program.run(&piped, "seven77\n").await.unwrap(), 1, &["too short", "8 characters"]);
    assert!(!program.data().exists(), "a refused password leaves no trace");
    program.must(&piped, "eight888\r\n").await;
}

#[tokio::test]
async fn there_is_one_owner_and_each_name_once() {
    let (_root, program) = house();
    program.set_up().await;
    let add = |name, role| ["user", "add", name, "--role", role, "--password-stdin"];
    for (name, role) in [("eve", "owner"), ("ada", "member")] {
        let output = program.run(&add(name, role), "long enough").await.unwrap();
        refused(&output, 1, &["majordomo: ", "→"]);
    }
    refused(
        &program.run(&["api-key", "new", "--user", "eve"], "").await.unwrap(),
        1,
        &["no account called eve", "user list"],
    );
}

#[tokio::test]
async fn without_an_owner_a_key_cannot_be_made_and_the_way_is_shown() {
    let (_root, program) = house();
    refused(&program.run(&["api-key", "new"], "").await.unwrap(), 1, &["user add NAME --role owner"]);
}
