//! What agents remember: every change is a version, what others had a say in waits for its person, and each person has their own.

use crate::world::{World, at, uuid};
use domain::{
    AgentId, CallId, EntryAction, EntryAuthor, EntryId, EntryOrigin, EntryState, EntryText, KnowledgeEntry,
    KnowledgeStore, Label, SessionId, UserId, VersionState,
    knowledge::{EntryRefusal, ToldKnowledge},
};
use store::{
    DataKey, Error, Page, Tx, args,
    knowledge::{self, EntryChanged, EntryEdit, EntryFilter, EntryName, EntryWriter, KnowledgeLimits},
};

mod flush;
mod hunt;
mod review;

pub use flush::*;
pub use hunt::*;
pub use review::*;

const MEMORY: KnowledgeStore = KnowledgeStore::Memory;
const PAGE: KnowledgeStore = KnowledgeStore::Scratchpad;

type EntryOutcome<T> = Result<T, EntryRefusal>;

fn writer(by: EntryAuthor, label: Label, millis: i64) -> EntryWriter {
    let agent = by == EntryAuthor::Agent;
    let origin = EntryOrigin {
        agent_id: agent.then(|| AgentId::from_uuid(uuid())),
        session_id: agent.then(|| SessionId::from_uuid(uuid())),
        call_id: agent.then(|| CallId::from_uuid(uuid())),
        by,
        ..EntryOrigin::person(at(millis))
    };
    EntryWriter { origin, label, is_reviewed: true, limits: KnowledgeLimits::default() }
}

fn person(millis: i64) -> EntryWriter {
    writer(EntryAuthor::Person, Label::TRUSTED_PRIVATE, millis)
}

/// An agent that has read nothing of others.
fn agent(millis: i64) -> EntryWriter {
    writer(EntryAuthor::Agent, Label::TRUSTED_PRIVATE, millis)
}

/// An agent that has read a page.
fn misled(millis: i64) -> EntryWriter {
    writer(EntryAuthor::Agent, Label::UNTRUSTED_PUBLIC, millis)
}

fn memory(body: &str) -> EntryText {
    EntryText { body: body.to_owned(), ..EntryText::default() }
}

fn words(body: &str) -> EntryEdit {
    EntryEdit { body: Some(body.to_owned()), ..EntryEdit::default() }
}

/// One person, and what they do.
struct Owner<'a> {
    world: &'a World,
    user: UserId,
    key: DataKey,
}

impl<'a> Owner<'a> {
    fn of(world: &'a World) -> Self {
        Self { world, user: world.user, key: world.key.clone() }
    }

    async fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut Tx, &DataKey, UserId) -> store::Result<T> + Send + 'static,
    ) -> T {
        let (key, user) = (self.key.clone(), self.user);
        self.world.store.write(move |tx: &mut Tx| work(tx, &key, user)).await.unwrap()
    }

    async fn create(
        &self,
        store: KnowledgeStore,
        text: EntryText,
        by: EntryWriter,
    ) -> EntryOutcome<EntryChanged> {
        let id = EntryId::from_uuid(uuid());
        self.write(move |tx, key, user| knowledge::create(tx, key, (user, id), (store, text.clone()), &by))
            .await
    }

    async fn remember(&self, body: &str, by: EntryWriter) -> KnowledgeEntry {
        self.create(MEMORY, memory(body), by).await.unwrap().entry
    }

    async fn change(&self, name: EntryName, edit: EntryEdit, by: EntryWriter) -> EntryOutcome<EntryChanged> {
        self.write(move |tx, key, user| knowledge::change(tx, key, (user, name), &edit, &by)).await
    }

    async fn remove(&self, name: EntryName, by: EntryWriter) -> EntryOutcome<EntryChanged> {
        self.write(move |tx, key, user| knowledge::remove(tx, key, (user, name), &by)).await
    }

    async fn review(&self, id: EntryId, seen: u64, keep: Option<EntryEdit>) -> EntryOutcome<KnowledgeEntry> {
        let by = person(50);
        self.write(move |tx, key, user| knowledge::review(tx, key, (user, id, seen), keep.as_ref(), &by))
            .await
    }

    async fn undo(&self, id: EntryId, to: Option<u64>) -> EntryOutcome<KnowledgeEntry> {
        self.write(move |tx, key, user| knowledge::undo(tx, key, (user, id), to, &person(60))).await
    }

    async fn undo_in(&self, session: SessionId) -> Option<KnowledgeEntry> {
        self.write(move |tx, key, user| knowledge::undo_in(tx, key, (user, session), &person(60)))
            .await
            .unwrap()
    }

    async fn purge(&self, id: EntryId) -> bool {
        self.write(move |tx, _, user| knowledge::purge(tx, user, id)).await
    }

    async fn get(&self, id: EntryId) -> Option<KnowledgeEntry> {
        self.write(move |tx, key, user| knowledge::get(tx, key, user, EntryName::Id(id))).await
    }

    async fn versions(&self, id: EntryId) -> Vec<(u64, EntryAction, VersionState, String)> {
        let found = self.write(move |tx, key, user| knowledge::versions(tx, key, user, id)).await;
        found.into_iter().map(|v| (v.version, v.action, v.state, v.text.body)).collect()
    }

    async fn told(&self, millis: i64) -> ToldKnowledge {
        self.write(move |tx, key, user| knowledge::told(tx, key, user, at(millis))).await
    }

    async fn told_words(&self, millis: i64) -> Vec<String> {
        self.told(millis).await.memories.into_iter().map(|memory| memory.body).collect()
    }

    async fn listed(&self, store: KnowledgeStore, state: EntryState, millis: i64) -> Vec<u64> {
        let filter = EntryFilter { store, state, now: at(millis), is_told: false };
        let list =
            move |tx: &mut Tx, key: &DataKey, user| knowledge::list(tx, key, user, filter, Page::first(100));
        let page = self.write(list).await;
        assert_eq!(page.total, page.items.len() as u64);
        page.items.into_iter().map(|entry| entry.number).collect()
    }
}

