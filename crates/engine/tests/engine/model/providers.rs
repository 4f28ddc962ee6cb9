//! Providers that come and go while the house is running.

use crate::world::World;
use engine::{AgentFields, Change, Error, ProviderFields};
use provider::{Origin, Reachability, Wire};
use testkit::model::{ModelServer, Reply};

const KEY: &str = "sk-ant-0123456789-never-shown";

fn fields(server: &ModelServer, key: Change<String>) -> ProviderFields {
    ProviderFields {
        wire: Some(Wire::Anthropic),
        base_url: Some(server.root_url()),
        api_key: key,
        ..ProviderFields::default()
    }
}

async fn put(world: &World, name: &str, fields: ProviderFields) -> engine::Result<provider::ProviderStatus> {
    let (user, name) = (world.user, name.to_owned());
    world.house.on(move |engine| async move { engine.put_provider(user, name, fields).await }).await
}

async fn delete(world: &World, name: &str) -> engine::Result<()> {
    let (user, name) = (world.user, name.to_owned());
    world.house.on(move |engine| async move { engine.delete_provider(user, name).await }).await
}

async fn use_model(world: &World, model: &str) {
    let fields = AgentFields { model: Change::Set(model.to_owned()), ..AgentFields::default() };
    let (user, agent) = (world.user, world.agent);
    world
        .house
        .on(move |engine| async move {
            engine
                .change_agent(&engine::Principal::operator(user, domain::UserRole::Owner), agent, fields)
                .await
        })
        .await
        .unwrap();
}

async fn names(world: &World) -> Vec<(String, Origin)> {
    world
        .engine()
        .providers()
        .await
        .unwrap()
        .into_iter()
        .map(|provider| (provider.name, provider.origin))
        .collect()
}

#[tokio::test]
async fn a_provider_is_in_force_at_once_and_after_a_restart() {
    let mut world = World::new().await;
    let server = ModelServer::start().await;
    server.models(["claude"]);
    let status = put(&world, "second", fields(&server, Change::Set(KEY.into()))).await.unwrap();
    assert_eq!(
        (status.status, status.has_api_key, status.models.as_slice()),
        (Reachability::Reachable, true, &["claude".to_owned()][..])
    );
    use_model(&world, "second/claude").await;
    server.script(Reply::text("Hello from there."));
    world.run("Hello").await;
    assert_eq!(server.last_request().unwrap().header("x-api-key"), Some(KEY));

    world.crash().await;
    assert_eq!(
        names(&world).await,
        [("test".to_owned(), Origin::File), ("second".to_owned(), Origin::Stored)]
    );
    server.script(Reply::text("And again."));
    world.run("Again").await;
    assert_eq!(server.requests().len(), 2);

    delete(&world, "second").await.unwrap();
    assert!(matches!(delete(&world, "second").await, Err(Error::NotFound("provider"))));
    assert_eq!(names(&world).await, [("test".to_owned(), Origin::File)]);
}

#[tokio::test]
async fn the_file_cannot_be_overruled() {
    let world = World::new().await;
    let server = ModelServer::start().await;
    for refused in
        [put(&world, "test", fields(&server, Change::Keep)).await.map(drop), delete(&world, "test").await]
    {
        assert!(matches!(refused, Err(Error::Conflict { code: "provider_fixed", .. })), "{refused:?}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_key_stays_with_its_address() {
    let world = World::new().await;
    let (server, elsewhere) = (ModelServer::start().await, ModelServer::start().await);
    put(&world, "second", fields(&server, Change::Set(KEY.into()))).await.unwrap();
    assert!(put(&world, "second", fields(&server, Change::Keep)).await.unwrap().has_api_key);

    let refused = put(&world, "second", fields(&elsewhere, Change::Keep)).await;
    assert!(matches!(refused, Err(Error::Invalid { code: "key_needed", .. })), "{refused:?}");
    assert_eq!(elsewhere.connections(), 0);
    let tried = fields(&elsewhere, Change::Keep);
    let tested =
        world.house.on(|engine| async move { engine.test_provider("second", Some(tried)).await }).await;
    assert!(!tested.unwrap().has_api_key, "a test of a typed address does not use the stored key");

    let moved = put(&world, "second", fields(&elsewhere, Change::Reset)).await.unwrap();
    assert!(!moved.has_api_key);
}

#[tokio::test]
async fn a_test_stores_nothing_and_says_what_is_wrong() {
    let world = World::new().await;
    let server = ModelServer::start().await;
    server.models_reply(Reply::status(401));
    let pasted = fields(&server, Change::Set(KEY.into()));
    let tested = world
        .house
        .on(|engine| async move { engine.test_provider("new", Some(pasted)).await })
        .await
        .unwrap();
    assert_eq!(tested.status, Reachability::Failed);
    assert!(tested.advice.is_some_and(|advice| advice.contains("API key")));
    assert!(!tested.detail.unwrap().contains(KEY));
    assert_eq!(names(&world).await.len(), 1);
    let unknown = world.house.on(|engine| async move { engine.test_provider("new", None).await }).await;
    assert!(matches!(unknown, Err(Error::NotFound("provider"))));
}

#[tokio::test]
async fn nonsense_is_refused_before_anything_is_stored() {
    let world = World::new().await;
    let with =
        |base_url: &str| ProviderFields { base_url: Some(base_url.into()), ..ProviderFields::default() };
    for (name, fields) in [
        ("demo", with("http://127.0.0.1:9/v1")),
        ("a/b", with("http://127.0.0.1:9/v1")),
        ("", with("http://127.0.0.1:9/v1")),
        ("x", ProviderFields::default()),
        ("x", with("ftp://127.0.0.1")),
        ("x", with("file:///etc/passwd")),
        ("x", with("http://me:secret@127.0.0.1:9/v1")),
        ("x", with("nonsense")),
        ("x", ProviderFields { api_key: Change::Set(" ".into()), ..with("http://127.0.0.1:9/v1") }),
        ("x", ProviderFields { models: vec![String::new()], ..with("http://127.0.0.1:9/v1") }),
    ] {
        let refused = put(&world, name, fields).await;
        assert!(matches!(refused, Err(Error::Invalid { .. })), "{name}: {refused:?}");
        assert!(!format!("{refused:?}").contains("secret"));
    }
    assert_eq!(names(&world).await.len(), 1);
}
