use super::{house, out};
use serde_json::Value;
use std::{os::unix::fs::PermissionsExt as _, process::Output};
use testkit::model::ModelServer;

/// It finds something wrong, and says this about it.
#[track_caller]
fn finds(output: &Output, parts: &[&str]) {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    for part in parts {
        assert!(out(output).contains(part), "{part:?} is not in: {}", out(output));
    }
    assert!(out(output).contains('✗') && out(output).contains('→'), "{}", out(output));
}

#[tokio::test]
async fn before_the_first_start_it_is_content_and_makes_nothing() {
    let (_root, program) = house();
    let text = program.must(&["doctor"], "").await;
    assert!(text.contains("does not exist yet") && text.contains("everything works"), "{text}");
    assert!(!program.data().exists());
}

#[tokio::test]
async fn a_healthy_house_with_and_without_a_server() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    let program = program.model(&model.url());
    program.set_up().await;
    let text = program.must(&["doctor"], "").await;
    for part in [
        "no server runs",
        "schema version",
        "integrity check finds nothing",
        "provider test",
        "scripted",
        "MAJORDOMO_DEFAULTS_MODEL",
        "(default)",
        "everything works",
    ] {
        assert!(text.contains(part), "{part:?} is not in: {text}");
    }
    let server = program.serve().await.unwrap();
    let text = program.must(&["doctor"], "").await;
    assert!(text.contains(&format!("a server runs (process {})", server.id().unwrap())), "{text}");
    let json: Value = serde_json::from_str(&program.must(&["doctor", "--json"], "").await).unwrap();
    assert_eq!(json["healthy"], true);
}

#[tokio::test]
async fn secrets_are_masked() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    let program = program.model(&model.url()).env("MAJORDOMO_PROVIDER_TEST_API_KEY", "sk-very-secret");
    let text = program.must(&["doctor"], "").await;
    assert!(text.contains("provider.test.api_key = •••") && !text.contains("very-secret"), "{text}");
}

#[tokio::test]
async fn every_broken_thing_is_named_with_its_remedy() {
    let (_root, program) = house();
    program.set_up().await;
    let data = program.data();
    std::fs::set_permissions(data, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::rename(data.join("master.key"), data.join("kept.key")).unwrap();
    let broken = program
        .clone()
        .env("MAJORDOMO_SERVER_BIND", "0.0.0.0:1")
        .env("MAJORDOMO_PROVIDER_X_BASE_URL", "http://127.0.0.1:9/v1");
    let output = broken.run(&["doctor"], "").await.unwrap();
    finds(
        &output,
        &[
            "mode 755",
            "chmod 700",
            "unencrypted",
            "master.key is missing",
            "provider x at",
            "does not answer",
        ],
    );
    assert!(!data.join("master.key").exists(), "looking makes no new key");
    std::fs::set_permissions(data.join("kept.key"), std::fs::Permissions::from_mode(0o644)).unwrap();
    let readable = program.clone().env("MAJORDOMO_STORE_MASTER_KEY_FILE", "kept.key");
    let found = readable.run(&["doctor"], "").await.unwrap();
    finds(&found, &["can be read by others", "chmod 600"]);
    assert!(!out(&found).contains("does not belong"), "one fault is told once: {}", out(&found));
}

#[tokio::test]
async fn a_damaged_database_and_a_wrong_configuration_are_said() {
    let (_root, program) = house();
    program.set_up().await;
    std::fs::write(
        program.data().join("majordomo.db"),
        "this is no database, whatever its name says. ".repeat(200),
    )
    .unwrap();
    finds(&program.run(&["doctor"], "").await.unwrap(), &["database"]);
    let config = program.data().join("majordomo.toml");
    std::fs::write(&config, "[limits]\nsteps = \"many\"\n").unwrap();
    finds(&program.run(&["doctor"], "").await.unwrap(), &["line 2", "limits.steps"]);
}

#[tokio::test]
async fn a_backup_without_a_name_goes_where_the_backups_are() {
    let (_root, program) = house();
    program.set_up().await;
    let made = program.must(&["backup"], "").await;
    let folder = std::fs::read_dir(program.data().join("backups")).unwrap();
    let names: Vec<String> = folder.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(made.contains(&names[0]) && made.contains("verified"), "{made}");
}
