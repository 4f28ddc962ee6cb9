//! `[limits]`: how far a turn may go where its agent says nothing.

use super::{
    duration::{parse_duration, shown_duration},
    raw::{Raw, wrong},
    setting::{Setting, ShownSetting},
};
use crate::{error::Result, time_zone};
use engine::{ApprovalSettings, BudgetSettings, FileSettings, TurnSettings};
use std::{ops::RangeInclusive, time::Duration};

pub const SECTION: &str = "limits";
pub const KEYS: &[&str] = &[
    "steps",
    "approval_expiry",
    "upload_mb",
    "upload_quota_mb",
    "attached_tokens",
    "compact_at",
    "budget_per_turn_microusd",
    "budget_per_day_microusd",
    "budget_time_zone",
    "retry_for",
    "model_silence",
    "lease",
];

/// A turn that goes on asking for longer than this looks like one that hangs.
const LONGEST_RETRY: Duration = Duration::from_secs(60 * 60);
const LEAST_SILENCE: Duration = Duration::from_secs(5);
const LONGEST_SILENCE: Duration = Duration::from_secs(60 * 60);

/// Below this a node that is merely slow counts as dead; above, people wait too long for what a dead one left.
const LEASES: RangeInclusive<Duration> = Duration::from_secs(3)..=Duration::from_secs(5 * 60);

const USUAL_EXPIRY: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Model calls per turn.
    pub steps: Setting<u32>,
    /// How long an approval waits before it means no.
    pub approval_expiry: Setting<Duration>,
    /// How large one file may be.
    pub upload_mb: Setting<u64>,
    /// What all files of one person may have together.
    pub upload_quota_mb: Setting<u64>,
    /// What the files of one message may have in a prompt together, in tokens; the rest is read by a tool.
    pub attached_tokens: Setting<u64>,
    /// How full a model's window may be before a conversation is summarised, in per cent; 0 = never by itself.
    pub compact_at: Setting<u32>,
    /// What each person may spend in one turn, and in one day, of whom no admin has said it.
    pub budget_per_turn: Setting<Option<u64>>,
    pub budget_per_day: Setting<Option<u64>>,
    /// Where the midnight is at which a day of every budget ends.
    pub budget_zone: Setting<String>,
    /// How long a turn goes on asking a model that is away.
    pub retry_for: Setting<Duration>,
    /// How long a model may say nothing before its answer, and in the middle of it.
    pub model_silence: Setting<Duration>,
    /// How long a server keeps its turns without a sign of life.
    pub lease: Setting<Duration>,
}

impl Limits {
    /// What the engine is told of turns.
    pub fn turn(&self, takes_up: bool) -> TurnSettings {
        let limits = domain::Limits {
            steps: self.steps.value,
            compact_at: self.compact_at.value,
            ..domain::Limits::default()
        };
        // How patiently a model that is away is asked again.
        let patience = u64::try_from(self.retry_for.value.as_millis()).unwrap_or(u64::MAX);
        let policy = engine::Policy::default().patient_for(patience);
        TurnSettings { takes_up, limits, policy, lease: self.lease.value, ..TurnSettings::default() }
    }

    pub fn budget(&self) -> BudgetSettings {
        let default = domain::Budget {
            per_turn_microusd: self.budget_per_turn.value,
            per_day_microusd: self.budget_per_day.value,
        };
        BudgetSettings { default, zone: self.budget_zone.value.clone() }
    }

    pub fn files(&self) -> FileSettings {
        FileSettings {
            upload_bytes: self.upload_mb.value << 20,
            upload_quota: self.upload_quota_mb.value << 20,
            attached_tokens: self.attached_tokens.value,
            ..FileSettings::default()
        }
    }

    pub fn approvals(&self) -> ApprovalSettings {
        ApprovalSettings { expiry: self.approval_expiry.value }
    }

    pub(super) fn read(raw: &mut Raw) -> Result<Self> {
        let steps = match raw.integer(SECTION, "steps")? {
            Some(Setting { value, origin }) => {
                let steps = u32::try_from(value).unwrap_or(0);
                let limits = domain::Limits { steps, ..domain::Limits::default() };
                if limits.problem().is_some() {
                    return Err(wrong(&origin, SECTION, "steps", &format!("must be 1 to 500, not {value}")));
                }
                Setting { value: steps, origin }
            }
            None => Setting::default(domain::Limits::default().steps),
        };
        let some = Duration::from_millis(1)..=Duration::MAX;
        let approval_expiry =
            time(raw, "approval_expiry", USUAL_EXPIRY, some, "a time such as 30m, 24h or 7d")?;
        let compact_at = compact_at(raw)?;
        let upload_mb = number(raw, "upload_mb", 20, 1_000)?;
        let upload_quota_mb = number(raw, "upload_quota_mb", 1_024, 1_000_000)?;
        let attached_tokens =
            number(raw, "attached_tokens", FileSettings::default().attached_tokens, 1_000_000)?;
        let budget_per_turn = money(raw, "budget_per_turn_microusd")?;
        let budget_per_day = money(raw, "budget_per_day_microusd")?;
        let budget_zone = budget_zone(raw)?;
        let retry_for = time(
            raw,
            "retry_for",
            usual_patience().0,
            Duration::ZERO..=LONGEST_RETRY,
            "a time from 0s (never retry) to 1h, such as 90s",
        )?;
        let model_silence = time(
            raw,
            "model_silence",
            usual_patience().1,
            LEAST_SILENCE..=LONGEST_SILENCE,
            "a time from 5s to 1h, such as 120s",
        )?;
        let lease =
            time(raw, "lease", TurnSettings::default().lease, LEASES, "a time from 3s to 5m, such as 15s")?;
        Ok(Self {
            steps,
            approval_expiry,
            upload_mb,
            upload_quota_mb,
            attached_tokens,
            compact_at,
            budget_per_turn,
            budget_per_day,
            budget_zone,
            retry_for,
            model_silence,
            lease,
        })
    }

