//! How each database finds the rows of each statement: by an index, and never by going through a table that grows.
//!
//! The statements are those that the cases of this suite make. So that no statement escapes, each text in the source of the
//! store must have been made by some case, and one that was not is named here.

mod excused;
mod source;

use crate::{previous, world::World};
use excused::{ALLOWED, SMALL, SMALL_INDEXES};
use source::Text;
use std::collections::{BTreeMap, BTreeSet};
use store::{Arg, Statement, Tx};

/// Steps of the schema that a case takes again: each is taken once, by the first start of a newer program.
const STEPS: &[&str] = &["INSERT INTO agent_acceptances (agent_id, user_id, accepted_at)\n"];

/// How statements begin that another test of this program makes, beside this one, on a table of its own.
const OF_OTHERS: &[&str] = &["INSERT INTO late "];

pub async fn world(postgres: bool) -> World {
    match postgres {
        false => World::on_sqlite().await,
        true => World::on_postgres().await.unwrap(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_statement_finds_its_rows_by_an_index() {
    store::record_statements();
    let has_postgres = World::on_postgres().await.is_some();
    everything(false).await;
    if has_postgres {
        everything(true).await;
    }
    let texts = source::texts();
    assert!(texts.len() > 150, "only {} statements were found in the source", texts.len());
    let made = store::recorded_statements();
    previous::record(made.iter().filter(|made| texts.iter().any(|text| text.fits(&made.sql))));
    let (mut problems, mut used) = (Vec::new(), BTreeSet::new());
    for postgres in [false, true].into_iter().filter(|postgres| !postgres || has_postgres) {
        let world = world(postgres).await;
        fill(&world, postgres).await;
        let mut untried: BTreeMap<&str, &Text> =
            texts.iter().filter(|text| text.is_for(postgres)).map(|text| (text.sql.as_str(), text)).collect();
        for statement in made.iter().filter(|made| made.postgres == postgres) {
            let texts: Vec<&Text> = texts.iter().filter(|text| text.fits(&statement.sql)).collect();
            // What a case makes by itself, past the store, is its own affair.
            let begins = |begin: &&str| statement.sql.starts_with(begin);
            if texts.is_empty() || STEPS.iter().chain(OF_OTHERS).any(begins) {
                continue;
            }
            for text in &texts {
                untried.remove(text.sql.as_str());
            }
            // A text that says more of the statement is nearer to it than one that leaves it open.
            let nearest = texts.iter().max_by_key(|text| text.certain()).unwrap();
            let allowed = ALLOWED.iter().position(|(begin, ..)| nearest.sql.starts_with(begin));
            for Scan { table, line } in scans(&world, statement).await {
                let through =
                    |place: &usize| ALLOWED[*place].1.is_empty() || ALLOWED[*place].1.contains(&&*table);
                match allowed.filter(through) {
                    Some(place) => drop(used.insert(place)),
                    None => problems.push(format!(
                        "{}: {line}\n        {}",
                        if postgres { "PostgreSQL" } else { "SQLite" },
                        statement.sql
                    )),
                }
            }
        }
        problems
            .extend(untried.values().map(|text| format!("no case makes it ({}): {}", text.file, text.sql)));
    }
    let stale = ALLOWED.iter().enumerate().filter(|(place, _)| !used.contains(place));
    problems.extend(stale.map(|(_, (begin, ..))| format!("the list of what is allowed is stale: {begin}")));
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// The test sees a statement that finds its rows by no index, and one whose index is gone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scan_is_seen() {
    let scanning = "SELECT COUNT(*) FROM events WHERE at = $1";
    let whole_session = "SELECT data FROM events WHERE session_id = $1 AND at = $2";
    let found = "SELECT data FROM events WHERE session_id = $1 AND seq = $2";
    for postgres in [false, true] {
        let world = match postgres {
            false => World::on_sqlite().await,
            true => match World::on_postgres().await {
                Some(world) => world,
                None => return,
            },
        };
        fill(&world, postgres).await;
        let statement = |sql: &str, args| Statement { postgres, sql: sql.to_owned(), args };
        let (session, number) = (Arg::Text(Some("x1".to_owned())), Arg::Int(Some(1)));
        assert_eq!(scans(&world, &statement(scanning, vec![number.clone()])).await.len(), 1);
        let both = vec![session, number];
        assert_eq!(scans(&world, &statement(whole_session, both.clone())).await.len(), 1);
        assert!(scans(&world, &statement(found, both)).await.is_empty(), "the control");
        let largest = statement("SELECT MAX(at) FROM events", vec![]);
        assert_eq!(scans(&world, &largest).await.len(), 1);
        let approved = |column: &str| {
            let sql = format!("SELECT {column} FROM calls WHERE approval_id = $1");
            statement(&sql, vec![Arg::Text(Some("x1".to_owned()))])
        };
        assert!(scans(&world, &approved("id")).await.is_empty(), "the control");
        let unlist = |tx: &mut Tx| tx.run("DROP INDEX calls_approval", vec![]);
        world.store.write(unlist).await.unwrap();
        // Another text: SQLite tells the plan of one that it keeps prepared as it was before.
        assert_eq!(scans(&world, &approved("turn_id")).await.len(), 1);
    }
}

/// A line of a plan that goes through a table that grows, or through all events or messages of a session.
struct Scan {
    table: String,
    line: String,
}

async fn scans(world: &World, statement: &Statement) -> Vec<Scan> {
    match statement.postgres {
        false => lite_scans(world, statement).await,
        true => postgres_scans(world, statement).await,
    }
}

async fn lite_scans(world: &World, statement: &Statement) -> Vec<Scan> {
    let (sql, args) = (format!("EXPLAIN QUERY PLAN {}", statement.sql), statement.args.clone());
    let read = move |tx: &mut Tx| {
        // Only a statement that is run, and no question about one, lets a connection see that the schema has changed.
        tx.all::<String>("SELECT name FROM sqlite_master LIMIT 1", vec![])?;
        tx.all::<(i64, i64, i64, String)>(&sql, args)
    };
    let plan = world.store.read(read).await.unwrap_or_else(|error| panic!("{error}: {}", statement.sql));
    let lines = plan.into_iter().map(|(.., line)| line);
    let bad = |line: String| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (verb, name) =
            (words.first().copied().unwrap_or_default(), words.get(1).copied().unwrap_or_default());
        let table = table_of(&statement.sql, name)?;
        let is_bad = match verb {
            "SCAN" => grows(&table) && !words.iter().any(|word| is_small_index(word)),
            // For the largest of all, SQLite calls it a search also where it goes through the table.
            "SEARCH" if !line.contains('(') => grows(&table),
            "SEARCH" => {
                is_long(&table) && line.ends_with("(session_id=?)") && !is_one_end(&statement.sql, name)
            }
            _ => false,
        };
        is_bad.then_some(Scan { table, line })
    };
    lines.filter_map(bad).collect()
}

/// The first or the last of a session: one look at the index.
fn is_one_end(sql: &str, name: &str) -> bool {
    ["MAX", "MIN"].iter().any(|end| sql.contains(&format!("{end}({name}.seq)")))
}

/// The list of small indexes has only what is there, and what leaves rows out.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn small_indexes_leave_rows_out() {
    for postgres in [false, true] {
        if postgres && World::on_postgres().await.is_none() {
            return;
        }
        let world = world(postgres).await;
        let sql = match postgres {
            false => "SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '%WHERE%'",
            true => "SELECT indexname::text FROM pg_indexes WHERE indexdef LIKE '% WHERE %'",
        };
        let partial = world.store.read(move |tx: &mut Tx| tx.all::<String>(sql, vec![])).await.unwrap();
        let known = |name: &&str| partial.iter().any(|partial| partial == name);
        let stale: Vec<&str> =
            SMALL_INDEXES.iter().map(|(name, _)| *name).filter(|name| !known(name)).collect();
        assert_eq!(stale, [] as [&str; 0], "on PostgreSQL: {postgres}");
    }
}

/// An index of few rows, however many the table has.
fn is_small_index(name: &str) -> bool {
    SMALL_INDEXES.iter().any(|(small, _)| *small == name)
}

async fn postgres_scans(world: &World, statement: &Statement) -> Vec<Scan> {
    let (sql, args) = (format!("EXPLAIN {}", statement.sql), statement.args.iter().map(in_use).collect());
    let read = move |tx: &mut Tx| {
        tx.run("SET LOCAL enable_seqscan = off", vec![])?;
        // A bitmap of rows is found by the same index, and tells less of how.
        tx.run("SET LOCAL enable_bitmapscan = off", vec![])?;
        tx.all::<String>(&sql, args)
    };
    let plan = world.store.read(read).await.unwrap_or_else(|error| panic!("{error}: {}", statement.sql));
    let mut bad = Vec::new();
    for (place, line) in plan.iter().enumerate() {
        let node = line.trim_start().trim_start_matches("->").trim_start();
        let table =
            node.split(" on ").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or_default();
        let rest = || plan.iter().skip(place + 1).take_while(|line| !line.contains("->"));
        let condition = rest().find_map(|line| line.trim().strip_prefix("Index Cond: "));
        let few = node.split_whitespace().any(is_small_index);
        let one_end =
            node.contains("Only Scan") && plan.iter().any(|line| line.trim_start().starts_with("->  Limit"));
        let is_bad = match condition {
            _ if node.starts_with("Seq Scan on ") => grows(table),
            _ if !node.starts_with("Index Scan") && !node.starts_with("Index Only Scan") => false,
            None => grows(table) && !few && !one_end,
            Some(condition) => is_long(table) && is_whole_session(condition),
        };
        if is_bad {
            bad.push(Scan {
                table: table.to_owned(),
                line: format!("{node} {}", condition.unwrap_or_default()),
            });
        }
    }
    bad
}

/// What PostgreSQL knows of a session that is not there, is that going through it costs nothing: another one stands for it.
fn in_use(arg: &Arg) -> Arg {
    match arg {
        Arg::Text(Some(text)) if text.starts_with("session_") => Arg::Text(Some("x1".to_owned())),
        other => other.clone(),
    }
}

/// Says nothing but which session it is.
fn is_whole_session(condition: &str) -> bool {
    condition.contains("session_id = ") && !condition.contains(" AND ")
}

/// Sessions have few rows in most tables, and any number in these.
fn is_long(table: &str) -> bool {
    matches!(table, "events" | "messages")
}

fn grows(table: &str) -> bool {
    !SMALL.iter().any(|(small, _)| *small == table)
}

/// Which table a plan means: its name, or another one that the statement gives it. None for what is no table.
fn table_of(sql: &str, name: &str) -> Option<String> {
    const TABLES: &[&str] = &["FROM", "JOIN", "UPDATE", "INTO"];
    let words: Vec<&str> = sql
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','))
        .filter(|w| !w.is_empty())
        .collect();
    for (place, word) in words.iter().enumerate() {
        if !TABLES.contains(word) {
            continue;
        }
        let (table, alias) = (words.get(place + 1)?, words.get(place + 2).copied().unwrap_or_default());
        let alias = if alias == "AS" { words.get(place + 3).copied().unwrap_or_default() } else { alias };
        if *table == name || alias == name {
            // What the statement itself makes, out of rows that it has found already, is no table.
            let is_made =
                words.windows(2).any(|pair| matches!(pair, ["WITH" | "RECURSIVE", made] if made == table));
            return (!is_made).then(|| (*table).to_owned());
        }
    }
    None
}

