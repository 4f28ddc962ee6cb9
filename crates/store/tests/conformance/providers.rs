use crate::world::{World, at};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use store::{
    Error, Tx, args,
    providers::{self, StoredProvider},
};

pub fn provider(name: &str, key: Option<&str>) -> StoredProvider {
    StoredProvider {
        name: name.to_owned(),
        wire: "anthropic".to_owned(),
        base_url: "https://models.example".to_owned(),
        api_key: key.map(SecretString::from),
        models: vec!["a".to_owned()],
        free: Some(true),
        prices: json!({ "usual": { "input": 3 } }),
        images: [("a".to_owned(), true)].into(),
    }
}

async fn put(world: &World, provider: StoredProvider) {
    let vault = world.store.vault().clone();
    let write = move |tx: &mut Tx| providers::put(tx, &vault, &provider, at(1));
    world.store.write(write).await.unwrap();
}

async fn list(world: &World) -> store::Result<Vec<StoredProvider>> {
    let vault = world.store.vault().clone();
    world.store.read(move |tx: &mut Tx| providers::list(tx, &vault)).await
}

fn key(provider: &StoredProvider) -> Option<&str> {
    provider.api_key.as_ref().map(|key| key.expose_secret())
}

pub async fn a_provider_is_replaced_and_removed(world: World) {
    put(&world, provider("two", Some("sk-2"))).await;
    put(&world, provider("one", None)).await;
    put(&world, StoredProvider { base_url: "http://elsewhere".to_owned(), ..provider("two", Some("sk-3")) })
        .await;
    let [one, two] = list(&world).await.unwrap().try_into().unwrap();
    assert_eq!((one.name.as_str(), key(&one), one.free), ("one", None, Some(true)));
    assert_eq!(one.prices, json!({ "usual": { "input": 3 } }));
    assert_eq!(one.images, [("a".to_owned(), true)].into());
    assert_eq!((two.base_url.as_str(), key(&two), two.models.len()), ("http://elsewhere", Some("sk-3"), 1));
    assert!(!format!("{two:?}").contains("sk-3"));
    let vault = world.store.vault().clone();
    let (removed, again, found) = world
        .store
        .write(move |tx: &mut Tx| {
            let delete = |tx: &mut Tx| providers::delete(tx, &vault, "two", at(2));
            Ok((delete(tx)?, delete(tx)?, providers::get(tx, &vault, "two")?))
        })
        .await
        .unwrap();
    assert_eq!((removed, again, found.is_none()), (true, false, true));
}

/// Every change raises the version that is read together with each agent, also where the clock stands still.
pub async fn every_change_of_models_is_seen_with_the_next_agent(world: World) {
    let mut seen = vec![models_version(&world).await];
    assert_eq!(seen, [0], "nothing was ever stored");
    put(&world, provider("two", None)).await;
    seen.push(models_version(&world).await);
    for model in [Some("two/a"), None] {
        let vault = world.store.vault().clone();
        let write = move |tx: &mut Tx| providers::set_default_model(tx, &vault, model, at(1));
        world.store.write(write).await.unwrap();
        seen.push(models_version(&world).await);
        let vault = world.store.vault().clone();
        let stored = world.store.read(move |tx: &mut Tx| providers::stored(tx, &vault)).await.unwrap();
        assert_eq!((stored.default_model.as_deref(), stored.providers.len()), (model, 1));
        assert_eq!(Some(&stored.version), seen.last());
    }
    let vault = world.store.vault().clone();
    let remove = move |tx: &mut Tx| providers::delete(tx, &vault, "two", at(1));
    assert!(world.store.write(remove).await.unwrap());
    seen.push(models_version(&world).await);
    assert!(seen.is_sorted_by(|before, after| before < after), "{seen:?}");
}

async fn models_version(world: &World) -> u64 {
    let (vault, user, agent) = (world.store.vault().clone(), world.user, world.agent.id);
    let read = move |tx: &mut Tx| store::agents::get(tx, &vault, user, agent);
    world.store.read(read).await.unwrap().unwrap().models_version
}

pub async fn a_key_opens_only_under_its_own_name(world: World) {
    put(&world, provider("mine", Some("sk-secret"))).await;
    put(&world, provider("other", None)).await;
    assert!(list(&world).await.is_ok());
    world
        .tamper(
            "UPDATE providers SET body = (SELECT body FROM providers WHERE name = $1) WHERE name = $2",
            args!["mine", "other"],
        )
        .await;
    assert!(matches!(list(&world).await, Err(Error::Crypto { table: "providers", .. })));
    // It takes the others not with it.
    let vault = world.store.vault().clone();
    let stored = world.store.read(move |tx: &mut Tx| providers::stored(tx, &vault)).await.unwrap();
    let names: Vec<&str> = stored.providers.iter().map(|provider| provider.name.as_str()).collect();
    assert_eq!((names, stored.unreadable), (vec!["mine"], 1));
}
