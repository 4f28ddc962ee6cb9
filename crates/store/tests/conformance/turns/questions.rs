//! Questions: they wait in order, are answered once, end by themselves when their time is over, and can be answered only by their person.

use crate::world::{World, at, turn_id, uuid};
use domain::{
    CallId, EffectClass, MessageId, Origin, Question, QuestionId, QuestionMode, QuestionStatus, TurnId,
    UserId,
};
use serde_json::json;
use store::{
    Page, Tx,
    calls::{self, NewCall},
    questions,
};

pub fn question(world: &World, turn: TurnId, words: &str, timeout_ms: Option<u64>) -> Question {
    Question {
        id: QuestionId::from_uuid(uuid()),
        session_id: world.session,
        turn_id: turn,
        call_id: CallId::from_uuid(uuid()),
        question: words.to_owned(),
        mode: if timeout_ms.is_some() { QuestionMode::Timeout } else { QuestionMode::Demand },
        timeout_ms,
        options: vec!["yes".to_owned(), "no".to_owned()],
        default: Some("no".to_owned()),
        status: QuestionStatus::Pending,
        answer: None,
        created_at: at(0),
    }
}

async fn ask(world: &World, question: Question) {
    let (key, user) = (world.key.clone(), world.user);
    let call = NewCall {
        id: question.call_id,
        session_id: question.session_id,
        turn_id: question.turn_id,
        user_id: user,
        message_id: MessageId::from_uuid(uuid()),
        position: 0,
        name: "ask".to_owned(),
        arguments: json!({}),
        origin: Origin::Element,
        class: EffectClass::Read,
        made: Default::default(),
    };
    let expires = question.timeout_ms.map(|wait| at(i64::try_from(wait).unwrap()));
    let write = move |tx: &mut Tx| {
        calls::insert(tx, &key, &[call], at(0))?;
        assert!(calls::wait(tx, question.call_id)?);
        questions::insert(tx, &key, user, &question, expires)
    };
    world.store.write(write).await.unwrap();
}

pub async fn a_question_is_answered_once_and_heard_of_until_its_call_is_settled(world: World) {
    let turn = turn_id();
    let first = question(&world, turn, "First?", None);
    let second = question(&world, turn, "Second?", Some(500));
    ask(&world, first.clone()).await;
    ask(&world, second.clone()).await;
    let (key, user) = (world.key.clone(), world.user);
    let stranger = UserId::from_uuid(uuid());
    let (one, two, call) = (first.id, second.id, first.call_id);
    let check = move |tx: &mut Tx| {
        let open = questions::open(tx, &key, user, &Page::first(1))?;
        assert_eq!((open.items, open.total), (vec![first.clone()], 2));
        let next = Page { limit: 1, cursor: open.next_cursor };
        assert_eq!(questions::open(tx, &key, user, &next)?.items, std::slice::from_ref(&second));
        assert_eq!(questions::get(tx, &key, stranger, one)?, None, "it is nobody else's");
        assert_eq!(questions::unheard(tx, &key, turn)?, []);
        assert!(questions::answer(tx, &key, one, QuestionStatus::Answered, "yes", at(1))?);
        assert!(!questions::answer(tx, &key, one, QuestionStatus::Answered, "no", at(2))?);
        let heard = questions::unheard(tx, &key, turn)?;
        assert_eq!((heard.len(), heard[0].answer.as_deref()), (1, Some("yes")));
        assert_eq!(questions::open_of_turn(tx, &key, turn)?, std::slice::from_ref(&second));
        let settled =
            calls::Settled { status: domain::ResultStatus::Ok, result_seq: 7, started_at: None, at: at(2) };
        assert!(calls::settle(tx, call, settled)?);
        assert_eq!(questions::unheard(tx, &key, turn)?, [], "its call has heard of it");
        questions::withdraw(tx, second.call_id, at(3))?;
        assert!(!questions::answer(tx, &key, two, QuestionStatus::Answered, "yes", at(4))?);
        questions::get(tx, &key, user, two)
    };
    let withdrawn = world.store.write(check).await.unwrap().unwrap();
    assert_eq!(withdrawn.status, QuestionStatus::Withdrawn);
}

pub async fn a_question_is_due_when_its_time_is_over(world: World) {
    let turn = turn_id();
    let (demand, limited) =
        (question(&world, turn, "Wait?", None), question(&world, turn, "Now?", Some(500)));
    ask(&world, demand).await;
    ask(&world, limited.clone()).await;
    let (key, user) = (world.key.clone(), world.user);
    let check = move |tx: &mut Tx| {
        assert_eq!(questions::next_due(tx)?, Some(at(500)));
        assert_eq!(questions::due(tx, at(499))?, []);
        assert_eq!(questions::due(tx, at(500))?, [(limited.id, user)]);
        assert!(questions::answer(tx, &key, limited.id, QuestionStatus::Expired, "no", at(500))?);
        assert_eq!(questions::due(tx, at(1_000))?, []);
        questions::next_due(tx)
    };
    assert_eq!(world.store.write(check).await.unwrap(), None, "a demand never ends by itself");
}
