//! Looking for words in what a person has, by opening it, in pieces: there is no index of the words.

use super::{
    EntryFilter, EntryName, get,
    row::{COLUMNS, EntryRow},
};
use crate::{DataKey, Error, Ranking, Result, Tx, args};
use domain::{EntryId, EntryState, KnowledgeEntry, KnowledgeStore, UserId};

/// Memories, and pages, that are held at once: all of them together have at most so many characters.
const MEMORIES: u32 = 512;
const PAGES: u32 = 16;

/// What is looked for, where, how far that is, and what was found.
pub struct EntryHunt {
    parts: Vec<EntryFilter>,
    /// The part that is looked through, and up to which number it was.
    place: (usize, u64),
    /// `false`: what others had a say in, and what waits, is only counted.
    takes_untrusted: bool,
    ranking: Ranking<EntryId>,
    left_out: u64,
}

impl EntryHunt {
    /// `None` when there is no word in the text.
    pub fn new(text: &str, parts: Vec<EntryFilter>, takes_untrusted: bool) -> Option<Self> {
        let ranking = Ranking::new(text)?;
        Some(Self { parts, place: (0, 0), takes_untrusted, ranking, left_out: 0 })
    }

    /// Goes on where [`EntryHunt::cursor`] was given.
    pub fn from_cursor(mut self, cursor: &str) -> Result<Self> {
        let place = cursor
            .split_once('.')
            .and_then(|(part, number)| Some((part.parse().ok()?, number.parse().ok()?)));
        let known = place.filter(|(part, _)| *part < self.parts.len());
        self.place = known.ok_or(Error::BadCursor)?;
        Ok(self)
    }

    /// Where the next piece goes on; `None` when everything was looked through.
    pub fn cursor(&self) -> Option<String> {
        let (part, number) = self.place;
        (part < self.parts.len()).then(|| format!("{part}.{number}"))
    }

    /// Entries that have any of the words.
    pub fn fitting(&self) -> u64 {
        u64::try_from(self.ranking.fitting()).unwrap_or(u64::MAX)
    }

    /// Entries with the words that were left out, because others had a say in them or they wait for their person.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Looks on until everything was looked through or `enough` says so, which is asked after every entry.
    pub fn look_on(
        &mut self,
        tx: &mut Tx,
        key: &DataKey,
        user: UserId,
        mut enough: impl FnMut() -> bool,
    ) -> Result<()> {
        while let Some(part) = self.parts.get(self.place.0).copied() {
            let sql = format!(
                "SELECT {COLUMNS} FROM knowledge WHERE owner = $1 AND store = $2 AND {} AND number > $4 ORDER BY number LIMIT $5",
                part.condition()
            );
            let most = if part.store == KnowledgeStore::Memory { MEMORIES } else { PAGES };
            let rows: Vec<EntryRow> = tx.all(&sql, args![user, part.store, part.now, self.place.1, most])?;
            if rows.is_empty() {
                self.place = (self.place.0.saturating_add(1), 0);
                continue;
            }
            for row in rows {
                let entry = row.open(key)?;
                self.place.1 = entry.number;
                self.look_at(&entry);
                if enough() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn look_at(&mut self, entry: &KnowledgeEntry) {
        let (part, _) = self.place;
        let seen = |part: &EntryFilter| (part.store, part.state) == (entry.store, entry.state);
        if self.parts.iter().take(part).any(seen) {
            return;
        }
        let texts = [entry.text.title.as_deref().unwrap_or_default(), &entry.text.body];
        // THREAT[memory-05] What waits, and what others had a say in, is found only where it is asked for.
        let is_told = entry.state == EntryState::Kept && !entry.label.is_untrusted();
        match is_told || self.takes_untrusted {
            true => drop(self.ranking.look_at(entry.id, &texts)),
            false if self.ranking.would_fit(&texts) => self.left_out = self.left_out.saturating_add(1),
            false => {}
        }
    }

    /// What fits best, the best first, each with a line of it around what was looked for. What has gone meanwhile is not there.
    pub fn best(
        &self,
        tx: &mut Tx,
        key: &DataKey,
        user: UserId,
        most: u32,
    ) -> Result<Vec<(KnowledgeEntry, String)>> {
        let best = self.ranking.best(usize::try_from(most).unwrap_or(usize::MAX));
        let mut found = Vec::with_capacity(best.len());
        for id in best {
            if let Some(entry) = get(tx, key, user, EntryName::Id(id))? {
                let line = self.ranking.snippet(&entry.text.body);
                found.push((entry, line));
            }
        }
        Ok(found)
    }
}
