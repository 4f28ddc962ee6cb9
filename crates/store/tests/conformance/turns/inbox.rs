use crate::world::{World, at, turn_id, uuid};
use domain::{Answers, InputId, InputMode, QuestionId, SessionId, Source, TurnId, TurnStatus, UserId};
use store::{
    Error, Tx,
    inbox::{self, Inserted, NewInput},
    turns::{self, NewTurn},
};

pub fn input(session: SessionId, user: UserId, turn: TurnId, key: Option<&str>, content: &str) -> NewInput {
    NewInput {
        id: InputId::from_uuid(uuid()),
        session_id: session,
        user_id: user,
        idempotency_key: key.map(str::to_owned),
        turn_id: turn,
        mode: InputMode::Queue,
        answers: None,
        source: Source::Web,
        content: content.to_owned(),
        attachments: Vec::new(),
        sender: None,
        asker: None,
        label: domain::Label::TRUSTED_PRIVATE,
        model: None,
        at: at(0),
    }
}

pub async fn a_repeated_key_finds_the_first_input(world: World) {
    let first = input(world.session, world.user, turn_id(), Some("k1"), "hello");
    let same = NewInput { id: InputId::from_uuid(uuid()), turn_id: turn_id(), ..first.clone() };
    let other = NewInput { content: "bye".to_owned(), ..same.clone() };
    let steer = NewInput { mode: InputMode::Steer, ..same.clone() };
    let question = Answers::QuestionId(QuestionId::from_uuid(uuid()));
    let answer = NewInput { answers: Some(question), ..same.clone() };
    let (vault, key) = (world.store.vault().clone(), world.key.clone());
    let (id, turn) = (first.id, first.turn_id);
    let outcomes = world
        .store
        .write(move |tx: &mut Tx| {
            let mut outcomes = Vec::new();
            for new in [&first, &same, &other, &steer, &answer] {
                outcomes.push(inbox::insert(tx, &vault, &key, new)?);
            }
            Ok(outcomes)
        })
        .await
        .unwrap();
    let repeat =
        |same_body| Inserted::Repeat { input_id: id, turn_id: turn, mode: InputMode::Queue, same_body };
    assert_eq!(outcomes, [Inserted::New, repeat(true), repeat(false), repeat(false), repeat(false)]);
    assert_eq!(world.count("inbox").await, 1);
}

pub async fn inputs_without_a_key_never_repeat(world: World) {
    let (vault, key) = (world.store.vault().clone(), world.key.clone());
    let (session, user) = (world.session, world.user);
    let outcomes = world
        .store
        .write(move |tx: &mut Tx| {
            let one = inbox::insert(tx, &vault, &key, &input(session, user, turn_id(), None, "x"))?;
            let two = inbox::insert(tx, &vault, &key, &input(session, user, turn_id(), None, "x"))?;
            Ok([one, two])
        })
        .await
        .unwrap();
    assert_eq!(outcomes, [Inserted::New, Inserted::New]);
}

pub async fn somebody_elses_key_is_not_found(world: World) {
    let (stranger, stranger_key, ..) = world.stranger().await;
    let (vault, key) = (world.store.vault().clone(), world.key.clone());
    let (session, user) = (world.session, world.user);
    let theirs = world
        .store
        .write(move |tx: &mut Tx| {
            inbox::insert(tx, &vault, &key, &input(session, user, turn_id(), Some("k"), "secret"))?;
            // Into somebody else's session: the session's own update refuses it, this must not tell of the key.
            let foreign = input(session, stranger, turn_id(), Some("k"), "secret");
            inbox::insert(tx, &vault, &stranger_key, &foreign)
        })
        .await
        .unwrap();
    assert_eq!(theirs, Inserted::New);
}

