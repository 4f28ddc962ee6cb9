use crate::world::{World, at, uuid};
use domain::{Ability, AbilityId, AbilityKind, AbilityText, UserId};
use store::{
    Conflict, Error, Page, Result, Tx,
    abilities::{self, AllAbilities},
    agents, args,
};

pub fn ability(user_id: UserId, name: &str) -> Ability {
    let text = AbilityText {
        name: name.to_owned(),
        kind: AbilityKind::Conditional,
        content: name.to_owned(),
        condition: Some(name.to_owned()),
        description: name.to_owned(),
        category: Some(name.to_owned()),
        tags: vec![name.to_owned()],
        ..AbilityText::default()
    };
    let id = AbilityId::from_uuid(uuid());
    Ability { id, user_id, text, created_at: at(0), updated_at: at(0) }
}

async fn create(world: &World, ability: &Ability, most: u64) -> Result<bool> {
    let (key, ability) = (world.store.data_key(ability.user_id).await.unwrap(), ability.clone());
    world.store.write(move |tx: &mut Tx| abilities::create(tx, &key, &ability, most)).await
}

async fn update(world: &World, ability: &Ability) -> Result<bool> {
    let (key, ability) = (world.store.data_key(ability.user_id).await.unwrap(), ability.clone());
    world.store.write(move |tx: &mut Tx| abilities::update(tx, &key, &ability)).await
}

async fn all(world: &World, user: UserId) -> Result<AllAbilities> {
    let key = world.store.data_key(user).await.unwrap();
    world.store.read(move |tx: &mut Tx| abilities::all(tx, &key, user)).await
}

pub async fn plant(world: &World, word: &str) {
    assert!(create(world, &ability(world.user, word), 9).await.unwrap());
}

pub async fn an_ability_comes_back_as_it_was_stored(world: World) {
    let user = world.user;
    let (first, second) = (ability(user, "first"), ability(user, "second"));
    assert!(create(&world, &first, 2).await.unwrap());
    assert!(create(&world, &second, 2).await.unwrap());
    assert!(!create(&world, &ability(user, "third"), 2).await.unwrap(), "there is a limit");
    let kept = all(&world, user).await.unwrap();
    assert_eq!(kept.readable, [first.clone(), second.clone()]);
    let key = world.key.clone();
    let id = first.id;
    let read = move |tx: &mut Tx| {
        let by_id = abilities::get(tx, &key, user, id)?;
        let by_name = abilities::by_name(tx, &key, user, "FIRST")?;
        let page = abilities::list(tx, &key, user, Page { limit: 1, cursor: None })?;
        Ok((by_id, by_name, page))
    };
    let (by_id, by_name, page) = world.store.read(read).await.unwrap();
    assert_eq!((by_id, by_name), (Some(first.clone()), Some(first.clone())));
    assert_eq!((page.items, page.total), (vec![first.clone()], 2));
    assert!(page.next_cursor.is_some());

    let mut renamed = Ability { updated_at: at(5), ..first };
    renamed.text.name = "second".to_owned();
    assert!(matches!(update(&world, &renamed).await, Err(Error::Conflict(_))));
    renamed.text.name = "fourth".to_owned();
    assert!(update(&world, &renamed).await.unwrap());
    assert_eq!(all(&world, user).await.unwrap().readable, [renamed, second]);
}

/// Two of them are given one name at the same time, again and again: one has it, the other is told that it is taken.
pub async fn of_two_that_want_one_name_one_is_told(world: World) {
    let mut pair = [ability(world.user, "left"), ability(world.user, "right")];
    for one in &pair {
        assert!(create(&world, one, 9).await.unwrap());
    }
    for round in 0..20 {
        for one in &mut pair {
            one.text.name = format!("wanted_{round}");
        }
        let told = tokio::join!(update(&world, &pair[0]), update(&world, &pair[1]));
        match told {
            (Ok(true), Err(refused)) | (Err(refused), Ok(true)) => {
                assert_eq!(refused, Error::Conflict(Conflict::AbilityName), "{round}");
            }
            other => panic!("{other:?}"),
        }
    }
}

pub async fn every_change_makes_the_version_grow(world: World) {
    let (user, agent) = (world.user, world.agent.id);
    let vault = world.store.vault().clone();
    let told = async || {
        let vault = vault.clone();
        let read = move |tx: &mut Tx| agents::get(tx, &vault, user, agent);
        world.store.read(read).await.unwrap().unwrap().abilities_version
    };
    assert_eq!(told().await, 0);
    let mine = ability(user, "mine");
    create(&world, &mine, 9).await.unwrap();
    assert_eq!(told().await, 1, "the agent comes with it");
    update(&world, &mine).await.unwrap();
    assert_eq!(told().await, 2);
    let id = mine.id;
    let deleted = world.store.write(move |tx: &mut Tx| abilities::delete(tx, user, id)).await;
    assert!(deleted.unwrap());
    assert_eq!(told().await, 3);
    let none = AllAbilities { version: 3, readable: Vec::new(), unreadable: 0 };
    assert_eq!(all(&world, user).await.unwrap(), none);
    let refused = create(&world, &mine, 0).await.unwrap();
    assert!(!refused);
}

/// One that is damaged takes no other with it.
pub async fn an_ability_that_cannot_be_read_is_counted(world: World) {
    let (damaged, sound) = (ability(world.user, "damaged"), ability(world.user, "sound"));
    create(&world, &damaged, 9).await.unwrap();
    create(&world, &sound, 9).await.unwrap();
    world.tamper("UPDATE abilities SET body = $1 WHERE id = $2", args![vec![7_u8; 80], damaged.id]).await;
    let found = all(&world, world.user).await.unwrap();
    assert_eq!(found, AllAbilities { version: 2, readable: vec![sound], unreadable: 1 });
}

pub async fn abilities_are_their_owners_own(world: World) {
    let (stranger, stranger_key, ..) = world.stranger().await;
    let mine = ability(world.user, "shared_name");
    create(&world, &mine, 9).await.unwrap();
    assert!(create(&world, &ability(stranger, "shared_name"), 9).await.unwrap(), "names are per person");
    let (id, key) = (mine.id, stranger_key.clone());
    let read = move |tx: &mut Tx| abilities::get(tx, &key, stranger, id);
    assert_eq!(world.store.read(read).await.unwrap(), None);
    let deleted = world.store.write(move |tx: &mut Tx| abilities::delete(tx, stranger, id)).await;
    assert!(!deleted.unwrap());
    let mut theirs = Ability { user_id: stranger, ..mine };
    theirs.text.name = "another".to_owned();
    assert!(!update(&world, &theirs).await.unwrap());
    // The control: with somebody else's key it would not open, either.
    world.tamper("UPDATE abilities SET user_id = $1 WHERE id = $2", args![stranger, id]).await;
    let read = move |tx: &mut Tx| abilities::get(tx, &stranger_key, stranger, id);
    let refused = world.store.read(read).await.unwrap_err();
    assert_eq!(refused, Error::Crypto { table: "abilities", column: "body" });
}
