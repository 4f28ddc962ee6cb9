//! Files of a folder: added, listed, told in its conversations, removed.

use crate::support::House;
use domain::UserRole;
use serde_json::{Value, json};
use testkit::model::Reply;

const WORDS: &str = "The cellar key hangs behind the clock.";

async fn upload(house: &House, words: &str) -> Value {
    let form = format!(
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"house.txt\"\r\n\
         Content-Type: text/plain\r\n\r\n{words}\r\n--x--\r\n"
    );
    let call = house.call("POST", "/v1/uploads").body("multipart/form-data; boundary=x", form);
    call.send().await.expect(201)
}

/// The path of a new folder's files, and a session in that folder.
async fn folder(house: &House) -> (String, String) {
    let made = house.call("POST", "/v1/folders").json(&json!({ "name": "House" })).send().await.expect(201);
    let session = house.session().await;
    let into = json!({ "folder_id": made["id"] });
    house.call("PATCH", &format!("/v1/sessions/{session}")).json(&into).send().await.expect(200);
    (format!("/v1/folders/{}/files", made["id"].as_str().unwrap()), session)
}

async fn say(house: &House, session: &str) {
    let path = format!("/v1/sessions/{session}/messages");
    let body = json!({ "content": "Where is the key?" });
    house.call("POST", &path).json(&body).send().await.expect(200);
}

/// Whether the model was told of the file when it was asked last.
fn knows(house: &House) -> bool {
    house.model.last_request().unwrap().raw.contains(WORDS)
}

/// What the agent knew from them is not in a download, which names them and says so.
#[tokio::test]
async fn a_download_names_the_files_of_the_folder() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("I see."));
    let (files, session) = folder(&house).await;
    let file = upload(&house, WORDS).await;
    house.call("POST", &files).json(&json!({ "upload_id": file["id"] })).send().await.expect(200);
    say(&house, &session).await;
    let path = format!("/v1/sessions/{session}/export");
    let text = house.call("GET", &path).send().await;
    let text = String::from_utf8(text.bytes.to_vec()).unwrap();
    assert!(text.contains("\nFiles of the folder (not in this file): house.txt\n"), "{text}");
    let whole = house.call("GET", &format!("{path}?format=json")).send().await.expect(200);
    assert_eq!(
        (&whole["folder_files"][0]["name"], &whole["has_files"]),
        (&json!("house.txt"), &json!(false))
    );
    assert_eq!(whole["folder_files"][0]["id"], file["id"]);
    let elsewhere = house.session().await;
    say(&house, &elsewhere).await;
    let path = format!("/v1/sessions/{elsewhere}/export?format=json");
    assert_eq!(house.call("GET", &path).send().await.expect(200)["folder_files"], json!([]));
}

#[tokio::test]
async fn a_file_of_a_folder_is_told_until_it_is_removed() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("I see."));
    let (files, session) = folder(&house).await;
    say(&house, &session).await;
    assert!(!knows(&house));
    let file = upload(&house, WORDS).await;
    let new = json!({ "upload_id": file["id"] });
    let added = house.call("POST", &files).json(&new).send().await.expect(200);
    assert_eq!((&added["id"], &added["own"]), (&file["id"], &json!(false)));
    assert_eq!(house.call("GET", &files).send().await.expect(200)["items"], json!([added]));
    say(&house, &session).await;
    assert!(knows(&house));
    let elsewhere = house.session().await;
    say(&house, &elsewhere).await;
    assert!(!knows(&house), "a conversation in no folder");
    let one = format!("{files}/{}", file["id"].as_str().unwrap());
    assert_eq!(house.call("DELETE", &one).send().await.status, 204);
    house.call("DELETE", &one).send().await.refused(404, "not_found");
    assert_eq!(house.call("GET", &files).send().await.expect(200)["items"], json!([]));
    say(&house, &session).await;
    assert!(!knows(&house));
    let path = format!("/v1/uploads/{}", file["id"].as_str().unwrap());
    house.call("GET", &path).send().await.refused(404, "not_found");
}

/// What a file says are words of others, unless its person made it.
#[tokio::test]
async fn a_file_of_a_folder_is_trusted_only_where_its_person_made_it() {
    for (own, integrity) in [(false, "untrusted"), (true, "trusted")] {
        let house = House::new().await;
        house.model.respond(|_| Reply::text("I see."));
        let (files, session) = folder(&house).await;
        let file = upload(&house, WORDS).await;
        let new = json!({ "upload_id": file["id"], "own": own });
        house.call("POST", &files).json(&new).send().await.expect(200);
        say(&house, &session).await;
        assert!(knows(&house));
        let session = house.call("GET", &format!("/v1/sessions/{session}")).send().await.expect(200);
        assert_eq!(session["label"]["integrity"], integrity, "{session}");
    }
}

#[tokio::test]
async fn a_folder_takes_readable_files_of_its_own_person_and_takes_them_along() {
    let house = House::new().await;
    let (files, _) = folder(&house).await;
    let file = upload(&house, WORDS).await;
    let new = json!({ "upload_id": file["id"] });
    let (_, other) = house.person("Bea", UserRole::Member).await;
    house.call("POST", &files).key(&other).json(&new).send().await.refused(404, "not_found");
    house.call("GET", &files).key(&other).send().await.refused(404, "not_found");
    let theirs = house.call("POST", "/v1/folders").key(&other).json(&json!({ "name": "b" })).send().await;
    let theirs = format!("/v1/folders/{}/files", theirs.expect(201)["id"].as_str().unwrap());
    house.call("POST", &theirs).key(&other).json(&new).send().await.refused(400, "bad_folder_file");
    house.call("POST", &files).json(&json!({})).send().await.refused(400, "bad_field");
    house.call("POST", &files).json(&new).send().await.expect(200);
    assert_eq!(
        house.call("POST", &files).json(&new).send().await.expect(200)["own"],
        false,
        "the same once more"
    );
    let own = json!({ "upload_id": file["id"], "own": true });
    house.call("POST", &files).json(&own).send().await.refused(403, "scope_insufficient");
    assert_eq!(house.call("GET", &files).send().await.expect(200)["items"].as_array().unwrap().len(), 1);
    let folder = files.trim_end_matches("/files");
    assert_eq!(house.call("DELETE", folder).send().await.status, 204);
    let path = format!("/v1/uploads/{}", file["id"].as_str().unwrap());
    house.call("GET", &path).send().await.refused(404, "not_found");
}