pub async fn plant(world: &World, word: &str) {
    let (owner, title) = (Owner::of(world), Some(word.to_owned()));
    let text = EntryText { title, ..memory(word) };
    owner.create(PAGE, text, person(0)).await.unwrap();
}

pub async fn an_entry_comes_back_as_it_was_written(world: World) {
    let owner = Owner::of(&world);
    let made = owner.create(MEMORY, memory("Bins go out on Tuesday."), agent(1)).await.unwrap();
    assert!(!made.waits);
    let entry = made.entry;
    assert_eq!((entry.number, entry.version, entry.state), (1, 1, EntryState::Kept));
    assert_eq!((entry.by_person, entry.label), (false, Label::TRUSTED_PRIVATE));
    assert_eq!(owner.get(entry.id).await, Some(entry.clone()));
    let title = Some("Recipes".to_owned());
    let text = EntryText { title, pinned: true, until: Some(at(900)), ..memory("Lentils.") };
    let page = owner.create(PAGE, text.clone(), person(2)).await.unwrap().entry;
    assert_eq!((page.number, page.by_person, &page.text), (1, true, &text));
    assert_eq!(owner.get(page.id).await, Some(page.clone()), "each store counts for itself");
    let second = owner.remember("Mum is called Ada.", agent(3)).await;
    assert_eq!(second.number, 2);
    let by_number = EntryName::Number(MEMORY, 2);
    let found = owner.write(move |tx, key, user| knowledge::get(tx, key, user, by_number)).await;
    assert_eq!(found, Some(second));
    assert_eq!(owner.listed(MEMORY, EntryState::Kept, 4).await, [1, 2]);
    assert_eq!(owner.listed(PAGE, EntryState::Kept, 4).await, [1]);
    let told = owner.told(4).await;
    assert_eq!(told.pages.iter().map(|page| page.title.as_str()).collect::<Vec<_>>(), ["Recipes"]);
    assert_eq!(told.memories.iter().map(|memory| memory.number).collect::<Vec<_>>(), [2, 1]);
    assert_eq!((told.more_memories, told.more_pages), (0, 0));
    let origin = {
        let id = entry.id;
        let found = owner.write(move |tx, key, user| knowledge::versions(tx, key, user, id)).await;
        found.into_iter().next().unwrap().origin
    };
    assert_eq!((origin.by, origin.at), (EntryAuthor::Agent, at(1)));
    assert!(origin.agent_id.is_some() && origin.session_id.is_some() && origin.call_id.is_some());
}

pub async fn every_change_is_a_version_and_can_be_undone(world: World) {
    let owner = Owner::of(&world);
    let entry = owner.remember("one", agent(1)).await;
    let name = EntryName::Id(entry.id);
    owner.change(name, words("two"), agent(2)).await.unwrap();
    owner.remove(name, agent(3)).await.unwrap();
    assert_eq!(owner.get(entry.id).await.unwrap().state, EntryState::Gone);
    assert_eq!(owner.listed(MEMORY, EntryState::Gone, 4).await, [1]);
    assert_eq!(owner.change(name, words("x"), agent(4)).await, Err(EntryRefusal::NotFound));
    assert_eq!(owner.remove(name, agent(4)).await, Err(EntryRefusal::NotFound));
    let back = owner.undo(entry.id, None).await.unwrap();
    assert_eq!((back.state, back.version, back.text.body.as_str()), (EntryState::Kept, 4, "two"));
    let first = owner.undo(entry.id, Some(1)).await.unwrap();
    assert_eq!((first.version, first.text.body.as_str()), (5, "one"));
    assert_eq!(owner.versions(entry.id).await.len(), 5);
    // Before the first version there was nothing; what was only proposed is nothing to go back to.
    let fresh = owner.remember("new", agent(5)).await;
    assert_eq!(owner.undo(fresh.id, None).await.unwrap().state, EntryState::Gone);
    let proposed = owner.remember("a page said so", misled(6)).await;
    for to in [None, Some(1), Some(7)] {
        assert_eq!(owner.undo(proposed.id, to).await, Err(EntryRefusal::NothingBefore));
    }
}