pub async fn steering_inputs_wait_in_order_until_consumed(world: World) {
    let turn = turn_id();
    let (vault, key) = (world.store.vault().clone(), world.key.clone());
    let mut made = input(world.session, world.user, turn, None, "make it");
    made.at = at(0);
    let hints: Vec<NewInput> = (1..=3)
        .map(|n| NewInput { at: at(n), ..input(world.session, world.user, turn, None, &format!("hint {n}")) })
        .collect();
    let ids: Vec<InputId> = hints.iter().map(|hint| hint.id).collect();
    let (of_turn, waiting, rest) = world
        .store
        .write(move |tx: &mut Tx| {
            inbox::insert(tx, &vault, &key, &made)?;
            for hint in &hints {
                inbox::insert(tx, &vault, &key, hint)?;
                inbox::set_turn(tx, hint.id, turn, InputMode::Steer)?;
            }
            let of_turn = inbox::of_turn(tx, &key, turn)?;
            let waiting = inbox::steering(tx, &key, turn)?;
            let heads = inbox::steering_heads(tx, turn)?;
            assert_eq!(heads.iter().map(|(id, _)| *id).collect::<Vec<_>>(), ids);
            let bytes = inbox::steering_bytes(tx, turn)?;
            assert!((3 * 6..3 * 200).contains(&bytes), "{bytes} bytes for three words");
            inbox::consume(tx, &ids[..2], at(9))?;
            assert!(inbox::steering_bytes(tx, turn)? < bytes);
            Ok((of_turn, waiting, inbox::steering(tx, &key, turn)?))
        })
        .await
        .unwrap();
    let words = |inputs: &[inbox::StoredInput]| inputs.iter().map(|i| i.content.clone()).collect::<Vec<_>>();
    assert_eq!(of_turn.map(|input| input.content), Some("make it".to_owned()));
    assert_eq!(words(&waiting), ["hint 1", "hint 2", "hint 3"]);
    assert_eq!(words(&rest), ["hint 3"]);
    let nowhere = InputId::from_uuid(uuid());
    let refused =
        world.store.write(move |tx: &mut Tx| inbox::set_turn(tx, nowhere, turn, InputMode::Queue)).await;
    assert_eq!(refused, Err(Error::NotFound));
}

pub async fn what_steered_too_late_is_told_as_before(world: World) {
    let (first, second, third) = (turn_id(), turn_id(), turn_id());
    let hint = NewInput {
        mode: InputMode::Steer,
        ..input(world.session, world.user, first, Some("k"), "rather tea")
    };
    let again = NewInput { id: InputId::from_uuid(uuid()), ..hint.clone() };
    let (vault, key, id) = (world.store.vault().clone(), world.key.clone(), hint.id);
    let write = move |tx: &mut Tx| {
        inbox::insert(tx, &vault, &key, &hint)?;
        for turn in [second, third] {
            inbox::move_to(tx, id, turn)?;
        }
        let nowhere = inbox::move_to(tx, InputId::from_uuid(uuid()), third);
        assert_eq!(nowhere, Err(Error::NotFound));
        let made = inbox::of_turn(tx, &key, third)?;
        assert_eq!(made.map(|input| input.content).as_deref(), Some("rather tea"));
        inbox::insert(tx, &vault, &key, &again)
    };
    let told = Inserted::Repeat { input_id: id, turn_id: first, mode: InputMode::Steer, same_body: true };
    assert_eq!(world.store.write(write).await.unwrap(), told);
}

pub async fn only_finished_inputs_are_forgotten(world: World) {
    let (vault, key) = (world.store.vault().clone(), world.key.clone());
    let (session, user) = (world.session, world.user);
    let (ended, open) = (turn_id(), turn_id());
    let row = move |id, position, status| NewTurn {
        id,
        session_id: session,
        user_id: user,
        position,
        source: Source::Cli,
        status,
        owner: None,
        epoch: 0,
        lease_until: None,
        state: None,
        at: at(0),
    };
    let pruned = world
        .store
        .write(move |tx: &mut Tx| {
            turns::insert(tx, &key, &row(ended, 1, TurnStatus::Ended))?;
            turns::insert(tx, &key, &row(open, 2, TurnStatus::Queued))?;
            let taken = input(session, user, open, None, "taken in");
            for new in [
                &input(session, user, ended, None, "done"),
                &input(session, user, open, None, "waits"),
                &taken,
            ] {
                inbox::insert(tx, &vault, &key, new)?;
            }
            let mut fresh = input(session, user, ended, None, "done, but new");
            fresh.at = at(1_000);
            inbox::insert(tx, &vault, &key, &fresh)?;
            inbox::consume(tx, &[taken.id], at(1))?;
            inbox::prune(tx, at(500))
        })
        .await
        .unwrap();
    assert_eq!(pruned, 2);
    assert_eq!(world.count("inbox").await, 2);
}
