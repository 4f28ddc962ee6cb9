//! What went wrong, all of it at once.

#[derive(Default)]
pub struct Findings {
    tried: usize,
    wrong: Vec<String>,
}

impl Findings {
    pub fn expect(&mut self, holds: bool, what: impl FnOnce() -> String) {
        self.tried += 1;
        if !holds {
            self.wrong.push(what());
        }
    }

    /// Nothing was found, and enough was tried.
    #[track_caller]
    pub fn none_of(self, at_least: usize) {
        assert!(self.wrong.is_empty(), "{} of {}:\n{}", self.wrong.len(), self.tried, self.wrong.join("\n"));
        assert!(self.tried >= at_least, "only {} were tried", self.tried);
    }
}
