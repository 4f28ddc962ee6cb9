//! What the engine promises, tried on a real store with a scripted model. The only fake is the model.

#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "tests end the tasks that they start")]

/// Makes a test on SQLite and one on PostgreSQL of each function, which is told whether it is the latter.
macro_rules! on_both_databases {
    ($($name:ident),+ $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test]
            async fn $name() {
                super::$name(false).await;
            })+
        }

        mod on_postgres {
            $(#[tokio::test]
            async fn $name() {
                if crate::world::postgres().await.is_some() {
                    super::$name(true).await;
                }
            })+
        }
    };
}

mod world;

mod agents;
mod budget;
mod calls;
mod commands;
mod errands;
mod files;
mod follow;
mod inbox;
mod knowledge;
mod model;
mod permission;
mod ports;
mod recovery;
mod reply;
mod schedules;
mod sessions;
mod summaries;
mod upkeep;
mod waiting;
mod worker;
