//! The capabilities that come with the program, one file each.

mod colleagues;
mod current_time;
mod noop;
mod prompt_response_handler;
mod session_file_system;
mod stateless_todo_list;
mod test_math;
mod test_weather;
mod zone;

use crate::Capability;
use std::sync::Arc;

/// In the order in which they are listed.
pub fn all() -> Vec<Arc<dyn Capability>> {
    vec![
        Arc::new(noop::Noop),
        Arc::new(current_time::CurrentTime),
        Arc::new(session_file_system::SessionFileSystem),
        Arc::new(test_math::TestMath),
        Arc::new(test_weather::TestWeather),
        Arc::new(stateless_todo_list::StatelessTodoList),
        Arc::new(prompt_response_handler::PromptResponseHandler),
        Arc::new(colleagues::Colleagues),
    ]
}