/// Rows in every table, so that PostgreSQL plans as it would for a house that is used.
async fn fill(world: &World, postgres: bool) {
    if !postgres {
        return;
    }
    let write = |tx: &mut Tx| {
        tx.run("SET LOCAL session_replication_role = replica", vec![])?;
        let columns: Vec<(String, String, String)> = tx
            .all(
                "SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns \
                 WHERE table_schema = 'public' AND is_generated = 'NEVER' ORDER BY table_name, ordinal_position",
                vec![],
            )?;
        let mut tables: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        for (table, column, kind) in columns {
            tables.entry(table).or_default().push((column, kind));
        }
        for (table, columns) in tables {
            let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
            let value = |(name, kind): &(String, String)| match kind.as_str() {
                // So long that it is worth to know more of what is looked for.
                _ if is_long(&table) && name == "session_id" => "'x' || i % 3",
                "bigint" => "1794729600000 + i * 3600000::bigint",
                "bytea" => "decode(md5(i::text), 'hex')",
                _ => "'x' || i",
            };
            let values: Vec<&str> = columns.iter().map(value).collect();
            let sql = format!(
                "INSERT INTO {table} ({}) SELECT {} FROM generate_series(1, 3000) i",
                names.join(", "),
                values.join(", ")
            );
            tx.run(&sql, vec![])?;
            tx.run(&format!("ANALYZE {table}"), vec![])?;
        }
        Ok(())
    };
    world.store.write(write).await.unwrap();
}

async fn everything(postgres: bool) {
    macro_rules! every {
        ($($module:ident),*) => { $(crate::runs::$module::every(postgres).await;)* };
    }
    every!(
        abilities,
        budgets,
        bus,
        labels,
        agents,
        audit,
        backups,
        calls,
        chat_sessions,
        compactions,
        deeds,
        folders,
        versions,
        inbox,
        knowledge,
        known_places,
        library,
        log,
        for_all_nodes,
        logins,
        messages,
        nodes,
        numbers,
        people,
        providers,
        usage,
        errands,
        questions,
        approvals,
        rules,
        schedules,
        rotation,
        sealing,
        session_files,
        sessions,
        sharing,
        transactions,
        search,
        titles,
        uploads,
        turns
    );
}
