use crate::world::{World, at, new_user};
use domain::UserRole;
use store::{
    Tx,
    known_places::{self, SignInPlace},
};

pub async fn a_place_is_known_to_who_signed_in_there(world: World) {
    let vault = world.store.vault().clone();
    let (grace, mary) = (new_user("Grace", UserRole::Member), new_user("Mary", UserRole::Member));
    let (home, browser) = (SignInPlace::Address("192.0.2.1"), SignInPlace::Browser("192.0.2.1"));
    let write = async move |tx: &mut Tx| {
        let (user, other) = (grace.id, mary.id);
        store::users::create(tx, &vault, grace).await?;
        store::users::create(tx, &vault, mary).await?;
        assert!(!known_places::is_known(tx, &vault, "Grace", home).await?);
        known_places::remember(tx, &vault, user, &[home], at(1)).await?;
        known_places::remember(tx, &vault, user, &[home], at(2)).await?;
        assert!(known_places::is_known(tx, &vault, "grace", home).await?);
        // Somebody else, another kind of place, a name that nobody has.
        assert!(!known_places::is_known(tx, &vault, "Mary", home).await?);
        assert!(!known_places::is_known(tx, &vault, "Grace", browser).await?);
        assert!(!known_places::is_known(tx, &vault, "Nobody", home).await?);
        assert!(known_places::is_known_to_anybody(tx, &vault, home).await?);
        assert!(!known_places::is_known_to_anybody(tx, &vault, browser).await?);
        // The oldest gives way, and only to places of the same person.
        known_places::remember(tx, &vault, other, &[home], at(1)).await?;
        for number in 0..50 {
            let address = format!("203.0.113.{number}");
            known_places::remember(tx, &vault, user, &[SignInPlace::Address(&address)], at(3)).await?;
        }
        assert!(!known_places::is_known(tx, &vault, "Grace", home).await?);
        assert!(known_places::is_known(tx, &vault, "Grace", SignInPlace::Address("203.0.113.49")).await?);
        assert!(known_places::is_known(tx, &vault, "Mary", home).await?);
        Ok(())
    };
    world.store.write(write).await.unwrap();
}
