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
    assert_eq!((two.base_url.as_str(), key(&two), two.models.len()), ("http://elsewhere", Some("sk-3"), 1));
    assert!(!format!("{two:?}").contains("sk-3"));
    let vault = world.store.vault().clone();
    let (removed, again, found) = world
        .store
        .write(move |tx: &mut Tx| {
            let removed = providers::delete(tx, "two")?;
            Ok((removed, providers::delete(tx, "two")?, providers::get(tx, &vault, "two")?))
        })
        .await
        .unwrap();
    assert_eq!((removed, again, found.is_none()), (true, false, true));
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
}
