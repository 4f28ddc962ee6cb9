//! P1, P2, P3: reading markup while it streams.

pub mod instructions;
mod peers;
mod profiles;
mod wire;

use crate::rounds::{Bound, Measured};
use anyhow::Result;
use markup::{Options, Parser, Reading};
use peers::{FLOOR, OURS, Peer};
use profiles::{ALL, Profile};
use std::{hint::black_box, io::Write, time::Instant};

/// Rows that must not be missed: counts, which are the same on a busy machine.
const GATE: &str = "P2 instructions/byte";
const LINEAR: &str = "P3 instructions of 4 MB / 1 MB";
pub const GATES: [&str; 2] = [GATE, LINEAR];

const BYTES: usize = 1 << 20;
const SIZES: [usize; 4] = [1, 8, 64, 4096];
/// A model writes some hundred bytes a second, a fast one some ten thousand; a reader comes back after 20 ms.
const WINDOWS: [usize; 3] = [64, 1024, 16_384];

pub fn measure(rounds: usize) -> Result<Vec<Measured>> {
    let mixed = profiles::reply(Profile::Mixed, BYTES);
    println!("the mixed reply: {} bytes, {} elements", mixed.len(), read([mixed.as_bytes()]).elements.len());
    let mut rows = vec![invariance()];
    rows.extend(speed(rounds)?);
    rows.extend(instructions_per_byte());
    rows.extend(ALL.map(linearity));
    for window in WINDOWS {
        rows.extend(ALL.map(|profile| wire_row(profile, window)));
    }
    Ok(rows)
}

fn row(what: String, unit: &'static str, must: Bound) -> Measured {
    Measured { what, unit, values: Vec::new(), ratios: Vec::new(), must, aim: Bound::None }
}

/// The share of cuts that change nothing.
fn invariance() -> Measured {
    let mut measured = row("P1 cuts that change nothing".to_owned(), "%", Bound::AtLeast(100.0));
    let (mut same, mut all) = (0_u32, 0_u32);
    for profile in ALL {
        let text = profiles::reply(profile, 32 << 10);
        let whole = read([text.as_bytes()]);
        for cut in (0..text.len()).step_by(7) {
            let (left, right) = text.as_bytes().split_at_checked(cut).unwrap_or_default();
            all += 1;
            same += u32::from(read([left, right]) == whole);
        }
        for size in [1, 2, 3, 4, 5, 8, 64] {
            all += 1;
            same += u32::from(read(text.as_bytes().chunks(size)) == whole);
        }
    }
    measured.values.push(f64::from(same) / f64::from(all) * 100.0);
    measured
}

fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Reading {
    let mut reading = Reading::default();
    let mut parser = Parser::new(Options::default());
    for piece in pieces {
        parser.push_bytes(piece, |event| reading.note(event));
    }
    parser.finish(|event| reading.note(event));
    reading
}

/// The best of three passes in MB/s: whatever else the machine does only makes it slower.
fn megabytes_per_second(peer: &Peer, pieces: &[&str], bytes: usize) -> f64 {
    let passes = (0..3).map(|_| {
        let begun = Instant::now();
        black_box((peer.read)(black_box(pieces)));
        begun.elapsed().as_secs_f64()
    });
    bytes as f64 / passes.fold(f64::INFINITY, f64::min) / 1e6
}

/// Ours, with the ratio to the floor; and the ratio of ours to each peer.
fn speed(rounds: usize) -> Result<Vec<Measured>> {
    let text = profiles::reply(Profile::Mixed, BYTES);
    let mut file = tempfile::NamedTempFile::new()?;
    file.write_all(text.as_bytes())?;
    let mut rows = Vec::new();
    for size in SIZES {
        let pieces = profiles::pieces(&text, size);
        let mut ours = row(format!("P2 markup, {size} B"), "MB/s", Bound::None);
        let others = peers::others();
        let mut theirs: Vec<Measured> = others.iter().map(|peer| against(peer.name, size)).collect();
        let mut node = against("htmlparser2", size);
        for round in 0..=rounds {
            let (own, floor) = if round % 2 == 0 {
                let own = megabytes_per_second(&OURS, &pieces, text.len());
                (own, megabytes_per_second(&FLOOR, &pieces, text.len()))
            } else {
                let floor = megabytes_per_second(&FLOOR, &pieces, text.len());
                (megabytes_per_second(&OURS, &pieces, text.len()), floor)
            };
            let speeds = others.iter().map(|peer| megabytes_per_second(peer, &pieces, text.len()));
            let speeds: Vec<f64> = speeds.collect();
            let javascript =
                if cfg!(feature = "peers") { Some(peers::htmlparser2(file.path(), size)) } else { None };
            if round == 0 {
                if let Some(Err(reason)) = javascript {
                    println!("htmlparser2: not run: {reason}");
                }
                continue;
            }
            ours.values.push(own);
            ours.ratios.push(own / floor);
            for (peer, speed) in theirs.iter_mut().zip(speeds) {
                peer.values.push(speed);
                peer.ratios.push(own / speed);
            }
            if let Some(Ok(speed)) = javascript {
                node.values.push(speed);
                node.ratios.push(own / speed);
            }
        }
        rows.push(ours);
        rows.extend(theirs);
        rows.push(node);
    }
    if !cfg!(feature = "peers") {
        println!("lol_html, html5ever, htmlparser2: not run: `make bench` compares with them");
        rows.retain(|row| !row.values.is_empty());
    }
    Ok(rows)
}

/// The value is the peer's speed, the ratio how many times ours is as fast.
fn against(name: &str, size: usize) -> Measured {
    let must = match (name, size) {
        ("htmlparser2", 8) => Bound::AtLeast(8.0),
        ("lol_html", 8) => Bound::AtLeast(6.0),
        _ => Bound::None,
    };
    row(format!("P2 ours against {name}, {size} B"), "MB/s", must)
}

fn instructions_per_byte() -> Vec<Measured> {
    let case = |size| instructions::Case { profile: Profile::Mixed, bytes: BYTES, size };
    let rows = [8, 64].map(|size| {
        counted(row(format!("{GATE}, {size} B"), "", Bound::AtMost(40.0)), instructions::per_byte(case(size)))
    });
    rows.into()
}

/// Four times the text takes four times as many instructions. Times would say the same on a machine that does nothing else.
fn linearity(profile: Profile) -> Measured {
    let measured = row(format!("{LINEAR}, {profile:?}"), "×", Bound::AtMost(4.2));
    let total = |bytes| {
        let count = instructions::total(instructions::Case { profile, bytes, size: 8 })?;
        anyhow::Ok(count / profiles::reply(profile, bytes).len() as f64)
    };
    counted(measured, total(4 * BYTES).and_then(|large| Ok(4.0 * large / total(BYTES)?)))
}

fn counted(mut measured: Measured, count: Result<f64>) -> Measured {
    match count {
        Ok(count) => measured.values.push(count),
        Err(reason) => println!("{}: not run: {reason}", measured.what),
    }
    measured
}

fn wire_row(profile: Profile, window: usize) -> Measured {
    let must = if profile == Profile::Mixed && window > 64 { Bound::AtMost(4.0) } else { Bound::None };
    let mut measured = row(format!("P3 wire/text, {profile:?}, {window} B"), "×", must);
    measured.values.push(wire::per_text_byte(&profiles::reply(profile, BYTES), window));
    measured
}