pub async fn the_last_change_of_a_conversation_is_undone(world: World) {
    let owner = Owner::of(&world);
    let (here, there) = (SessionId::from_uuid(uuid()), SessionId::from_uuid(uuid()));
    let said = |by: EntryWriter, session_id| EntryWriter {
        origin: EntryOrigin { session_id: Some(session_id), ..by.origin },
        ..by
    };
    assert_eq!(owner.undo_in(here).await, None);
    let first = owner.remember("one", said(person(1), here)).await;
    owner.remember("two", said(person(2), there)).await;
    let last = owner.remember("three", said(agent(3), here)).await;
    let undone = owner.undo_in(here).await.unwrap();
    assert_eq!((undone.id, undone.state), (last.id, EntryState::Gone));
    assert_eq!(owner.undo_in(here).await.unwrap().id, first.id, "what was undone is not undone again");
    assert_eq!(owner.undo_in(here).await, None);
    assert_eq!(owner.told_words(9).await, ["two"], "what was said elsewhere stays");
    // What was deleted comes back, and what was changed elsewhere since stays as it is.
    let entry = owner.remember("four", person(4)).await;
    owner.remove(EntryName::Id(entry.id), said(person(5), here)).await.unwrap();
    assert_eq!(owner.undo_in(here).await.unwrap().state, EntryState::Kept);
    owner.change(EntryName::Id(entry.id), words("five"), said(person(6), here)).await.unwrap();
    owner.change(EntryName::Id(entry.id), words("six"), person(7)).await.unwrap();
    assert_eq!(owner.undo_in(here).await, None);
    // What only waits was never in force.
    owner.remember("a page said so", said(misled(8), here)).await;
    assert_eq!(owner.undo_in(here).await, None);
    let (user, key, ..) = world.stranger().await;
    let other = Owner { world: &world, user, key };
    owner.remember("seven", said(person(9), here)).await;
    assert_eq!(other.undo_in(here).await, None, "it is its person's own");
}

pub async fn a_purged_entry_leaves_nothing(world: World) {
    let owner = Owner::of(&world);
    let entry = owner.remember("one", person(1)).await;
    owner.change(EntryName::Id(entry.id), words("two"), person(2)).await.unwrap();
    assert!(owner.purge(entry.id).await);
    assert!(!owner.purge(entry.id).await);
    for table in ["knowledge", "knowledge_versions"] {
        assert_eq!(world.count(table).await, 0, "{table}");
    }
    assert_eq!(owner.remember("three", person(3)).await.number, 2, "its number is not used again");
}

pub async fn an_entry_ends_by_itself(world: World) {
    let owner = Owner::of(&world);
    let text = EntryText { until: Some(at(10)), ..memory("Guests until Friday.") };
    let entry = owner.create(MEMORY, text.clone(), agent(1)).await.unwrap().entry;
    assert_eq!(owner.told_words(9).await, ["Guests until Friday."]);
    assert_eq!(owner.told_words(10).await, [] as [&str; 0]);
    assert_eq!(owner.listed(MEMORY, EntryState::Gone, 10).await, [entry.number]);
    assert_eq!(owner.listed(MEMORY, EntryState::Kept, 10).await, [] as [u64; 0]);
    assert!(owner.create(MEMORY, text, agent(11)).await.is_ok(), "what has ended is not said already");
}

pub async fn the_same_words_are_written_once(world: World) {
    let owner = Owner::of(&world);
    owner.remember("Bins go out on Tuesday.", agent(1)).await;
    let said = Err(EntryRefusal::SaidAlready { store: MEMORY, number: 1 });
    for again in ["bins go out on tuesday", " Bins, go out on TUESDAY! "] {
        assert_eq!(owner.create(MEMORY, memory(again), agent(2)).await, said);
        assert_eq!(owner.create(MEMORY, memory(again), person(2)).await, said);
    }
    let other = owner.remember("Bins go out on Monday.", agent(3)).await;
    let change = owner.change(EntryName::Id(other.id), words("Bins go out on Tuesday"), agent(4)).await;
    assert_eq!(change, said);
    // What a page proposed does not keep a person from saying the same.
    owner.create(MEMORY, memory("Tom is a cat."), misled(5)).await.unwrap();
    let twice = Err(EntryRefusal::SaidAlready { store: MEMORY, number: 3 });
    assert_eq!(owner.create(MEMORY, memory("tom is a cat"), misled(6)).await, twice);
    assert!(!owner.create(MEMORY, memory("Tom is a cat."), person(7)).await.unwrap().waits);
}

