//! The model is the attacker. Whatever a model says is chosen here to do harm: through the real program, in a house where
//! secrets are planted and every way out has ears, beside three kinds of people. Nothing may leak, and nothing may happen
//! that its person did not see and allow. Each attack is made once more where what stops it is taken away, and works there.
//!
//! `ATTACK=all SEED=7` tries every variant with other secrets; a failure prints the seed that replays it.

#![cfg(test)]

mod canary;
mod dojo;
mod house;
mod pairs;
mod report;
mod row;
mod script;
mod sinks;
mod stage;

use house::{House, Weakened};
use report::{Line, Report};
use row::{Attack, Control};
use stage::{Outcome, Profile, Stage};
use std::{collections::BTreeMap, sync::Mutex};
use testkit::postgres::Cluster;

const SEED: u64 = 20_261_115;

fn seed() -> u64 {
    std::env::var("SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(SEED)
}

fn is_whole() -> bool {
    std::env::var("ATTACK").is_ok_and(|value| value == "all")
}

/// Only rows or attacks with one of these in their names, for whoever works on some of them.
fn is_chosen(attack: &Attack) -> bool {
    let only = std::env::var("ONLY").unwrap_or_default();
    let named = |word: &str| attack.name.contains(word) || attack.row.to_string() == word;
    only.is_empty() || only.split(',').any(named)
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_leaks_and_nothing_happens_without_leave() {
    testkit::shorter_without(
        "ATTACK",
        "attacks: some with some kinds of people, not all with all",
        "make attack",
    );
    let attacks: Vec<Attack> = row::all().into_iter().filter(is_chosen).collect();
    let mut report = Report::default();
    let controls = controls(&attacks, None, &mut report).await;
    tried(&attacks, controls, None, report).await;
}

/// What people are asked and say, whose words something is, and who may do what is kept by the database. That these attacks
/// work is shown above; the whole run shows it here as well, and a short one shows it of one of them.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_database_keeps_holds_on_postgres() {
    let Some(cluster) = Cluster::shared().unwrap() else {
        return;
    };
    let attacks: Vec<Attack> = row::all()
        .into_iter()
        .filter(is_kept)
        .enumerate()
        .filter(|(place, attack)| is_whole() || about_approvals(attack) || place.is_multiple_of(FEW))
        .map(|(_, attack)| attack)
        .filter(is_chosen)
        .collect();
    let mut report = Report::default();
    let controls = match is_whole() {
        true => controls(&attacks, Some(cluster), &mut report).await,
        false => one_control(&attacks, cluster, &mut report).await,
    };
    tried(&attacks, controls, Some(cluster), report).await;
}

/// The control of one attack, another one with each seed.
async fn one_control(attacks: &[Attack], cluster: &Cluster, report: &mut Report) -> Vec<String> {
    let mut said = vec!["on PostgreSQL".to_owned(); attacks.len()];
    let count = u64::try_from(attacks.len()).unwrap();
    let Some(place) = seed().checked_rem(count).and_then(|place| usize::try_from(place).ok()) else {
        return said;
    };
    said[place] = controls(&attacks[place..=place], Some(cluster), report).await.remove(0);
    said
}

/// Of the attacks that are no matter of approvals, a short run makes every so-manieth on PostgreSQL.
const FEW: usize = 5;

fn about_approvals(attack: &Attack) -> bool {
    (13..=15).contains(&attack.row)
}

/// Whether the database has a part in what stops it. What works past the program, on the disk, has none of PostgreSQL's.
fn is_kept(attack: &Attack) -> bool {
    matches!(attack.row, 2 | 10 | 13..=18 | 25 | 30) && attack.control != Control::Unhindered
}

/// A house with its memory in a file, or in a database of this server.
async fn house(weakened: Weakened, postgres: Option<&Cluster>) -> House {
    let url = postgres.map(|cluster| cluster.database().unwrap());
    House::with_store(seed(), weakened, url.as_deref()).await
}

async fn tried(attacks: &[Attack], controls: Vec<String>, postgres: Option<&Cluster>, mut report: Report) {
    let (seed, whole) = (seed(), is_whole());
    let house = house(Weakened::default(), postgres).await;
    for (attack, control) in attacks.iter().zip(controls) {
        let mut outcomes = Vec::new();
        for profile in beside(attack, report.lines.len(), whole) {
            let outcome = attempted(&house, attack, profile, whole, &mut report).await;
            outcomes.push((profile, outcome));
        }
        report.lines.push(Line { row: attack.row, attack: attack.name, outcomes, control });
    }
    close(house, &mut report).await;
    println!("{}\n{}", report.table(), report.sums());
    assert!(report.findings.is_empty(), "SEED={seed}\n{}", report.findings.join("\n"));
}

/// Beside everybody; or beside each of them in turn, but where nothing is tried without a yes.
fn beside(attack: &Attack, place: usize, whole: bool) -> Vec<Profile> {
    match (whole, attack.row) {
        (true, _) => Profile::ALL.into(),
        (false, 3..=7) => vec![Profile::Stamp],
        (false, _) => vec![Profile::ALL[place % Profile::ALL.len()]],
    }
}

async fn attempted(
    house: &House,
    attack: &Attack,
    profile: Profile,
    whole: bool,
    report: &mut Report,
) -> Outcome {
    house.sinks.clear();
    let (asked_before, given_before) = (house.model.request_count(), house.given());
    let stage = Stage { house, profile, control: false, whole, findings: Mutex::default() };
    println!("{profile:<8} {}", attack.name);
    let outcome = (attack.run)(&stage).await;
    let mut wrong = stage.findings.lock().unwrap().clone();
    wrong.extend(stage.leaked(asked_before, given_before, &outcome));
    wrong.extend(house.strewn().iter().map(|name| format!("{name} lies outside")));
    if let Outcome::Done(how) = &outcome {
        wrong.push(format!("it worked: {how}"));
    }
    let unseen = profile == Profile::None && outcome == Outcome::Shown;
    wrong.extend(unseen.then(|| "it was done, and nobody was there".to_owned()));
    let place = format!("row {} «{}» beside {profile}", attack.row, attack.name);
    report.findings.extend(wrong.into_iter().map(|what| format!("{place}: {what}")));
    outcome
}

/// Each attack where what stops it is taken away: it must work.
async fn controls(attacks: &[Attack], postgres: Option<&Cluster>, report: &mut Report) -> Vec<String> {
    let mut houses: BTreeMap<Option<&'static str>, Vec<usize>> = BTreeMap::new();
    for (place, attack) in attacks.iter().enumerate() {
        houses.entry(attack.control.guard()).or_default().push(place);
    }
    let mut said = vec![String::new(); attacks.len()];
    for (guard, places) in houses {
        let house = house(Weakened { guard }, postgres).await;
        for place in places {
            let attack = &attacks[place];
            let stage = Stage {
                house: &house,
                profile: Profile::Stamp,
                control: true,
                whole: is_whole(),
                findings: Mutex::default(),
            };
            println!("{:<8} {}", "control", attack.name);
            let outcome = (attack.run)(&stage).await;
            said[place] = format!("works {}", attack.control);
            if !matches!(outcome, Outcome::Done(_)) {
                said[place] = format!("DOES NOT WORK {}", attack.control);
                report.findings.push(format!(
                    "row {} «{}» proves nothing: {} it is {outcome}; {:?}",
                    attack.row,
                    attack.name,
                    attack.control,
                    stage.findings.lock().unwrap(),
                ));
            }
        }
        house.model.allow_violations();
        house.running.terminate().await.unwrap();
    }
    said
}

async fn close(house: House, report: &mut Report) {
    report.findings.extend(house.complaints().into_iter().map(|line| format!("in the log: {line}")));
    let violations = house.model.violations();
    report.findings.extend(violations.into_iter().map(|what| format!("a provider would refuse: {what}")));
    house.model.allow_violations();
    let log = std::fs::read(&house.log).unwrap();
    let everybody = [canary::Reach::Nobody, canary::Reach::Inside];
    report.findings.extend(house.detector.find(&log, &everybody).map(|what| format!("{what} in the log")));
    let House { running, program, .. } = house;
    let ended = running.terminate().await.unwrap();
    if ended != Some(0) {
        report.findings.push(format!("the server ended with {ended:?}"));
    }
    let doctor = program.run(&["doctor", "--json"], "").await.unwrap();
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    if !said.contains("The audit log is intact") {
        report.findings.push(format!("the audit log is not whole: {said}"));
    }
}

/// The words of the control's column.
impl std::fmt::Display for Control {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Permitted => f.write_str("where it is permitted"),
            Self::Unhindered => f.write_str("outside"),
            Self::AtHome => f.write_str("where its owner allows it"),
            Self::Without(guard) => write!(f, "without {}", guard.trim_start_matches("guard_")),
        }
    }
}
