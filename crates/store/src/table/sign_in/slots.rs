//! How much people have open at once, at all nodes together (the table `seats`). A node takes slots before it gives them out, and each node writes its own
//! rows only; those of a node that is dead count no more, without anything having to be given back.

use crate::{Result, Tx, args, turns::nodes::clock};
use domain::{NodeId, Timestamp, UserId};

/// What a node wants of one kind, for a person or for one of their sign-ins and API keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotWish {
    pub who: String,
    pub kind: &'static str,
    /// Fewer are of no use.
    pub fewest: u64,
    /// More than it needs now, so that it need not ask for each.
    pub best: u64,
    /// What there is of it.
    pub most: u64,
}

/// What came of a wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotAnswer {
    /// So many are the node's now.
    Has(u64),
    /// The others have so many that there are too few.
    Full,
}

/// Takes slots for a node, for all wishes or, where one is [`SlotAnswer::Full`], for none. Until the transaction ends, no other node takes
/// any of the same person's.
pub fn take(
    tx: &mut Tx,
    node: NodeId,
    person: UserId,
    wishes: &[SlotWish],
    given: Timestamp,
) -> Result<Vec<SlotAnswer>> {
    let lock = "INSERT INTO seats (who, kind, node, held) VALUES ($1, '', '', 0) \
                ON CONFLICT (who, kind, node) DO UPDATE SET held = 0";
    tx.run(lock, args![person])?;
    let now = clock(tx, "$4");
    let others = format!(
        "SELECT CAST(COALESCE(SUM(s.held), 0) AS BIGINT) FROM seats s JOIN nodes n ON n.id = s.node \
         WHERE s.who = $1 AND s.kind = $2 AND s.node <> $3 AND n.lease_until >= {now}"
    );
    let mut answers = Vec::with_capacity(wishes.len());
    for wish in wishes {
        let taken: u64 = tx.one(&others, args![wish.who.as_str(), wish.kind, node, given])?;
        let left = wish.most.saturating_sub(taken);
        answers.push(if left < wish.fewest {
            SlotAnswer::Full
        } else {
            SlotAnswer::Has(wish.best.min(left))
        });
    }
    if !answers.contains(&SlotAnswer::Full) {
        for (wish, slots) in wishes.iter().zip(&answers) {
            if let SlotAnswer::Has(slots) = slots {
                put(tx, node, &wish.who, wish.kind, *slots)?;
            }
        }
    }
    Ok(answers)
}

/// So many are the node's, whatever others have: it has given them out, or has given some back.
pub fn put(tx: &mut Tx, node: NodeId, who: &str, kind: &str, slots: u64) -> Result<()> {
    if slots == 0 {
        let sql = "DELETE FROM seats WHERE who = $1 AND kind = $2 AND node = $3";
        tx.run(sql, args![who, kind, node])?;
        return Ok(());
    }
    let sql = "INSERT INTO seats (who, kind, node, held) VALUES ($1, $2, $3, $4) \
               ON CONFLICT (who, kind, node) DO UPDATE SET held = $4";
    tx.run(sql, args![who, kind, node, slots])?;
    Ok(())
}

/// A process that has just become this node has given out none.
pub fn leave(tx: &mut Tx, node: NodeId) -> Result<()> {
    tx.run("DELETE FROM seats WHERE node = $1", args![node])?;
    Ok(())
}

/// Forgets the rows of nodes that are no more, and the locks.
pub fn prune(tx: &mut Tx) -> Result<u64> {
    tx.run("DELETE FROM seats WHERE node NOT IN (SELECT id FROM nodes)", args![])
}
