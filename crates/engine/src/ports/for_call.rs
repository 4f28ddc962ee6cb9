//! What a call is given to work with: its context, and of the ports those that its tool declared and no others.

use super::output_order::NotedOrder;
use crate::claim::turn_context::TurnView;
use capability::{Port, Ports, ResolvedTool, ToolContext};
use domain::{CallId, Label};
use prompt::provenance_label::SeenLabel;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What the ports of a call know of it, and note while it runs.
pub(crate) struct CallNotes {
    /// Collects the labels of everything that the call reads.
    pub(crate) seen: SeenLabel,
    /// The label of everything that the gate knew of when it let the call run.
    pub(crate) weighed: Label,
    /// In which order its program spoke, for its result.
    pub(crate) order: NotedOrder,
}

/// What a call is given: what its tool declared, and no more. `stop` ends it.
pub(crate) async fn context(
    at: &mut TurnView<'_>,
    call: CallId,
    tool: &ResolvedTool,
    notes: &CallNotes,
    stop: &CancellationToken,
) -> ToolContext {
    let turn = at.turn;
    if at.owner.person.is_none() {
        at.owner.person = turn.engine.people().user(turn.session.user_id).await.ok();
    }
    ToolContext {
        session_id: turn.session.id,
        turn_id: turn.turn_id,
        call_id: call,
        user_id: turn.session.user_id,
        time_zone: at.owner.time_zone(),
        idempotency_key: call.to_string(),
        clock: turn.engine.inner.clock.clone(),
        cancelled: stop.clone(),
        settings: turn.resolved.settings(&tool.capability),
        values: at.owner.placeholder_values(turn),
        ports: ports(at, call, tool, notes),
    }
}

/// One arm per port.
fn ports(at: &TurnView<'_>, call: CallId, tool: &ResolvedTool, notes: &CallNotes) -> Ports {
    let (turn, CallNotes { seen, weighed, .. }) = (at.turn, notes);
    let engine = || turn.engine.clone();
    let (user, session) = (turn.session.user_id, turn.session.id);
    tool.tool.ports().iter().fold(Ports::default(), |ports, port| match port {
        Port::Files => ports.with_files(Arc::new(super::files::CallFiles::new(turn, call, seen.clone()))),
        Port::Attachments => {
            ports.with_attachments(Arc::new(super::attachments::CallAttachments::new(turn, seen.clone())))
        }
        Port::Http => {
            let seen = seen.clone();
            ports.with_http(Arc::new(super::http::CallHttp { engine: engine(), weighed: *weighed, seen }))
        }
        Port::Knowledge => {
            ports.with_knowledge(Arc::new(super::knowledge::CallKnowledge::new(turn, call, seen.clone())))
        }
        Port::Schedules => {
            ports.with_schedules(Arc::new(super::schedules::CallSchedules::new(turn, call, seen.clone())))
        }
        Port::PastSearch => ports.with_recall(Arc::new(super::recall::CallRecall::new(turn, seen.clone()))),
        Port::WebSearch => ports.with_web_search(Arc::new(super::web_search::CallSearch {
            engine: engine(),
            user,
            agent: at.owner.paying_agent(turn),
            session,
            turn: turn.turn_id,
        })),
        Port::Processes => {
            ports.with_processes(Arc::new(super::programs::CallProcesses::new(turn, call, notes)))
        }
        Port::Colleagues => {
            ports.with_colleagues(Arc::new(super::colleagues::CallColleagues::new(at, call, seen.clone())))
        }
        Port::Commands => ports.with_commands(Arc::new(super::commands::AgentCommands {
            engine: engine(),
            user,
            session,
            idempotency_key: call.to_string(),
        })),
    })
}
