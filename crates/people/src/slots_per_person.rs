//! How much a person, and each of their sign-ins and API keys, may have open at once, at all nodes together.
//!
//! A node that is alone counts in memory. Beside others it gives out only slots that it has taken in the database before, where of two
//! nodes that take at once the second counts the first. Of what is short and frequent it takes some ahead, and gives them back when they
//! were not used for a while; of the rest it takes one for one. What a dead node had counts no more.

use crate::{
    People,
    error::{Error, Result},
};
use domain::{NodeId, UserId};
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use store::{
    Tx,
    slots::{self, SlotAnswer, SlotWish},
};

/// How long other nodes get to give back what they took ahead.
const GIVEN_BACK: Duration = Duration::from_millis(100);

/// What of one kind there is for a person.
#[derive(Clone, Copy, Debug)]
pub struct SlotRules {
    pub kind: &'static str,
    pub most: usize,
    /// One sign-in or API key may have so many of them.
    pub of_proof: usize,
    /// So many more than are needed are taken where there are other nodes.
    pub ahead: usize,
}

/// Why there is no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FullSlots {
    OfPerson,
    OfProof,
}

/// For whom, and of which kind.
type SlotKey = (String, &'static str);

/// A place that is needed: the person's, or that of their proof.
struct Needed {
    key: SlotKey,
    most: usize,
    ahead: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct SlotCount {
    /// Given out.
    used: usize,
    /// The most that was given out since the last look.
    peak: usize,
    /// That may be given out beside other nodes.
    taken: usize,
    /// What the database says; `None` while that is not known.
    stored: Option<usize>,
    ahead: bool,
}

impl SlotCount {
    fn is_over(&self) -> bool {
        self.used == 0 && self.taken == 0 && self.stored.unwrap_or(1) == 0
    }

    /// What is to be this node's from now on.
    fn due(&self, returned: ReturnedSlots) -> usize {
        match (self.ahead, returned) {
            (true, ReturnedSlots::Single) => self.used.max(self.taken),
            (true, ReturnedSlots::Unneeded) => self.used.max(self.peak.min(self.taken)),
            (true, ReturnedSlots::All) | (false, _) => self.used,
        }
    }
}

/// What is given back of what is not given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnedSlots {
    /// What was taken one for one.
    Single,
    /// And what was taken ahead, and not needed since the last look.
    Unneeded,
    /// And what was taken ahead: another node lacks it.
    All,
}

enum Sat {
    SlotAnswer,
    Full(FullSlots),
    /// There may be one, but this node has to take it first.
    Lacks,
}

struct PersonSlots {
    counts: Mutex<HashMap<SlotKey, SlotCount>>,
    /// Of this process, one at a time takes slots of this person or gives them back.
    desk: tokio::sync::Mutex<()>,
}

impl PersonSlots {
    fn new() -> Self {
        Self { counts: Mutex::default(), desk: tokio::sync::Mutex::default() }
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<SlotKey, SlotCount>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sit(&self, needed: &[Needed; 2], has_others: bool) -> Sat {
        sit(&mut self.counts(), needed, has_others)
    }

    /// What has to be taken for one more, in the order in which all take their rows.
    fn wishes(&self, needed: &[Needed; 2]) -> Vec<SlotWish> {
        let mut counts = self.counts();
        let mut wishes = Vec::new();
        for Needed { key, most, ahead } in needed {
            let count = counts.entry(key.clone()).or_insert(NEW);
            if count.used < count.taken {
                continue;
            }
            count.stored = None;
            let fewest = count.used.saturating_add(1);
            wishes.push(SlotWish {
                who: key.0.clone(),
                kind: key.1,
                fewest: wide(fewest),
                best: wide(fewest.saturating_add(*ahead).min(*most)),
                most: wide(*most),
            });
        }
        wishes.sort_by(|a, b| a.who.cmp(&b.who));
        wishes
    }

    /// They are this node's now; one is given out at once, before another request can have it.
    fn sit_on(&self, wishes: &[SlotWish], answers: &[SlotAnswer], needed: &[Needed; 2]) -> Sat {
        let mut counts = self.counts();
        for (wish, answers) in wishes.iter().zip(answers) {
            if let (Some(count), SlotAnswer::Has(slots)) =
                (counts.get_mut(&(wish.who.clone(), wish.kind)), answers)
            {
                let slots = usize::try_from(*slots).unwrap_or(usize::MAX);
                (count.taken, count.stored) = (slots, Some(slots));
            }
        }
        sit(&mut counts, needed, true)
    }

    fn rise(&self, keys: &[SlotKey; 2]) -> bool {
        let mut counts = self.counts();
        let mut is_due = false;
        for key in keys {
            if let Some(count) = counts.get_mut(key) {
                count.used = count.used.saturating_sub(1);
                is_due |= count.due(ReturnedSlots::Single) != count.taken;
            }
        }
        counts.retain(|_, count| !count.is_over());
        is_due
    }

    /// What the database is to be told. What is given back is not given out any more, from before it is told.
    fn returns(&self, returned: ReturnedSlots) -> BTreeMap<SlotKey, usize> {
        let mut counts = self.counts();
        let mut told = BTreeMap::new();
        for (key, count) in counts.iter_mut() {
            let due = count.due(returned);
            count.taken = count.taken.min(due);
            if returned != ReturnedSlots::Single {
                count.peak = count.used;
            }
            if count.stored != Some(due) {
                count.stored = None;
                told.insert(key.clone(), due);
            }
        }
        told
    }

    fn note_told(&self, told: BTreeMap<SlotKey, usize>) {
        let mut counts = self.counts();
        for (key, slots) in told {
            if let Some(count) = counts.get_mut(&key) {
                (count.taken, count.stored) = (slots, Some(slots));
            }
        }
        counts.retain(|_, count| !count.is_over());
    }
}

/// As the database knows it that has no row.
const NEW: SlotCount = SlotCount { used: 0, peak: 0, taken: 0, stored: Some(0), ahead: false };

fn sit(counts: &mut HashMap<SlotKey, SlotCount>, needed: &[Needed; 2], has_others: bool) -> Sat {
    let mut lacks = false;
    for (Needed { key, most, .. }, full) in needed.iter().zip([FullSlots::OfPerson, FullSlots::OfProof]) {
        let count = counts.get(key).copied().unwrap_or(NEW);
        if count.used >= *most {
            return Sat::Full(full);
        }
        lacks |= has_others && count.used >= count.taken;
    }
    if lacks {
        return Sat::Lacks;
    }
    for Needed { key, ahead, .. } in needed {
        let count = counts.entry(key.clone()).or_insert(NEW);
        count.used = count.used.saturating_add(1);
        count.peak = count.peak.max(count.used);
        count.ahead = *ahead > 0;
    }
    Sat::SlotAnswer
}

fn wide(slots: usize) -> u64 {
    u64::try_from(slots).unwrap_or(u64::MAX)
}

#[derive(Default)]
pub(crate) struct Slots {
    people: Mutex<HashMap<UserId, Arc<PersonSlots>>>,
}

impl Slots {
    fn people(&self) -> MutexGuard<'_, HashMap<UserId, Arc<PersonSlots>>> {
        self.people.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(&self, user: UserId) -> Arc<PersonSlots> {
        self.people().entry(user).or_insert_with(|| Arc::new(PersonSlots::new())).clone()
    }

    /// Called with one reference besides the one in the list.
    fn forget(&self, user: UserId, person: &Arc<PersonSlots>) {
        let mut people = self.people();
        let is_listed = people.get(&user).is_some_and(|known| Arc::ptr_eq(known, person));
        if is_listed && Arc::strong_count(person) <= 2 && person.counts().is_empty() {
            people.remove(&user);
        }
    }
}

/// One of what a person may have open, until it is dropped.
pub struct HeldSlot {
    people: People,
    user: UserId,
    person: Arc<PersonSlots>,
    keys: [SlotKey; 2],
}

impl Drop for HeldSlot {
    fn drop(&mut self) {
        if self.person.rise(&self.keys) {
            self.people.inner.other_nodes.stir();
        }
        self.people.inner.slots.forget(self.user, &self.person);
    }
}

impl People {
    /// A slot for a person who has come with this proof, or why there is none.
    ///
    /// THREAT[crowd-01] What one person, or one program with one key, has open is bounded, so that it is never all there is.
    pub async fn take_slot(
        &self,
        user: UserId,
        proof: &str,
        rules: SlotRules,
    ) -> Result<std::result::Result<HeldSlot, FullSlots>> {
        let SlotRules { kind, most, of_proof, ahead } = rules;
        let needed = [
            Needed { key: (user.to_string(), kind), most, ahead },
            Needed { key: (format!("by {proof}"), kind), most: of_proof, ahead },
        ];
        let person = self.inner.slots.of(user);
        let mut sat = self.sit(user, &person, &needed).await?;
        if let (Sat::Full(_), true) = (&sat, ahead > 0 && self.inner.other_nodes.has_others()) {
            // Others may have some that they took ahead: they hear of it, and give them back.
            self.inner.other_nodes.note_short();
            tokio::time::sleep(GIVEN_BACK).await;
            sat = self.sit(user, &person, &needed).await?;
        }
        let [Needed { key: of_person, .. }, Needed { key: of_proof, .. }] = needed;
        Ok(match sat {
            Sat::Full(full) => {
                self.inner.slots.forget(user, &person);
                Err(full)
            }
            Sat::SlotAnswer | Sat::Lacks => {
                Ok(HeldSlot { people: self.clone(), user, person, keys: [of_person, of_proof] })
            }
        })
    }

    async fn sit(&self, user: UserId, person: &PersonSlots, needed: &[Needed; 2]) -> Result<Sat> {
        let other_nodes = &self.inner.other_nodes;
        let mut sat = person.sit(needed, other_nodes.has_others());
        if let (Sat::Lacks, Some(node)) = (&sat, other_nodes.node()) {
            let _desk = person.desk.lock().await;
            // What another request took ahead may be enough for this one.
            sat = person.sit(needed, other_nodes.has_others());
            while let Sat::Lacks = sat {
                sat = match self.take_from_all(node, user, person, needed).await {
                    // What is stored can be read while nothing can be written: meanwhile each node counts by itself.
                    Err(Error::Store(error)) if error.is_transient() => person.sit(needed, false),
                    taken => taken?,
                };
            }
        }
        Ok(sat)
    }

    async fn take_from_all(
        &self,
        node: NodeId,
        user: UserId,
        person: &PersonSlots,
        needed: &[Needed; 2],
    ) -> Result<Sat> {
        let (wishes, now) = (person.wishes(needed), self.now());
        let wanted = wishes.clone();
        let take = move |tx: &mut Tx| slots::take(tx, node, user, &wanted, now);
        let answers = self.store().write(take).await?;
        let full = wishes.iter().zip(&answers).find(|(_, answers)| **answers == SlotAnswer::Full);
        Ok(match full {
            Some((wish, _)) if needed.first().is_some_and(|of_person| of_person.key.0 == wish.who) => {
                Sat::Full(FullSlots::OfPerson)
            }
            Some(_) => Sat::Full(FullSlots::OfProof),
            None => person.sit_on(&wishes, &answers, needed),
        })
    }

    /// A process that has just become this node has given out no slots.
    pub async fn forget_old_slots(&self) -> Result<()> {
        let Some(node) = self.inner.other_nodes.node() else { return Ok(()) };
        Ok(self.store().write(move |tx: &mut Tx| slots::leave(tx, node)).await?)
    }

    /// Tells the database how many slots are this node's, where that has changed.
    pub async fn return_slots(&self, returned: ReturnedSlots) -> Result<()> {
        let Some(node) = self.inner.other_nodes.node().filter(|_| self.inner.other_nodes.has_others()) else {
            return Ok(());
        };
        let people: Vec<(UserId, Arc<PersonSlots>)> =
            self.inner.slots.people().iter().map(|(user, person)| (*user, person.clone())).collect();
        for (user, person) in people {
            let _desk = person.desk.lock().await;
            let told = person.returns(returned);
            if !told.is_empty() {
                let rows = told.clone();
                let write = move |tx: &mut Tx| {
                    rows.iter()
                        .try_for_each(|((who, kind), slots)| slots::put(tx, node, who, kind, wide(*slots)))
                };
                self.store().write(write).await?;
                person.note_told(told);
            }
            self.inner.slots.forget(user, &person);
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "slots_per_person_tests.rs"]
mod tests;
