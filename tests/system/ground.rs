//! What the checker finds below the API: the database itself, and what a program has left behind.

use crate::world::{World, ZONE_MS};
use domain::UserId;
use std::{collections::BTreeMap, fs, path::Path};
use store::{
    DataKey, KeyFiles, KeyRing, Page, Store, Tx, Vault, abilities, agents, api_keys, approvals, audit, calls,
    compactions, errands, folders, house, inbox,
    knowledge::{self, EntryName},
    log::{self, EventFilter},
    logins, messages, providers, questions, rules, saved_prompts, schedules, session_files, session_links,
    sessions, turns, uploads, users,
};

const EVERYTHING: u32 = 1_000_000;

pub fn keys(world: &World) -> KeyRing {
    KeyFiles::new(world.program.data().join("master.key")).load().unwrap()
}

/// While nothing runs: the database is whole (I8), nobody has spent more than they may (I9), and nobody holds a lease (I10).
pub async fn check(world: &World) {
    let note = fs::read(world.program.data().join("audit.note")).ok();
    let checkup = store::checkup(&world.store, &keys(world), note).await.unwrap();
    assert!(checkup.damage.is_empty(), "{:?}", checkup.damage);
    assert!(checkup.audit.is_ok(), "{:?}", checkup.audit);
    assert_eq!(checkup.locked_out, Ok(Vec::new()));
    let store = Store::open(&world.store, keys(world)).await.unwrap();
    everything_opens(&store).await.unwrap();
    within_budgets(&store).await;
    let held = "SELECT COUNT(*) FROM turns WHERE status <> 'ended' OR lease_until IS NOT NULL";
    assert_eq!(count(&store, held).await, 0, "a turn or a lease is left");
    store.close().await;
}

async fn count(store: &Store, sql: &'static str) -> u64 {
    store.read(move |tx: &mut Tx| tx.one(sql, vec![])).await.unwrap()
}

/// Every value that holds words is decrypted, by whoever reads it otherwise.
pub async fn everything_opens(store: &Store) -> store::Result<()> {
    let vault = store.vault().clone();
    let read = move |tx: &mut Tx| {
        whatever_is_the_servers(tx, &vault)?;
        users::list(tx, &vault)
    };
    for person in store.read(read).await? {
        let (key, vault, user) = (store.data_key(person.id).await?, store.vault().clone(), person.id);
        opened_in_passing(store, key.clone(), user).await?;
        let open = move |tx: &mut Tx| {
            whatever_is_kept(tx, &key, &vault, user)?;
            // Not from the lists: those leave out what is hidden, and end after some bytes.
            let of_person = "SELECT id FROM sessions WHERE user_id = $1";
            for id in tx.all(of_person, store::args![user])? {
                let session = sessions::get(tx, &key, user, id)?.expect("its row is there");
                let (mut after, mut more) = (0, true);
                while more {
                    let piece = log::read(tx, &key, id, after, EVERYTHING, EventFilter::default())?;
                    (more, after) = (piece.more, piece.events.last().map_or(after, |event| event.seq));
                }
                assert_eq!(after, session.last_seq, "the log of a session was opened to its end");
                messages::up_to(tx, &key, session.id, session.last_seq)?;
                session_links::list(tx, &key, user, id)?;
                for file in session_files::all(tx, &key, session.id)? {
                    if !file.is_directory {
                        session_files::bytes(tx, &key, session.id, &file.path)?;
                    }
                }
                let of_session = "SELECT id FROM turns WHERE session_id = $1";
                for turn in tx.all(of_session, store::args![session.id])? {
                    turns::get(tx, &key, user, turn)?;
                    calls::listed(tx, &key, turn)?;
                    approvals::of_turn(tx, &key, turn)?;
                    for id in tx.all("SELECT id FROM questions WHERE turn_id = $1", store::args![turn])? {
                        questions::get(tx, &key, user, id)?.expect("its row is there");
                    }
                    inbox::of_turn(tx, &key, turn)?;
                    inbox::steering(tx, &key, turn)?;
                }
            }
            Ok(())
        };
        store.read(open).await?;
    }
    Ok(())
}

