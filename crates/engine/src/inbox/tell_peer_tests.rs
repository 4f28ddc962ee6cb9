use super::*;
use capability::Registry;

#[test]
fn no_tool_is_called_like_it() {
    assert!(Registry::builtin().unwrap().tool(TELL_PEER.name).is_none());
}
