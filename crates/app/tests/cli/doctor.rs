use super::{house, out};
use serde_json::Value;
use std::{os::unix::fs::PermissionsExt as _, process::Output};
use store::{KeyFiles, Store, Tx, providers::StoredProvider};
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
    assert!(text.contains("does not exist yet") && text.contains("No problems in"), "{text}");
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
        "No server is running",
        "schema version",
        "integrity check finds no damage",
        "Provider test",
        "scripted",
        "MAJORDOMO_DEFAULTS_MODEL",
        "(default)",
        "No problems in",
    ] {
        assert!(text.contains(part), "{part:?} is not in: {text}");
    }
    let server = program.serve().await.unwrap();
    let text = program.must(&["doctor"], "").await;
    assert!(text.contains(&format!("A server is running (process {})", server.id().unwrap())), "{text}");
    assert!(!text.contains("everything"), "{text}");
    let json: Value = serde_json::from_str(&program.must(&["doctor", "--json"], "").await).unwrap();
    assert_eq!(json["healthy"], true);
}

/// The last line says what was looked at, and what was not is named.
#[tokio::test]
async fn the_last_line_promises_nothing_that_was_not_looked_at() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    let program = program.model(&model.url());
    program.set_up().await;
    let text = program.must(&["doctor"], "").await;
    assert!(text.contains("Not checked: whether the models answer"), "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("No problems in the ") && last.contains("not checked"), "{last}");
    let json: Value = serde_json::from_str(&program.must(&["doctor", "--json"], "").await).unwrap();
    assert!(!json["unchecked"].as_array().unwrap().is_empty(), "{json}");
    // Without its key the audit log is not called whole.
    std::fs::rename(program.data().join("master.key"), program.data().join("kept.key")).unwrap();
    let found = program.run(&["doctor"], "").await.unwrap();
    finds(
        &found,
        &[
            "Not checked: the audit log",
            "Not checked: providers and the default model that were set on the page",
        ],
    );
    assert!(!out(&found).contains("audit log is intact"), "{}", out(&found));
}

#[tokio::test]
async fn a_key_in_a_file_that_others_can_read() {
    let (root, program) = house();
    program.set_up().await;
    let config = root.path().join("majordomo.toml");
    let write = |text: &str, mode: u32| {
        std::fs::write(&config, text).unwrap();
        std::fs::set_permissions(&config, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    std::fs::set_permissions(root.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let arguments = ["--config", config.to_str().unwrap(), "doctor"];
    let model = ModelServer::start().await;
    let provider = format!("[provider.mine]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n", model.url());
    let with_key = format!("{provider}api_key = \"sk-very-secret\"\n");
    write(&with_key, 0o644);
    let found = program.run(&arguments, "").await.unwrap();
    finds(&found, &["holds provider.mine.api_key and can be read by others (mode 644)", "chmod 600"]);
    assert!(!out(&found).contains("very-secret"));
    write(&with_key, 0o600);
    let text = program.must(&arguments, "").await;
    assert!(!text.contains("can be read by others"), "the control: {text}");
    write(&provider, 0o644);
    let text = program.must(&arguments, "").await;
    assert!(!text.contains("can be read by others"), "without a key it is nobody's business: {text}");
    write("[search]\nbackend = \"brave\"\napi_key = \"sk-very-secret\"\n", 0o640);
    finds(&program.run(&arguments, "").await.unwrap(), &["holds search.api_key"]);
}

/// Which model agents without one use, and who said so.
#[tokio::test]
async fn it_says_where_the_default_model_comes_from() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    let program = program.model(&model.url());
    program.set_up().await;
    let choose = async |model: Option<&'static str>| {
        let keys = KeyFiles::new(program.data().join("master.key")).load().unwrap();
        let url = format!("sqlite:{}", program.data().join("majordomo.db").display());
        let store = Store::open(&url, keys).await.unwrap();
        let (vault, at) = (store.vault().clone(), domain::Timestamp::from_millis(0));
        let put = move |tx: &mut Tx| store::providers::set_default_model(tx, &vault, model, at);
        store.write(put).await.unwrap();
        store.close().await;
    };
    let text = program.must(&["doctor"], "").await;
    let line = |text: &str| text.lines().find(|line| line.contains("The default model")).unwrap().to_owned();
    assert!(
        line(&text).contains("test/scripted") && line(&text).contains("MAJORDOMO_DEFAULTS_MODEL"),
        "{text}"
    );
    choose(Some("test/other")).await;
    let text = program.must(&["doctor"], "").await;
    let chosen = "The default model is test/other (chosen by an admin on the page; [defaults] model = \"test/scripted\" is not used).";
    assert!(text.contains(chosen), "{text}");
    choose(Some("gone/m")).await;
    finds(
        &program.run(&["doctor"], "").await.unwrap(),
        &["default model gone/m", "cannot be used", "do not answer"],
    );
}

#[tokio::test]
async fn providers_of_the_page_are_asked_too() {
    let (_root, program) = house();
    program.set_up().await;
    let keys = KeyFiles::new(program.data().join("master.key")).load().unwrap();
    let url = format!("sqlite:{}", program.data().join("majordomo.db").display());
    let model = ModelServer::start().await;
    let add = async |name: &str, base_url: String| {
        let store = Store::open(&url, keys.clone()).await.unwrap();
        let (vault, name) = (store.vault().clone(), name.to_owned());
        let provider = StoredProvider {
            name,
            wire: "openai".to_owned(),
            base_url,
            api_key: Some("sk-very-secret".into()),
            models: Vec::new(),
            free: None,
            prices: serde_json::Value::Null,
            images: std::collections::BTreeMap::new(),
        };
        let at = domain::Timestamp::from_millis(0);
        let put = move |tx: &mut Tx| store::providers::put(tx, &vault, &provider, at);
        store.write(put).await.unwrap();
        store.close().await;
    };
    add("added", model.url()).await;
    let text = program.must(&["doctor"], "").await;
    assert!(text.contains("Provider added at") && text.contains("added by an admin"), "{text}");
    assert!(!text.contains("very-secret"), "{text}");
    add("gone", "http://127.0.0.1:9/v1".to_owned()).await;
    finds(&program.run(&["doctor"], "").await.unwrap(), &["Provider gone at", "does not answer"]);
}

#[tokio::test]
async fn the_address_of_the_running_server_is_told() {
    let (_root, program) = house();
    program.set_up().await;
    let server = program.serve().await.unwrap();
    let text = program.must(&["doctor"], "").await;
    assert!(text.contains(&format!("The running server listens on {}.", server.base)), "{text}");
    assert_eq!(server.terminate().await.unwrap(), Some(0));
    let text = program.must(&["doctor"], "").await;
    assert!(!text.contains("listens on"), "{text}");
}

/// The settings are read anew, and the server that runs was started with others.
#[tokio::test]
async fn a_server_that_listens_elsewhere_than_the_settings_say_is_named() {
    let (_root, program) = house();
    program.set_up().await;
    let _server = program.serve().await.unwrap();
    let config = program.data().join("majordomo.toml");
    for (bind, is_another) in [("127.0.0.1:7700", true), ("127.0.0.2:0", true), ("127.0.0.1:0", false)] {
        std::fs::write(&config, format!("[server]\nbind = \"{bind}\"\n")).unwrap();
        let text = program.must(&["doctor"], "").await;
        let told =
            text.contains(&format!("The settings name another address: {bind} (")) && text.contains("--bind");
        assert_eq!(told, is_another, "{text}");
        assert!(is_another || !text.contains("another address"), "{text}");
    }
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
            "Provider x at",
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
