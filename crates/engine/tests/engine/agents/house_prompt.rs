//! What an admin adds to every prompt, changed while other servers work on the same database.

use crate::world::{World, node};
use engine::{HouseFields, ProviderFields};
use provider::Wire;

/// The version that a server keeps stands for the words and for the providers: a change of one of them must not hide the other.
#[tokio::test]
async fn a_provider_that_one_server_adds_hides_no_words_that_another_has_set() {
    for world in World::of_both_kinds().await {
        let (first, mut other) = (world.engine().clone(), world.house(node(2)).await);
        let words = Some("Be brief.".to_owned());
        first.change_house(&world.me(), HouseFields { custom_prompt: words }).await.unwrap();
        let fields = ProviderFields {
            wire: Some(Wire::OpenAi),
            base_url: Some(world.model.url()),
            ..ProviderFields::default()
        };
        let user = world.user;
        let put = move |engine: engine::Engine| async move {
            engine.put_provider(user, "second".to_owned(), fields).await
        };
        other.on(put).await.unwrap();
        other.on(|engine| async move { engine.refresh_models().await }).await.unwrap();
        assert_eq!(other.engine.house().custom_prompt, "Be brief.");
        other.kill().await;
    }
}

/// As the admin who takes the words back at one server finds them gone at the other.
#[tokio::test]
async fn words_that_are_taken_back_are_gone_at_every_server() {
    for world in World::of_both_kinds().await {
        let (first, mut other) = (world.engine().clone(), world.house(node(2)).await);
        let words = Some("Be brief.".to_owned());
        first.change_house(&world.me(), HouseFields { custom_prompt: words }).await.unwrap();
        other.engine.refresh_models().await.unwrap();
        assert!(other.engine.house().is_set);
        first.change_house(&world.me(), HouseFields { custom_prompt: None }).await.unwrap();
        assert!(!first.house().is_set);
        other.engine.refresh_models().await.unwrap();
        assert!(!other.engine.house().is_set);
        other.kill().await;
    }
}
