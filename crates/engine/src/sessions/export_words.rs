//! What a downloaded conversation says besides what was said in it, in the language and the time zone of its person.

use chrono::{DateTime, Datelike as _, Timelike as _};
use chrono_tz::Tz;
use domain::{Timestamp, User};

/// The words of one language, as the page has them.
struct Labels {
    conversation: &'static str,
    you: &'static str,
    agent: &'static str,
    attached: &'static str,
    folder_files: &'static str,
    /// What is named here is not in the file.
    left_out: &'static str,
    /// Behind the number of a day.
    ordinal: &'static str,
    months: [&'static str; 12],
}

const ENGLISH: Labels = Labels {
    conversation: "Conversation",
    you: "You",
    agent: "Agent",
    attached: "Attached",
    folder_files: "Files of the folder",
    left_out: "not in this file",
    ordinal: "",
    months: [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
};

const GERMAN: Labels = Labels {
    conversation: "Unterhaltung",
    you: "Sie",
    agent: "Agent",
    attached: "Angehängt",
    folder_files: "Dateien des Ordners",
    left_out: "nicht in dieser Datei",
    ordinal: ".",
    months: [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ],
};

pub(super) struct ExportWords {
    labels: &'static Labels,
    zone: Tz,
}

impl ExportWords {
    pub(super) fn of(user: &User) -> Self {
        let german = user.language.split('-').next().is_some_and(|language| language == "de");
        let labels = if german { &GERMAN } else { &ENGLISH };
        Self { labels, zone: user.time_zone.parse().unwrap_or(Tz::UTC) }
    }

    pub(super) fn conversation(&self) -> &'static str {
        self.labels.conversation
    }

    pub(super) fn you(&self) -> &'static str {
        self.labels.you
    }

    pub(super) fn agent(&self) -> &'static str {
        self.labels.agent
    }

    /// One line with the names of what went with a message; none without.
    pub(super) fn attached(&self, names: &[String]) -> Option<String> {
        (!names.is_empty()).then(|| format!("{}: {}", self.labels.attached, names.join(", ")))
    }

    /// One line with the names of the files that the agent knew from the folder; none without.
    pub(super) fn folder_files(&self, names: &[&str]) -> Option<String> {
        let Labels { folder_files, left_out, .. } = self.labels;
        (!names.is_empty()).then(|| format!("{folder_files} ({left_out}): {}", names.join(", ")))
    }

    /// For instance `4 March 2026, 09:05`.
    pub(super) fn moment(&self, at: Timestamp) -> String {
        let Some(utc) = DateTime::from_timestamp_millis(at.as_millis()) else { return at.to_string() };
        let local = utc.with_timezone(&self.zone);
        let month = self.labels.months.get(local.month0() as usize).copied().unwrap_or_default();
        let (day, ordinal, year) = (local.day(), self.labels.ordinal, local.year());
        format!("{day}{ordinal} {month} {year}, {:02}:{:02}", local.hour(), local.minute())
    }
}

#[cfg(test)]
#[path = "export_words_tests.rs"]
mod tests;