    pub(super) fn shown(&self) -> Vec<ShownSetting> {
        vec![
            self.steps.shown("limits.steps", self.steps.value.to_string()),
            self.approval_expiry.shown("limits.approval_expiry", shown_duration(self.approval_expiry.value)),
            self.upload_mb.shown("limits.upload_mb", self.upload_mb.value.to_string()),
            self.upload_quota_mb.shown("limits.upload_quota_mb", self.upload_quota_mb.value.to_string()),
            self.attached_tokens.shown("limits.attached_tokens", self.attached_tokens.value.to_string()),
            self.compact_at.shown("limits.compact_at", self.compact_at.value.to_string()),
            self.budget_per_turn.shown("limits.budget_per_turn_microusd", amount(self.budget_per_turn.value)),
            self.budget_per_day.shown("limits.budget_per_day_microusd", amount(self.budget_per_day.value)),
            self.budget_zone.shown("limits.budget_time_zone", self.budget_zone.value.clone()),
            self.retry_for.shown("limits.retry_for", shown_duration(self.retry_for.value)),
            self.model_silence.shown("limits.model_silence", shown_duration(self.model_silence.value)),
            self.lease.shown("limits.lease", shown_duration(self.lease.value)),
        ]
    }
}

/// What the engine and the wires take where the settings say nothing.
fn usual_patience() -> (Duration, Duration) {
    (Duration::from_millis(engine::Policy::PATIENCE_MS), provider::ModelsSettings::default().stall)
}

fn time(
    raw: &mut Raw,
    key: &str,
    usual: Duration,
    range: RangeInclusive<Duration>,
    wanted: &str,
) -> Result<Setting<Duration>> {
    let Some(Setting { value, origin }) = raw.text(SECTION, key)? else { return Ok(Setting::default(usual)) };
    match parse_duration(&value).filter(|time| range.contains(time)) {
        Some(value) => Ok(Setting { value, origin }),
        None => Err(wrong(&origin, SECTION, key, &format!("must be {wanted}, not `{value}`"))),
    }
}

fn compact_at(raw: &mut Raw) -> Result<Setting<u32>> {
    let Some(Setting { value, origin }) = raw.integer(SECTION, "compact_at")? else {
        return Ok(Setting::default(domain::Limits::default().compact_at));
    };
    let per_cent = u32::try_from(value).unwrap_or(u32::MAX);
    let limits = domain::Limits { compact_at: per_cent, ..domain::Limits::default() };
    match limits.problem() {
        None => Ok(Setting { value: per_cent, origin }),
        Some(_) => {
            let problem = format!("must be 10 to 95 percent, or 0 for never, not {value}");
            Err(wrong(&origin, SECTION, "compact_at", &problem))
        }
    }
}

fn amount(value: Option<u64>) -> String {
    value.map_or_else(|| "no limit".to_owned(), |value| value.to_string())
}

fn money(raw: &mut Raw, key: &str) -> Result<Setting<Option<u64>>> {
    let Some(Setting { value, origin }) = raw.integer(SECTION, key)? else {
        return Ok(Setting::default(None));
    };
    let budget = domain::Budget { per_day_microusd: u64::try_from(value).ok(), ..domain::Budget::NONE };
    match budget.per_day_microusd.filter(|_| budget.problem().is_none()) {
        Some(value) => Ok(Setting { value: Some(value), origin }),
        None => {
            let problem = format!("must be 0 to 1000000000000 millionths of a dollar, not {value}");
            Err(wrong(&origin, SECTION, key, &problem))
        }
    }
}

fn budget_zone(raw: &mut Raw) -> Result<Setting<String>> {
    match raw.text(SECTION, "budget_time_zone")? {
        Some(setting) if time_zone::is_zone(&setting.value) => Ok(setting),
        Some(Setting { value, origin }) => {
            let problem =
                format!("must be the name of a time zone such as Europe/Athens or UTC, not `{value}`");
            Err(wrong(&origin, SECTION, "budget_time_zone", &problem))
        }
        None => Ok(Setting::default(time_zone::local().unwrap_or_else(|| "UTC".to_owned()))),
    }
}

fn number(raw: &mut Raw, key: &str, default: u64, most: u64) -> Result<Setting<u64>> {
    let Some(Setting { value, origin }) = raw.integer(SECTION, key)? else {
        return Ok(Setting::default(default));
    };
    match u64::try_from(value).ok().filter(|value| (1..=most).contains(value)) {
        Some(value) => Ok(Setting { value, origin }),
        None => Err(wrong(&origin, SECTION, key, &format!("must be 1 to {most}, not {value}"))),
    }
}