/// What belongs to no person, or not to one alone.
fn whatever_is_the_servers(tx: &mut Tx, vault: &Vault) -> store::Result<()> {
    for name in tx.all::<String>("SELECT name FROM house", vec![])? {
        house::get(tx, vault, &name)?;
    }
    providers::list(tx, vault)?;
    for id in tx.all("SELECT id FROM rules", vec![])? {
        rules::get(tx, vault, id)?.expect("its row is there");
    }
    let mut page = Page::first(EVERYTHING);
    loop {
        page.cursor = audit::list(tx, vault, None, page.clone())?.next_cursor;
        if page.cursor.is_none() {
            return Ok(());
        }
    }
}

/// Values that are read only while something is under way. It is put under way here, and all of that is undone.
async fn opened_in_passing(store: &Store, key: DataKey, user: UserId) -> store::Result<()> {
    let open = move |tx: &mut Tx| {
        for session in tx.all("SELECT id FROM sessions WHERE user_id = $1", store::args![user])? {
            // The newest of those that are left.
            while let Some(newest) = compactions::latest(tx, &key, session)? {
                let remove = "DELETE FROM compactions WHERE session_id = $1 AND generation = $2";
                tx.run(remove, store::args![session, newest.generation])?;
            }
        }
        let of_person = "SELECT c.turn_id, c.id FROM calls c JOIN turns t ON t.id = c.turn_id \
                         WHERE t.user_id = $1 AND c.receipt IS NOT NULL";
        for (turn, call) in tx.all(of_person, store::args![user])? {
            tx.run("UPDATE calls SET status = 'running' WHERE id = $1", store::args![call])?;
            calls::receipt(tx, &key, turn, call)?.expect("it has one");
        }
        let of_person = "SELECT turn_id FROM errands WHERE user_id = $1 AND answer IS NOT NULL";
        for turn in tx.all(of_person, store::args![user])? {
            tx.run("UPDATE errands SET status = 'ended' WHERE turn_id = $1", store::args![turn])?;
            errands::deliver(tx, &key, turn)?.expect("it has one");
        }
        Err::<(), _>(store::Error::NotFound)
    };
    match store.write(open).await {
        Err(store::Error::NotFound) => Ok(()),
        other => other,
    }
}

/// What belongs to a person and to no session.
fn whatever_is_kept(tx: &mut Tx, key: &DataKey, vault: &Vault, user: UserId) -> store::Result<()> {
    for id in tx.all("SELECT id FROM agents WHERE user_id = $1", store::args![user])? {
        agents::get(tx, vault, user, id)?.expect("its row is there");
    }
    for id in tx.all("SELECT id FROM folders WHERE user_id = $1", store::args![user])? {
        folders::get(tx, key, user, id)?.expect("its row is there");
    }
    for id in tx.all("SELECT id FROM saved_prompts WHERE user_id = $1", store::args![user])? {
        saved_prompts::get(tx, key, user, id)?.expect("its row is there");
    }
    for id in tx.all("SELECT id FROM knowledge WHERE owner = $1", store::args![user])? {
        knowledge::get(tx, key, user, EntryName::Id(id))?.expect("its row is there");
        assert!(!knowledge::versions(tx, key, user, id)?.is_empty());
    }
    for id in tx.all("SELECT id FROM schedules WHERE user_id = $1", store::args![user])? {
        schedules::get(tx, key, user, id)?.expect("its row is there");
    }
    for turn in tx.all(
        "SELECT r.turn_id FROM schedule_runs r JOIN schedules s ON s.id = r.schedule_id \
                        WHERE s.user_id = $1 AND r.turn_id IS NOT NULL",
        store::args![user],
    )? {
        schedules::maker_of(tx, key, user, turn)?.expect("its schedule is there");
    }
    abilities::all(tx, key, user)?;
    api_keys::list(tx, key, user)?;
    for id in tx.all("SELECT id FROM uploads WHERE user_id = $1 AND complete = 1", store::args![user])? {
        let stored = uploads::get(tx, key, user, id)?.expect("its row is there");
        assert_eq!(uploads::bytes(tx, key, &stored)?.len() as u64, stored.upload.size);
        let mut position = 0;
        while uploads::text_piece(tx, key, id, position)?.is_some() {
            position += 1;
        }
    }
    logins::list(tx, key, user)?;
    Ok(())
}

