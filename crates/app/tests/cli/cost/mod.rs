//! What a piece of a reply, a turn and an open stream cost the program, counted and not timed: instructions and allocations, by
//! valgrind. The counts are those of an unoptimised build; they are there to show when something is done twice.

mod counted;
mod lock_step;

use counted::{Counts, Work, counted};

/// What the program may need for one piece of a reply with one reader, from the model's socket to the reader's. Seen: 255,000 to
/// 275,000 instructions; 13 allocations, every time.
const INSTRUCTIONS_PER_PIECE: u64 = 310_000;
const ALLOCATIONS_PER_PIECE: u64 = 14;
/// For a plain turn with five pieces, from the request to its end. Each has more to tell the model than the one before. Seen:
/// 17,800,000 to 18,900,000, and 1,590 to 1,640: background jobs allocate by the clock, and there are too few turns to tell theirs
/// from those of a turn.
const INSTRUCTIONS_PER_TURN: u64 = 23_000_000;
const ALLOCATIONS_PER_TURN: u64 = 2_900;
/// What stays on the heap for a reply that is being written and read. Seen: 82,000 to 116,000, by how
/// far those jobs have come.
const BYTES_PER_STREAM: u64 = 150_000;

const SHORT: Work = Work { turns: 3, pieces: 5, readers: 1, open: 0 };
const LONG: Work = Work { pieces: 205, ..SHORT };
const CROWDED: Work = Work { pieces: 305, readers: 6, ..SHORT };
const MANY: Work = Work { turns: 18, ..SHORT };
const FEW_OPEN: Work = Work { turns: 0, pieces: 5, readers: 1, open: 2 };
const MORE_OPEN: Work = Work { open: 17, ..FEW_OPEN };

/// What each unit of `more` costs beyond those of `less`.
fn each(less: u64, more: u64, units: u64) -> u64 {
    more.saturating_sub(less) / units
}

/// Instructions and allocations of a piece, by a run with more of them than `less` has.
fn piece(less: &Counts, more: &Counts, work: Work) -> (u64, u64) {
    let pieces = u64::from(work.turns * (work.pieces - SHORT.pieces));
    (each(less.instructions, more.instructions, pieces), less.allocations_of_each(more, pieces))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_piece_a_turn_and_a_stream_cost_no_more_than_they_need() {
    if !counted::is_possible() {
        return;
    }
    let (short, long) = tokio::join!(counted(SHORT), counted(LONG));
    let (many, crowd) = tokio::join!(counted(MANY), counted(CROWDED));
    let (few, more) = tokio::join!(counted(FEW_OPEN), counted(MORE_OPEN));
    let one = piece(&short, &long, LONG);
    let turns = u64::from(MANY.turns - SHORT.turns);
    let turn = (
        each(short.instructions, many.instructions, turns),
        each(short.allocations, many.allocations, turns),
    );
    let stream = each(few.live_bytes, more.live_bytes, u64::from(MORE_OPEN.open - FEW_OPEN.open));
    println!("a piece: {one:?}; a turn: {turn:?}; a stream: {stream} bytes");
    assert!(one.0 <= INSTRUCTIONS_PER_PIECE, "{} instructions for a piece", one.0);
    assert!(one.1 <= ALLOCATIONS_PER_PIECE, "{} allocations for a piece", one.1);
    assert!(turn.0 <= INSTRUCTIONS_PER_TURN, "{} instructions for a turn", turn.0);
    assert!(turn.1 <= ALLOCATIONS_PER_TURN, "{} allocations for a turn", turn.1);
    assert!(stream <= BYTES_PER_STREAM, "{stream} bytes for a stream");
    // The control: five more readers are more work for each piece, and the limits notice it.
    let crowded = piece(&short, &crowd, CROWDED);
    println!("a piece with six readers: {crowded:?}");
    assert!(crowded.0 > INSTRUCTIONS_PER_PIECE, "{} instructions, as with one reader", crowded.0);
    assert!(crowded.1 > ALLOCATIONS_PER_PIECE, "{} allocations, as with one reader", crowded.1);
}
