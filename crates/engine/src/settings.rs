//! What can be set about the engine: one struct per room, filled by the sections of the configuration.

use crate::{
    agents::settings::PromptSettings,
    budget::settings::BudgetSettings,
    claim::settings::TurnSettings,
    errands::settings::ErrandSettings,
    files::settings::FileSettings,
    knowledge::settings::KnowledgeSettings,
    permission::settings::ApprovalSettings,
    ports::outside::Outside,
    schedules::settings::ScheduleSettings,
    summaries::settings::SummarySettings,
    upkeep::settings::{BackupSettings, StorageSettings},
};
use people::PeopleSettings;

#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub turn: TurnSettings,
    pub budget: BudgetSettings,
    pub files: FileSettings,
    pub people: PeopleSettings,
    pub prompt: PromptSettings,
    pub knowledge: KnowledgeSettings,
    pub approvals: ApprovalSettings,
    pub errands: ErrandSettings,
    pub schedules: ScheduleSettings,
    pub summaries: SummarySettings,
    pub backups: BackupSettings,
    pub storage: StorageSettings,
    /// What tools reach beyond the database.
    pub outside: Outside,
}
