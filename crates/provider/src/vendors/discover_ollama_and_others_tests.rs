use super::*;
use std::sync::Arc;
use testkit::model::{ModelServer, Reply};
use tokio::sync::Notify;

fn listed(name: &str, server: &ModelServer) -> LocalServer {
    let port = server.url().rsplit(':').next().and_then(|end| end.trim_end_matches("/v1").parse().ok());
    LocalServer { name: name.into(), label: name.into(), port: port.unwrap() }
}

#[tokio::test]
async fn only_servers_that_answer_with_a_model_list_are_found() {
    let found = ModelServer::start().await;
    found.models(["qwen3:8b"]);
    let page = ModelServer::start().await;
    page.models_reply(Reply::raw("<html>a router's page</html>").content_type("text/html"));
    let other = ModelServer::start().await;
    other.models_reply(Reply::raw("{\"data\": [1, 2]}").content_type("application/json"));
    let locked = ModelServer::start().await;
    locked.models_reply(Reply::status(401));
    let silent = ModelServer::start().await;
    silent.models_reply(Reply::raw("").gate(Arc::new(Notify::new())));
    let gone = listed("gone", &ModelServer::start().await);
    let servers = [
        gone,
        listed("page", &page),
        listed("other", &other),
        listed("locked", &locked),
        listed("silent", &silent),
        listed("found", &found),
    ];

    let answers = probe(&servers, Duration::from_secs(60)).await;
    let names: Vec<_> =
        answers.iter().map(|(settings, models)| (settings.name.as_str(), models.len())).collect();
    assert_eq!(names, [("found", 1)]);
    assert_eq!(answers.first().map(|(settings, _)| settings.base_url.clone()), Some(found.url()));
}
