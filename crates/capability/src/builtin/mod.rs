//! The capabilities that come with the program, one file each.

mod attachments;
mod colleagues;
mod current_time;
mod knowledge;
mod noop;
mod prompt_response_handler;
mod research;
mod sandbox;
mod schedules;
mod search;
mod session_file_system;
mod stateless_todo_list;
mod test_math;
mod test_weather;
mod web_fetch;
mod web_search;
mod zone;

use crate::{Capability, Equipment};
use std::sync::Arc;

/// In the order in which they are listed.
pub fn all(equipment: &Equipment) -> Vec<Arc<dyn Capability>> {
    vec![
        Arc::new(noop::Noop),
        Arc::new(current_time::CurrentTime),
        Arc::new(research::Research { searches: equipment.web_search }),
        Arc::new(sandbox::Sandbox::new(&equipment.programs)),
        Arc::new(session_file_system::SessionFileSystem),
        Arc::new(attachments::AttachedFiles),
        Arc::new(test_math::TestMath),
        Arc::new(test_weather::TestWeather),
        Arc::new(stateless_todo_list::StatelessTodoList),
        Arc::new(web_fetch::WebFetch),
        Arc::new(web_search::WebSearch { configured: equipment.web_search }),
        Arc::new(prompt_response_handler::PromptResponseHandler),
        Arc::new(colleagues::Colleagues),
        Arc::new(knowledge::AgentMemory),
        Arc::new(schedules::AgentSchedules),
        Arc::new(search::OwnSearch),
    ]
}
