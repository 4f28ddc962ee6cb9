//! Files, forks, versions and titles, cut off on both sides of their commits.

use crate::{Trap, answers, world::World};
use engine::{Fork, NewFile};
use fail::FailScenario;
use store::Tx;
use testkit::model::Reply;

const TEXT: &[u8] = b"Two onions, one carrot.";

impl World {
    async fn count(&self, table: &str) -> u64 {
        let sql = format!("SELECT COUNT(*) FROM {table}");
        self.store.read(move |tx: &mut Tx| tx.one(&sql, Vec::new())).await.unwrap()
    }

    async fn hand_in(&self) -> engine::Result<domain::Upload> {
        let user = self.user;
        let work = |engine: engine::Engine| async move {
            let file = NewFile { name: "soup.txt".to_owned(), mime_type: None };
            let mut receiving = engine.receive(user, file).await?.keyed(Some("soup".to_owned()))?;
            receiving.push(TEXT).await?;
            receiving.finish().await
        };
        self.try_on(work).await
    }

    async fn fork(&self) -> engine::Result<domain::Session> {
        let (user, session) = (self.user, self.session);
        let key = Some("fork".to_owned());
        self.try_on(|engine| async move { engine.fork_session(user, session, Fork::default(), key).await })
            .await
    }

    /// Like `house.on`, for what may be cut off: then it is an error like any other that nobody acknowledged.
    pub(crate) async fn try_on<T, F>(&self, work: impl FnOnce(engine::Engine) -> F) -> engine::Result<T>
    where
        T: Send + 'static,
        F: Future<Output = engine::Result<T>> + Send + 'static,
    {
        let task = self.house.handle().spawn(work(self.engine().clone()));
        task.await.unwrap_or(Err(engine::Error::Internal))
    }
}

#[tokio::test]
async fn a_file_is_there_once_or_was_never_acknowledged() {
    let scenario = FailScenario::setup();
    for point in ["upload_before_commit", "upload_after_commit"] {
        let mut world = World::new().await;
        let trap = Trap::set(point, 1);
        assert!(world.hand_in().await.is_err(), "it was acknowledged although it was cut off");
        trap.disarm();
        world.crash().await;
        let upload = world.hand_in().await.unwrap();
        let mut download = world.engine().upload(world.user, upload.id).await.unwrap();
        assert_eq!(download.next().await.unwrap().as_deref(), Some(TEXT), "{point}");
        let complete = "SELECT COUNT(*) FROM uploads WHERE complete = 1";
        let complete: u64 = world.store.read(move |tx: &mut Tx| tx.one(complete, Vec::new())).await.unwrap();
        assert_eq!(complete, 1, "{point}");
    }
    scenario.teardown();
}

#[tokio::test]
async fn a_fork_is_there_once_or_was_never_acknowledged() {
    let scenario = FailScenario::setup();
    for point in ["fork_between_pieces", "fork_before_commit", "fork_after_commit"] {
        let mut world = World::new().await;
        answers(&world);
        let accepted = world.post("rest").await;
        world.ended(accepted).await;
        let trap = Trap::set(point, 1);
        assert!(world.fork().await.is_err(), "it was acknowledged although it was cut off");
        trap.disarm();
        world.crash().await;
        let fork = world.fork().await.unwrap();
        assert_eq!((fork.message_count, fork.parent_id), (2, Some(world.session)), "{point}");
        let (user, page) = (world.user, store::Page::first(10));
        let filter = store::sessions::SessionFilter::default();
        assert_eq!(world.engine().sessions(user, filter, page).await.unwrap().total, 2, "{point}");
        // What was cut off is seen by nobody, and is gone after a while.
        let left = u64::from(point != "fork_after_commit");
        assert_eq!(world.count("sessions").await, 2 + left, "{point}");
        world.clock.advance(2 * 3_600 * 1_000);
        world.engine().drop_unfinished_forks().await.unwrap();
        assert_eq!(world.count("sessions").await, 2, "{point}");
        world.check(&["rest"]).await;
    }
    scenario.teardown();
}

/// A version is there with its message and in the lists, or not at all.
#[tokio::test]
async fn a_version_is_there_whole_or_not_at_all() {
    let scenario = FailScenario::setup();
    for point in ["fork_between_pieces", "fork_before_commit", "fork_after_commit"] {
        let mut world = World::new().await;
        answers(&world);
        for text in ["rest", "rest"] {
            let accepted = world.post(text).await;
            world.ended(accepted).await;
        }
        let seq = world.messages().await.iter().rev().find(|one| one.role == domain::Role::User).unwrap().seq;
        let (user, first) = (world.user, world.session);
        let version = async |world: &World| {
            let content = Some("rest".to_owned());
            let new = engine::NewVersion { seq, content, attachments: None, typed: false, model: None };
            let key = Some("k".to_owned());
            let make = |engine: engine::Engine| async move {
                engine.create_version(user, first, new, domain::Source::Web, key).await
            };
            world.try_on(make).await
        };
        let trap = Trap::set(point, 1);
        assert!(version(&world).await.is_err(), "it was acknowledged although it was cut off");
        trap.disarm();
        world.crash().await;
        let is_there = usize::from(point == "fork_after_commit");
        let told = world.engine().versions(user, first).await.unwrap();
        assert_eq!(told.len(), is_there, "{point}: {told:?}");
        assert_eq!(world.session().await.keeping.hidden, is_there == 1, "{point}");
        let (made, accepted) = version(&world).await.unwrap();
        assert_eq!(accepted.repeated, is_there == 1, "{point}");
        world.session = made.id;
        world.ended(accepted).await;
        assert_eq!(world.messages().await.len(), 4, "{point}");
        let told = world.engine().versions(user, first).await.unwrap();
        assert_eq!(told.iter().map(|one| one.sessions.len()).collect::<Vec<_>>(), [2], "{point}");
    }
    scenario.teardown();
}

#[tokio::test]
async fn a_title_is_given_once_whatever_cuts_it_off() {
    let scenario = FailScenario::setup();
    let points =
        ["title_try_before_commit", "title_try_after_commit", "title_before_commit", "title_after_commit"];
    for point in points {
        let mut world = World::with(|setup| setup.settings.summaries.titles = true).await;
        world.model.respond(|request| match request.last_user().starts_with("Write a title") {
            true => Reply::text("Dinner plans"),
            false => Reply::text("Soup."),
        });
        let trap = Trap::set(point, 1);
        let accepted = world.post("What is for dinner?").await;
        world.ended(accepted).await;
        trap.sprung().await;
        trap.disarm();
        world.crash().await;
        let named = |event: &domain::Envelope| event.type_name() == "session_updated";
        let mut reader = world.follow_from(0).await;
        // A try that was never noted is nobody's to repeat: the session stays without a name.
        if point == "title_try_before_commit" {
            assert_eq!(world.session().await.name, None);
        } else {
            crate::world::until(&mut reader, named).await;
            assert_eq!(world.session().await.name.as_deref(), Some("Dinner plans"), "{point}");
        }
        let given =
            world.log().await.iter().filter(|event| event.body.type_name() == "session_updated").count();
        assert!(given <= 1, "{point}: it was given twice");
        assert_eq!(world.messages().await.len(), 2, "{point}");
        world.model.assert_clean();
    }
    scenario.teardown();
}
