//! Looking for words in what a person has.

use super::{MEMORY, Owner, PAGE, misled, person, words};
use crate::world::{World, at};
use domain::{EntryState, EntryText, KnowledgeEntry, KnowledgeStore};
use store::{
    Error, Tx,
    knowledge::{self, EntryFilter, EntryHunt, EntryName},
};

/// Where an agent looks.
fn told() -> Vec<EntryFilter> {
    let part = |store, state| EntryFilter { store, state, now: at(100), is_told: false };
    let states = [EntryState::Kept, EntryState::Proposed];
    states.into_iter().flat_map(|state| [part(MEMORY, state), part(PAGE, state)]).collect()
}

fn page(title: &str, body: &str) -> EntryText {
    EntryText { title: Some(title.to_owned()), body: body.to_owned(), ..EntryText::default() }
}

type Found = (Vec<(KnowledgeStore, u64, String)>, u64);

fn seen(found: Vec<(KnowledgeEntry, String)>) -> Vec<(KnowledgeStore, u64, String)> {
    found.into_iter().map(|(entry, line)| (entry.store, entry.number, line)).collect()
}

impl Owner<'_> {
    /// Everything, in pieces of so many entries that all belong to one search.
    async fn hunts(&self, text: &str, takes_untrusted: bool, steps: u32) -> Found {
        let mut hunt = EntryHunt::new(text, told(), takes_untrusted).unwrap();
        while hunt.cursor().is_some() {
            let (key, user) = (self.key.clone(), self.user);
            let look = move |tx: &mut Tx| {
                let mut left = steps;
                hunt.look_on(tx, &key, user, || {
                    left = left.saturating_sub(1);
                    left == 0
                })?;
                Ok(hunt)
            };
            hunt = self.world.store.read(look).await.unwrap();
        }
        let left_out = hunt.left_out();
        let (key, user) = (self.key.clone(), self.user);
        let best = self.world.store.read(move |tx: &mut Tx| hunt.best(tx, &key, user, 20)).await.unwrap();
        (seen(best), left_out)
    }
}

pub async fn what_fits_best_is_found_whatever_the_pieces(world: World) {
    let owner = Owner::of(&world);
    for number in 0..520 {
        owner.remember(&format!("fact {number}"), person(1)).await;
    }
    owner.remember("Lentils with salt.", person(2)).await;
    let recipes = page("Lentils", "Lentils, lentils and more.");
    owner.create(PAGE, recipes, person(3)).await.unwrap();
    let expected = vec![
        (PAGE, 1, "Lentils, lentils and more.".to_owned()),
        (MEMORY, 521, "Lentils with salt.".to_owned()),
    ];
    for steps in [u32::MAX, 100] {
        assert_eq!(owner.hunts("LENTILS", false, steps).await, (expected.clone(), 0), "{steps}");
        assert_eq!(owner.hunts("nothing", false, steps).await, (Vec::new(), 0));
    }
    // What has ended by itself, or was deleted, is not found.
    let ended = knowledge::EntryEdit { until: Some(Some(at(50))), ..Default::default() };
    owner.change(EntryName::Number(MEMORY, 521), ended, person(4)).await.unwrap();
    owner.remove(EntryName::Number(PAGE, 1), person(4)).await.unwrap();
    assert_eq!(owner.hunts("lentils", true, u32::MAX).await, (Vec::new(), 0));
}

/// THREAT[memory-05]
pub async fn what_waits_is_found_only_where_it_is_asked_for(world: World) {
    let owner = Owner::of(&world);
    owner.remember("Invoices go to Ada.", person(1)).await;
    owner.remember("Invoices go to eve.example.", misled(2)).await;
    // Of an entry in force only what is in force: once.
    owner.change(EntryName::Number(MEMORY, 1), words("Invoices go to Eve."), misled(3)).await.unwrap();
    let kept = (MEMORY, 1, "Invoices go to Ada.".to_owned());
    let waiting = (MEMORY, 2, "Invoices go to eve.example.".to_owned());
    assert_eq!(owner.hunts("invoices", false, u32::MAX).await, (vec![kept.clone()], 1));
    assert_eq!(owner.hunts("example", false, u32::MAX).await, (Vec::new(), 1), "it is counted");
    assert_eq!(owner.hunts("nothing", false, u32::MAX).await, (Vec::new(), 0), "where it has the words");
    let (found, left_out) = owner.hunts("invoices", true, u32::MAX).await;
    assert_eq!((found.len(), left_out), (2, 0));
    assert!(found.contains(&kept) && found.contains(&waiting), "{found:?}");
}

pub async fn each_person_finds_their_own(world: World) {
    let owner = Owner::of(&world);
    owner.remember("The key is under the pot.", person(1)).await;
    let (user, key, ..) = world.stranger().await;
    let stranger = Owner { world: &world, user, key };
    assert_eq!(stranger.hunts("key", true, u32::MAX).await, (Vec::new(), 0));
    assert_eq!(owner.hunts("key", true, u32::MAX).await.0.len(), 1);
    for bad in ["", "x", "1", "4.0", "0.-1", "0.1.2"] {
        let hunt = EntryHunt::new("key", told(), true).unwrap();
        assert_eq!(hunt.from_cursor(bad).err(), Some(Error::BadCursor), "{bad}");
    }
}
