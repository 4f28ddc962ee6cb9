//! How much may be there at once.

use super::Kind;
use engine::SlotRules;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Open connections of everybody together; a few more are kept back for health checks and the owner.
    pub connections: usize,
    /// Requests at once of those who have not proved who they are: all together, and from one address.
    pub strangers: usize,
    pub strangers_per_address: usize,
    /// What one person may have at once. One login or key of theirs may have half of it.
    pub requests_per_person: usize,
    pub streams_per_person: usize,
    pub sockets_per_person: usize,
    pub uploads_per_person: usize,
}

impl Default for Capacity {
    fn default() -> Self {
        Self {
            connections: 6_000,
            strangers: 512,
            strangers_per_address: 64,
            requests_per_person: 256,
            streams_per_person: 200,
            sockets_per_person: 64,
            uploads_per_person: 8,
        }
    }
}

impl Capacity {
    /// Of the control socket: the person who holds it competes with no one else.
    pub(crate) fn unshared(connections: usize) -> Self {
        let most = usize::MAX;
        Self {
            connections,
            strangers: most,
            strangers_per_address: most,
            requests_per_person: most,
            streams_per_person: most,
            sockets_per_person: most,
            uploads_per_person: most,
        }
    }

    fn of(&self, kind: Kind) -> usize {
        match kind {
            Kind::Request => self.requests_per_person,
            Kind::Stream => self.streams_per_person,
            Kind::Socket => self.sockets_per_person,
            Kind::Upload => self.uploads_per_person,
        }
    }

    /// What one person may have at once; `None` where that is not counted. A window or a program that has gone wild leaves its
    /// person something to stop it with.
    pub(super) fn slots(&self, kind: Kind) -> Option<SlotRules> {
        let most = self.of(kind);
        let ahead = match kind {
            Kind::Request => most / AHEAD,
            Kind::Stream | Kind::Socket | Kind::Upload => 0,
        };
        let rules = SlotRules { kind: kind.name(), most, of_proof: most.div_ceil(2), ahead };
        (most < usize::MAX).then_some(rules)
    }

    /// The descriptors of files that a server of this capacity needs.
    pub fn descriptors(&self) -> u64 {
        let most = self.connections.saturating_add(super::places::RESERVE).saturating_add(OTHER_DESCRIPTORS);
        u64::try_from(most).unwrap_or(u64::MAX)
    }

    /// As much of it as so many descriptors allow.
    pub fn within(self, descriptors: u64) -> Self {
        let descriptors = usize::try_from(descriptors).unwrap_or(usize::MAX);
        let most = descriptors.saturating_sub(super::places::RESERVE).saturating_sub(OTHER_DESCRIPTORS);
        Self { connections: self.connections.min(most.max(FEWEST)), ..self }
    }
}

/// The part of them that a node takes ahead for a person whose requests come and go.
const AHEAD: usize = 16;
/// For the database, the models, the control socket and programs that run.
const OTHER_DESCRIPTORS: usize = 512;
/// With fewer connections the server could not be used.
const FEWEST: usize = 16;
