//! What was tried and what came of it, as a table.

use std::collections::BTreeMap;

#[derive(Default)]
pub struct Report {
    routes: BTreeMap<String, [usize; 3]>,
    /// What a route that has done nothing yet was sent the last time, and what it said.
    refusals: BTreeMap<String, String>,
    statuses: BTreeMap<u16, usize>,
    tricks: BTreeMap<&'static str, usize>,
    /// By what is wrong, so that one mistake is told once; with how often it was seen.
    findings: BTreeMap<String, (String, usize)>,
}

impl Report {
    pub fn count(&mut self, route: &str, status: u16, tricks: &[&'static str]) {
        let counts = self.routes.entry(route.to_owned()).or_default();
        counts[0] += 1;
        counts[1] += usize::from(status < 400);
        counts[2] += usize::from(status >= 400);
        *self.statuses.entry(status).or_default() += 1;
        for trick in tricks {
            *self.tricks.entry(trick).or_default() += 1;
        }
    }

    pub fn refused(&mut self, route: &str, example: &str) {
        self.refusals.insert(route.to_owned(), example.to_owned());
    }

    /// Why a route has done nothing yet.
    pub fn refusal(&self, route: &str) -> &str {
        self.refusals.get(route).map_or("it was not tried", String::as_str)
    }

    pub fn found(&mut self, what: String, example: &str) {
        self.findings.entry(what).or_insert_with(|| (example.to_owned(), 0)).1 += 1;
    }

    /// Whether a route has done what it is for.
    pub fn is_done(&self, route: &str) -> bool {
        self.routes.get(route).is_some_and(|counts| counts[1] > 0)
    }

    pub fn print(&self) {
        println!("{:<50} {:>6} {:>6} {:>7}", "route", "calls", "done", "refused");
        for (route, [calls, done, refused]) in &self.routes {
            println!("{route:<50} {calls:>6} {done:>6} {refused:>7}");
        }
        println!("\nstatus: {:?}", self.statuses);
        println!("tricks: {:?}", self.tricks);
    }

    /// Empty when everything is well.
    pub fn findings(&self) -> String {
        let told = self
            .findings
            .iter()
            .map(|(what, (example, times))| format!("{what}\n  {times} times, for instance {example}\n"));
        told.collect()
    }
}