pub async fn there_is_a_limit(world: World) {
    let owner = Owner::of(&world);
    let limits = KnowledgeLimits { entries: 4, a_day_by_agents: 2, proposals: 1 };
    let with = |by: EntryWriter| EntryWriter { limits, ..by };
    owner.create(MEMORY, memory("one"), with(agent(1))).await.unwrap();
    owner.create(MEMORY, memory("two"), with(misled(1))).await.unwrap();
    let made = owner.create(MEMORY, memory("three"), with(agent(2))).await;
    assert_eq!(made, Err(EntryRefusal::TooManyToday));
    let tomorrow = 24 * 3_600 * 1_000 + 2;
    let made = owner.create(MEMORY, memory("three"), with(misled(tomorrow))).await;
    assert_eq!(made, Err(EntryRefusal::TooManyProposals));
    let own = owner.create(MEMORY, memory("three"), with(person(2))).await.unwrap().entry;
    let change = owner.change(EntryName::Id(own.id), words("3"), with(agent(3))).await;
    assert_eq!(change, Err(EntryRefusal::TooManyProposals));
    owner.create(MEMORY, memory("four"), with(person(2))).await.unwrap();
    let made = owner.create(MEMORY, memory("five"), with(person(2))).await;
    assert_eq!(made, Err(EntryRefusal::TooMany));
}

pub async fn an_entry_is_its_persons_own(world: World) {
    let owner = Owner::of(&world);
    let entry = owner.remember("mine", person(1)).await;
    let waiting = owner.remember("a page said so", misled(1)).await;
    let (user, key, ..) = world.stranger().await;
    let stranger = Owner { world: &world, user, key };
    let name = EntryName::Id(entry.id);
    assert_eq!(stranger.get(entry.id).await, None);
    assert_eq!(stranger.versions(entry.id).await, []);
    assert_eq!(stranger.change(name, words("theirs"), person(2)).await, Err(EntryRefusal::NotFound));
    assert_eq!(stranger.remove(name, person(2)).await, Err(EntryRefusal::NotFound));
    assert_eq!(stranger.undo(entry.id, None).await, Err(EntryRefusal::NotFound));
    let kept = stranger.review(waiting.id, 1, Some(EntryEdit::default())).await;
    assert_eq!(kept, Err(EntryRefusal::NotFound));
    assert!(!stranger.purge(entry.id).await);
    assert_eq!(stranger.told_words(3).await, [] as [&str; 0]);
    assert_eq!(stranger.listed(MEMORY, EntryState::Kept, 3).await, [] as [u64; 0]);
    assert_eq!(stranger.remember("mine", person(4)).await.number, 1, "each person counts for themself");
    assert_eq!(owner.get(entry.id).await, Some(entry));
    let removed = world.store.write(move |tx: &mut Tx| store::users::delete(tx, user)).await.unwrap();
    assert!(removed);
    assert_eq!(world.count("knowledge").await, 2, "what a removed person had goes with them");
    let refused = {
        let (key, user) = (stranger.key.clone(), stranger.user);
        let id = EntryId::from_uuid(uuid());
        let create =
            move |tx: &mut Tx| knowledge::create(tx, &key, (user, id), (MEMORY, memory("late")), &person(5));
        world.store.write(create).await
    };
    assert_eq!(refused.err(), Some(Error::NotFound));
}

pub async fn words_open_only_in_their_version(world: World) {
    let owner = Owner::of(&world);
    let entry = owner.remember("one", person(1)).await;
    owner.change(EntryName::Id(entry.id), words("two"), person(2)).await.unwrap();
    world
        .tamper(
            "UPDATE knowledge_versions SET body = \
             (SELECT o.body FROM knowledge_versions o WHERE o.entry_id = $1 AND o.version = 1) WHERE version = 2",
            args![entry.id],
        )
        .await;
    let (key, user) = (world.key.clone(), world.user);
    let read = move |tx: &mut Tx| knowledge::versions(tx, &key, user, entry.id);
    let refused = world.store.read(read).await.err();
    assert_eq!(refused, Some(Error::Crypto { table: "knowledge_versions", column: "body" }));
}
