use crate::world::{World, at, new_session, uuid};
use domain::SessionId;
use store::{Conflict, Error, Result, Tx, args, sessions};

const NOTE: &str = "INSERT INTO meta (name, value) VALUES ($1, $2)";

pub async fn a_failing_closure_leaves_nothing(world: World) {
    let failing = |tx: &mut Tx| -> Result<()> {
        tx.run(NOTE, args!["half", vec![1_u8]])?;
        Err(Error::Fenced)
    };
    let before = world.store.counts().commits;
    assert_eq!(world.store.write(failing).await, Err(Error::Fenced));
    assert_eq!(world.count("meta WHERE name = 'half'").await, 0);
    assert_eq!(world.store.counts().commits, before);
}

/// A client hangs up at any moment of a read. What writes next on the same connection is not held to that read's view.
pub async fn a_read_that_is_given_up_leaves_nothing_open(world: World) {
    // Further and further into it.
    for polls in (0..120).map(|round| round * round / 4) {
        {
            let count = |tx: &mut Tx| tx.one::<u64>("SELECT COUNT(*) FROM meta", args![]);
            let mut read = std::pin::pin!(world.store.read(count));
            for _ in 0..polls {
                if futures_util::poll!(&mut read).is_ready() {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        let name = uuid().to_string();
        let note = move |tx: &mut Tx| tx.run(NOTE, args![name, vec![1_u8]]);
        assert_eq!(world.store.write(note).await, Ok(1), "after {polls} polls");
    }
    // Nor does anything see a state of before.
    let seen = world.count("meta WHERE length(name) = 36").await;
    assert_eq!(seen, 120);
}

/// A reason of the caller's own.
#[derive(Debug, PartialEq)]
enum Refusal {
    TooLate(u8),
    Store(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

pub async fn a_refusal_comes_back_as_what_it_is(world: World) {
    let before = world.store.counts().commits;
    let refusing = |tx: &mut Tx| -> Result<(), Refusal> {
        tx.run(NOTE, args!["half", vec![1_u8]])?;
        Err(Refusal::TooLate(7))
    };
    assert_eq!(world.store.attempt(refusing).await, Err(Refusal::TooLate(7)));
    // What the database refuses is told as that, and a reason that the closure makes of it as the closure's.
    let doubling = |tx: &mut Tx| -> Result<(), Refusal> {
        for _ in 0..2 {
            tx.run(NOTE, args!["half", vec![1_u8]])?;
        }
        Ok(())
    };
    let refused = world.store.attempt(doubling).await;
    assert!(matches!(refused, Err(Refusal::Store(Error::Conflict(Conflict::SameKey(_))))), "{refused:?}");
    let meaning = |tx: &mut Tx| -> Result<(), Refusal> {
        tx.run(NOTE, args!["half", vec![1_u8]])?;
        tx.run(NOTE, args!["half", vec![1_u8]]).map(drop).map_err(|_| Refusal::TooLate(8))
    };
    assert_eq!(world.store.attempt(meaning).await, Err(Refusal::TooLate(8)));
    assert_eq!(world.count("meta WHERE name = 'half'").await, 0);
    assert_eq!(world.store.counts().commits, before);
    let keeping = |tx: &mut Tx| -> Result<u64, Refusal> { Ok(tx.run(NOTE, args!["half", vec![1_u8]])?) };
    assert_eq!(world.store.attempt(keeping).await, Ok(1));
    world.store.close().await;
    let late = |_: &mut Tx| -> Result<(), Refusal> { Ok(()) };
    assert_eq!(world.store.attempt(late).await, Err(Refusal::Store(Error::Closed)));
}

pub async fn a_swallowed_error_leaves_nothing(world: World) {
    let swallowing = |tx: &mut Tx| {
        tx.run(NOTE, args!["half", vec![1_u8]])?;
        let doubled = tx.run(NOTE, args!["half", vec![2_u8]]);
        assert!(matches!(doubled, Err(Error::Conflict(_))), "{doubled:?}");
        // Both engines refuse to go on.
        assert!(tx.run(NOTE, args!["other", vec![3_u8]]).is_err());
        Ok(())
    };
    let refused = world.store.write(swallowing).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    assert_eq!(world.count("meta WHERE name IN ('half', 'other')").await, 0);
    // The next transaction is a fresh one.
    let next = |tx: &mut Tx| tx.run(NOTE, args!["half", vec![1_u8]]);
    assert_eq!(world.store.write(next).await, Ok(1));
}

pub async fn a_panic_leaves_nothing(world: World) {
    let panicking = |tx: &mut Tx| -> Result<()> {
        tx.run(NOTE, args!["half", vec![1_u8]])?;
        panic!("on purpose");
    };
    assert_eq!(world.store.write(panicking).await, Err(Error::Panicked));
    let panicking_read = |_: &mut Tx| -> Result<()> { panic!("on purpose") };
    for _ in 0..8 {
        assert_eq!(world.store.read(panicking_read).await, Err(Error::Panicked));
    }
    assert_eq!(world.count("meta WHERE name = 'half'").await, 0);
}

pub async fn a_read_cannot_write(world: World) {
    let sneaky = |tx: &mut Tx| tx.run(NOTE, args!["sneaky", vec![1_u8]]);
    assert!(world.store.read(sneaky).await.is_err());
    assert_eq!(world.count("meta WHERE name = 'sneaky'").await, 0);
}

pub async fn references_are_checked(world: World) {
    let nowhere = SessionId::from_uuid(uuid());
    let dangling = move |tx: &mut Tx| {
        let sql = "INSERT INTO events (session_id, seq, at, type) VALUES ($1, 1, 0, 'error')";
        tx.run(sql, args![nowhere])
    };
    let refused = world.store.write(dangling).await;
    assert!(matches!(refused, Err(Error::Constraint(_))), "{refused:?}");
}

pub async fn statements_and_commits_are_counted(world: World) {
    let before = world.store.counts();
    let two = |tx: &mut Tx| {
        tx.run(NOTE, args!["a", vec![1_u8]])?;
        tx.run(NOTE, args!["b", vec![1_u8]])
    };
    world.store.write(two).await.unwrap();
    let after = world.store.counts();
    assert_eq!((after.statements - before.statements, after.commits - before.commits), (2, 1));
    world.count("meta").await;
    let read = world.store.counts();
    assert_eq!((read.statements - after.statements, read.commits - after.commits), (1, 0));
    // Wide inserts are split, and every row arrives.
    let many = |tx: &mut Tx| {
        let values = (0..1_200).flat_map(|n| args![format!("many{n}"), vec![0_u8]]).collect();
        tx.insert("INSERT INTO meta (name, value)", 2, values)
    };
    assert_eq!(world.store.write(many).await, Ok(1_200));
    assert_eq!(world.store.counts().statements - read.statements, 3);
}

/// Many writers of one session, of whom some fail after they took their numbers.
pub async fn numbers_have_no_gap_under_many_writers(world: World) {
    const WRITERS: u64 = 32;
    const JOBS: u64 = 14;
    let (session, user) = (world.session, world.user);
    let mut writers = Vec::new();
    for writer in 0..WRITERS {
        let store = world.store.clone();
        writers.push(tokio::spawn(async move {
            let mut kept = 0_u64;
            for job in 0..JOBS {
                let fails = (writer + job) % 7 == 0;
                let take = move |tx: &mut Tx| {
                    let numbers = sessions::take_seq(tx, user, session, 3, at(1))?;
                    let values = numbers.each().flat_map(|seq| args![session, seq, 0_i64, "error"]).collect();
                    tx.insert("INSERT INTO events (session_id, seq, at, type)", 4, values)?;
                    if fails { Err(Error::Fenced) } else { Ok(()) }
                };
                match store.write(take).await {
                    Ok(()) => kept += 1,
                    Err(error) => assert_eq!(error, Error::Fenced),
                }
            }
            kept
        }));
    }
    let mut kept = 0;
    for writer in writers {
        kept += writer.await.unwrap();
    }
    assert!(kept < WRITERS * JOBS);
    let ends = |tx: &mut Tx| {
        let sql = "SELECT COUNT(*), MIN(seq), MAX(seq), (SELECT last_seq FROM sessions) FROM events";
        tx.one::<(u64, u64, u64, u64)>(sql, vec![])
    };
    assert_eq!(world.store.read(ends).await.unwrap(), (3 * kept, 1, 3 * kept, 3 * kept));
}

pub async fn a_closed_store_says_so(world: World) {
    let session = new_session(&world.agent, None);
    let key = world.key.clone();
    world.store.write(move |tx: &mut Tx| sessions::create(tx, &key, &session)).await.unwrap();
    world.store.close().await;
    let write = |tx: &mut Tx| tx.run(NOTE, args!["late", vec![1_u8]]);
    assert_eq!(world.store.write(write).await, Err(Error::Closed));
    let read = |tx: &mut Tx| tx.one::<u64>("SELECT COUNT(*) FROM meta", vec![]);
    assert_eq!(world.store.read(read).await, Err(Error::Closed));
    world.store.close().await;
    let again = store::Store::open(&world.url, world.master.clone()).await.unwrap();
    let count = |tx: &mut Tx| tx.one::<u64>("SELECT COUNT(*) FROM sessions", vec![]);
    assert_eq!(again.read(count).await, Ok(2));
}
