//! What a piece of a reply, a turn and an open stream cost the program, counted and not timed: instructions and allocations, by
//! valgrind. The counts are those of an unoptimised build; they are there to show when something is done twice.

mod counted;
mod lock_step;

use counted::{Counts, Work, counted};

/// What the program may need for one piece of a reply with one reader, from the model's socket to the reader's. Seen: 288,000 to
/// 291,000 instructions. Background jobs allocate by the clock, so allocations vary with the speed of the machine: 8 to 14 were seen.
const INSTRUCTIONS_PER_PIECE: u64 = 340_000;
const ALLOCATIONS_PER_PIECE: f64 = 30.0;
/// For a plain turn with five pieces, from the request to its end. Each has more to tell the model than the one before. Seen:
/// 35,000,000 to 35,200,000, and 1,440 to 1,690.
const INSTRUCTIONS_PER_TURN: u64 = 40_000_000;
const ALLOCATIONS_PER_TURN: f64 = 2_900.0;
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
fn each(less: Counts, more: Counts, units: u64) -> (u64, f64) {
    let instructions = more.instructions.saturating_sub(less.instructions) / units;
    (instructions, more.allocations.saturating_sub(less.allocations) as f64 / units as f64)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_piece_a_turn_and_a_stream_cost_no_more_than_they_need() {
    if !counted::is_possible() {
        return;
    }
    let (short, long) = tokio::join!(counted(SHORT), counted(LONG));
    let (many, crowd) = tokio::join!(counted(MANY), counted(CROWDED));
    let (few, more) = tokio::join!(counted(FEW_OPEN), counted(MORE_OPEN));
    let pieces = u64::from(LONG.turns * (LONG.pieces - SHORT.pieces));
    let piece = each(short, long, pieces);
    let turn = each(short, many, u64::from(MANY.turns - SHORT.turns));
    let stream = more.live_bytes.saturating_sub(few.live_bytes) / u64::from(MORE_OPEN.open - FEW_OPEN.open);
    println!("a piece: {piece:?}; a turn: {turn:?}; a stream: {stream} bytes");
    assert!(piece.0 <= INSTRUCTIONS_PER_PIECE, "{} instructions for a piece", piece.0);
    assert!(piece.1 <= ALLOCATIONS_PER_PIECE, "{} allocations for a piece", piece.1);
    assert!(turn.0 <= INSTRUCTIONS_PER_TURN, "{} instructions for a turn", turn.0);
    assert!(turn.1 <= ALLOCATIONS_PER_TURN, "{} allocations for a turn", turn.1);
    assert!(stream <= BYTES_PER_STREAM, "{stream} bytes for a stream");
    // The control: five more readers are more work for each piece, and the limit of instructions notices it. Allocations vary too
    // much for that, but both runs of a piece vary alike.
    let crowded = each(short, crowd, u64::from(CROWDED.turns * (CROWDED.pieces - SHORT.pieces)));
    println!("a piece with six readers: {crowded:?}");
    assert!(crowded.0 > INSTRUCTIONS_PER_PIECE, "{} instructions, as with one reader", crowded.0);
    assert!(crowded.1 > 1.5 * piece.1, "{} allocations, as with one reader", crowded.1);
}