/// What one request counts: what it has cost, or all that was held back for it where its end was never heard of.
const COUNTED: &str = "COALESCE(cost_microusd, reserved_microusd, 0)";

/// No request is left open, and no day cost more than it may: neither a person nor what they do with one agent.
async fn within_budgets(store: &Store) {
    let open = "SELECT COUNT(*) FROM model_calls WHERE status = 'started'";
    assert_eq!(count(store, open).await, 0, "a request is left open");
    let vault = store.vault().clone();
    let read = move |tx: &mut Tx| {
        let people = users::list(tx, &vault)?;
        let mut agents = Vec::new();
        for (owner, id) in tx.all("SELECT user_id, id FROM agents", vec![])? {
            agents.extend(agents::get(tx, &vault, owner, id)?);
        }
        let spent = format!("SELECT user_id, agent_id, started_at, {COUNTED} FROM model_calls");
        Ok((people, agents, tx.all::<RequestCost>(&spent, vec![])?))
    };
    let (people, agents, spent) = store.read(read).await.unwrap();
    for person in people {
        let own = spent.iter().filter(|(user, ..)| *user == person.id.to_string());
        // The programs of these tests have no budget for everybody in their settings.
        let most = person.budget.house.lower(person.budget.own).per_day_microusd;
        within(most, own.clone());
        for agent in &agents {
            within(
                agent.budget.per_day_microusd,
                own.clone().filter(|(_, by, ..)| *by == agent.id.to_string()),
            );
        }
    }
}

/// By whom and with which agent, when, and how much.
type RequestCost = (String, String, i64, u64);

fn within<'a>(most: Option<u64>, spent: impl Iterator<Item = &'a RequestCost>) {
    let Some(most) = most else { return };
    let mut days: BTreeMap<i64, u64> = BTreeMap::new();
    for (_, _, at, cost) in spent {
        *days.entry((at + ZONE_MS).div_euclid(86_400_000)).or_default() += cost;
    }
    assert!(days.values().all(|cost| *cost <= most), "{days:?} of {most}");
}

#[test]
fn a_day_is_the_servers() {
    let hours = |hours: i64| 1_794_700_800_000 + hours * 3_600_000;
    let spent = |at, cost| ("user".to_owned(), "agent".to_owned(), at, cost);
    // Noon, and midnight in UTC, are one day in the zone of these tests; ten o'clock begins the next.
    let days = [spent(hours(12), 60), spent(hours(24), 40), spent(hours(34), 100)];
    within(Some(100), days.iter());
    let over = [days[0].clone(), spent(hours(33), 41)];
    assert!(std::panic::catch_unwind(|| within(Some(100), over.iter())).is_err());
}

/// What the rows of the requests say.
#[derive(Debug)]
pub struct Books {
    pub counted: u64,
    /// Requests whose end was never heard of.
    pub unheard: u64,
}

pub async fn books(world: &World) -> Books {
    let store = Store::open(&world.store, keys(world)).await.unwrap();
    let sum = format!("SELECT CAST(COALESCE(SUM({COUNTED}), 0) AS BIGINT) FROM model_calls");
    let counted = store.read(move |tx: &mut Tx| tx.one(&sum, vec![])).await.unwrap();
    let unheard = "SELECT COUNT(*) FROM model_calls WHERE cost_microusd IS NULL AND reserved_microusd > 0";
    let unheard = count(&store, unheard).await;
    store.close().await;
    Books { counted, unheard }
}

/// After the program has ended in good order: no process, no socket and no draft of it is left (I10).
pub fn check_nothing_left(data: &Path) {
    assert!(!data.join("control.sock").exists(), "the control socket is left");
    let drafts = [".partial", ".checking", ".restoring", ".tmp"];
    let mut folders = vec![data.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            assert!(!drafts.iter().any(|end| name.contains(end)), "{name} is left");
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    assert_eq!(processes(data), Vec::<String>::new(), "processes are left");
}

/// The processes that were told of this data directory, or of something in it.
fn processes(data: &Path) -> Vec<String> {
    let data = data.to_string_lossy().into_owned();
    let mine = std::process::id().to_string();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let lines = ids.filter(|id| *id != mine).filter_map(|id| {
        let line = fs::read(format!("/proc/{id}/cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(&data).then(|| format!("{id}: {line}"))
    });
    lines.collect()
}
