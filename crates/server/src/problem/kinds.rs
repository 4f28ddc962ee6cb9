//! Every kind of problem there is. A code that is not in this list cannot be answered: [`Problem::new`] looks it up.
//!
//! [`Problem::new`]: super::Problem::new

/// One kind of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProblemKind {
    /// For programs; its meaning never changes.
    pub code: &'static str,
    pub status: u16,
    /// The same for every problem of this kind.
    pub title: &'static str,
    /// What whoever gets it can do.
    pub remedy: &'static str,
}

const fn kind(code: &'static str, status: u16, title: &'static str, remedy: &'static str) -> ProblemKind {
    ProblemKind { code, status, title, remedy }
}

/// By status, then by name.
#[rustfmt::skip]
pub(crate) const KINDS: &[ProblemKind] = &[
    kind("bad_ability", 400, "The ability cannot be saved like this", "Correct what the detail names."),
    kind("bad_agent_file", 400, "This is no file of an agent", "Import what an export of this version wrote."),
    kind("bad_after_seq", 400, "after_seq is beyond the log", "Use the seq of an event that exists, or leave it out."),
    kind("bad_answer", 400, "The prompt takes another answer", "Answer as the detail says."),
    kind("bad_attachments", 400, "The attachments cannot be used", "Send at most as many as the detail says, each once."),
    kind("bad_body", 400, "The body broke off", "Send the whole body."),
    kind("bad_capabilities", 400, "A capability or tool does not fit", "Choose among the entries of /v1/capabilities; two tools of one name do not go together."),
    kind("bad_category", 400, "There is no such list", "Give one of the names in the detail, or none."),
    kind("bad_command", 400, "The command is written otherwise", "Write it as the detail says; /help and its name say more."),
    kind("bad_condition", 400, "The condition is not understood", "Correct it at the character that the detail names."),
    kind("bad_cursor", 400, "The cursor is not one of ours", "Begin again without a cursor, or follow with after=0."),
    kind("bad_expiry", 400, "The end lies in the past", "Give a later expires_at, or none."),
    kind("bad_field", 400, "A field is wrong", "Correct the field that the detail names."),
    kind("bad_file_path", 400, "There can be no such path", "Write the path as the detail says."),
    kind("bad_filter", 400, "The filter cannot be used", "Give a shorter one, or a correct regular expression, as the detail says."),
    kind("bad_header", 400, "A header is wrong", "Send the header that the detail names once, as plain text."),
    kind("bad_idempotency_key", 400, "The idempotency key has no usable form", "Use 1 to 255 visible characters."),
    kind("bad_json", 400, "The body is not JSON", "Send one JSON object in UTF-8."),
    kind("bad_language", 400, "The language is none", "Give a BCP 47 tag, for instance en or pt-BR."),
    kind("bad_limit", 400, "The limit is out of its range", "Give a whole number in the range that the detail names."),
    kind("bad_budget", 400, "A budget is out of its range", "Give millionths of a dollar in the range that the detail names."),
    kind("bad_limits", 400, "A limit of the agent is out of its range", "Give a number in the range that the detail names."),
    kind("bad_multipart", 400, "The form cannot be read", "Send multipart/form-data as the detail says."),
    kind("bad_name", 400, "The name cannot be used", "Choose a name of 1 to 200 characters without control characters or spaces around it."),
    kind("bad_parameters", 400, "A parameter of the model is out of its range", "Give a number in the range that the detail names."),
    kind("bad_password", 400, "The password cannot be used", "Choose another, as the detail says."),
    kind("bad_pattern", 400, "The pattern cannot be used", "Write a smaller or a correct one, as the detail says."),
    kind("bad_path", 400, "The path cannot be used", "Leave it out, or give a whole path on the server's own machine."),
    kind("bad_prompt_tree", 400, "The prompt tree cannot be used", "Correct what the detail names; every id is there once."),
    kind("bad_provider", 400, "The provider cannot be used", "Correct what the detail names: base_url, models or api_key."),
    kind("bad_query", 400, "A parameter in the query is wrong", "Correct the parameter that the detail names."),
    kind("bad_read_seq", 400, "read_seq is beyond the log", "Use the seq of an event that exists."),
    kind("bad_request", 400, "The request cannot be read", "Correct the request."),
    kind("bad_rule", 400, "The rule cannot be used", "Correct what the detail names."),
    kind("bad_search", 400, "There is nothing to search for", "Give some words, not too many."),
    kind("bad_template", 400, "The words are no template", "Correct them in the line that the detail names."),
    kind("bad_tool_rules", 400, "A word of the agent about a tool cannot be used", "Correct what the detail names."),
    kind("bad_time_zone", 400, "The time zone is none", "Give an IANA name, for instance Europe/Athens."),
    kind("binary_frame", 400, "A frame of bytes", "Send text frames with JSON on the WebSocket."),
    kind("empty_answer", 400, "The answer is empty", "Say something."),
    kind("empty_message", 400, "The message is empty", "Write something."),
    kind("key_in_query", 400, "A key in the URL", "Send the key in the header Authorization, and make a new one: URLs are written into logs."),
    kind("key_needed", 400, "The key was meant for another address", "Send api_key together with the new base_url."),
    kind("model_cannot_see", 400, "The model cannot see pictures", "Choose a model with the ability `images`, or send words alone."),
    kind("no_session", 400, "There is no session yet", "Say something first, or send the session_id of one of your sessions."),
    kind("no_file", 400, "There is no file in the form", "Send a form with one file."),
    kind("one_file", 400, "More than one file in the form", "Send one file per request."),
    kind("not_an_image", 400, "The attachment is not a picture", "Attach PNG, JPEG, GIF or WebP."),
    kind("missing_name", 400, "A name is missing", "Send a name."),
    kind("scope_not_offered", 400, "A yes holds for this call alone", "Approve with scope once."),
    kind("too_many", 400, "Too many entries", "Send fewer, as the detail says."),
    kind("unknown_agent", 400, "There is no such agent", "Use the id of one of your own agents."),
    kind("unknown_command", 400, "There is no such command", "Type /help for those there are."),
    kind("unknown_handler", 400, "There is no such handler", "Use \"basic\"."),
    kind("unknown_model", 400, "There is no such model", "Choose one of /v1/models."),
    kind("unknown_type", 400, "There is no such type of message", "Send one of the types that the WebSocket takes."),
    kind("unknown_user", 400, "There is no such user", "Use the name of a person of this house."),
    kind("refused", 400, "The request was refused", "Correct the request."),
    kind("bad_credentials", 401, "Name and password do not fit", "Try again; the owner or an admin can set a new password."),
    kind("bad_setup_token", 401, "The set-up link does not count", "Use the newest link that the program shows."),
    kind("unauthorized", 401, "Who are you?", "Sign in, or send a valid API key in the header Authorization: Bearer KEY."),
    kind("confirmation_required", 403, "Prove once more who you are", "Send your password to POST /v1/me/confirm, then try again within 5 minutes."),
    kind("foreign_origin", 403, "The page is not one of ours", "Call from the address of this server."),
    kind("not_yours", 403, "The agent is shared with you", "Ask its owner or an admin."),
    kind("origin_required", 403, "Which page does this come from?", "Send the header Origin with the cookie, or use a key."),
    kind("owner_untouchable", 403, "Only the owner changes the owner", "Ask the owner."),
    kind("role_insufficient", 403, "Your role does not allow this", "Ask the owner or an admin."),
    kind("scope_insufficient", 403, "The key may not do this", "Use a key with a wider scope."),
    kind("wrong_password", 403, "That is not your password", "Try again; the owner or an admin can set a new one."),
    kind("not_found", 404, "There is no such thing", "Check the id; what belongs to somebody else looks the same."),
    kind("unknown_route", 404, "There is nothing at this address", "Look into /openapi.json for what there is."),
    kind("method_not_allowed", 405, "Not with this method", "Use one of the methods in the header Allow."),
    kind("body_timeout", 408, "The body took too long", "Send it again, faster."),
    kind("approval_settled", 409, "The approval has its answer", "Nothing is to be done; the agent may ask again."),
    kind("digest_mismatch", 409, "The answer is to something else", "Read the approval again, and send its digest."),
    kind("too_many_rules", 409, "There are too many rules", "Delete some that are no longer needed."),
    kind("agent_archived", 409, "The agent is archived", "Set its status to active."),
    kind("agent_gone", 409, "The agent no longer exists", "Begin a session with another agent."),
    kind("agent_in_use", 409, "The agent has sessions", "Archive or delete its sessions first."),
    kind("agent_not_shared", 409, "The agent is no longer shared with you", "Ask its owner; what was said stays readable."),
    kind("already_set_up", 409, "The house has an owner", "Sign in instead."),
    kind("backup_failed", 409, "The backup did not succeed", "Do what the detail says and try again."),
    kind("backup_running", 409, "A backup is being made", "Wait for its end."),
    kind("cannot_remove", 409, "This person stays", "Neither the owner nor you yourself can be removed."),
    kind("directory_not_empty", 409, "The folder is not empty", "Delete it with recursive=true, or what is in it first."),
    kind("file_quota", 409, "There is no more room for files", "Delete files of this session first."),
    kind("file_read_only", 409, "The file is read-only", "Write it with read_only=false first."),
    kind("is_directory", 409, "This is a folder", "Name a file."),
    kind("not_a_directory", 409, "This is a file", "Name a folder."),
    kind("root_directory", 409, "This is the root folder", "Name a file or folder in it."),
    kind("key_not_in_file", 409, "The master key is not in a file", "Keep it in a file to change it, as the detail says."),
    kind("provider_fixed", 409, "The provider is set elsewhere", "Change it where the detail says that it is set."),
    kind("main_agent", 409, "The agent main stays", "Choose another agent."),
    kind("name_taken", 409, "The name is taken", "Choose another name."),
    kind("no_backup_folder", 409, "There is no folder for backups", "Set backup.folder."),
    kind("no_login", 409, "Nobody is signed in here", "Sign in first; a key and the terminal need none of this."),
    kind("no_owner", 409, "The house has no owner yet", "Create one: majordomo user add NAME --role owner."),
    kind("no_startup", 409, "There is nothing to start with", "Give the agent a process that sessions begin with, as the detail says."),
    kind("not_idempotent", 409, "This cannot be repeated", "Send it without Idempotency-Key."),
    kind("compacting", 409, "A summary is being made", "Wait for the event compaction_complete."),
    kind("nothing_to_answer", 409, "Nobody waits for an answer", "Send it as an ordinary message, without a mode."),
    kind("nothing_to_retry", 409, "There is nothing to try again", "Retry follows a turn that failed, was stopped or reached a limit."),
    kind("one_owner", 409, "There is exactly one owner", "Choose another role."),
    kind("own_password", 409, "This is your own password", "Use POST /v1/me/password, which asks for the old one."),
    kind("own_role", 409, "This is your own role", "Ask another admin."),
    kind("question_settled", 409, "The question waits no longer", "Send a message instead."),
    kind("session_archived", 409, "The session is archived", "Take it out with POST /v1/sessions/{id}/unarchive."),
    kind("session_busy", 409, "A turn is running", "Stop it, or wait for its end."),
    kind("too_many_abilities", 409, "Too many abilities", "Delete one first."),
    kind("too_many_keys", 409, "Too many keys", "Revoke one first."),
    kind("upload_quota", 409, "There is no more room for files", "Delete sessions with files in them, or ask for a larger quota."),
    kind("user_busy", 409, "Their agents are still at work", "Try again in a moment."),
    kind("user_exists", 409, "There is such a user already", "Choose another name."),
    kind("too_large", 413, "Too large", "Send less, as the detail says."),
    kind("attachments_unsupported", 415, "Only words are taken here", "Send the words alone, as message."),
    kind("bad_picture", 415, "The picture is damaged", "Save it anew, and send that."),
    kind("type_mismatch", 415, "The file is not what it says it is", "Send it with the type that it has."),
    kind("unsupported_file", 415, "Files of this kind are not taken", "Send a file of one of the kinds that the detail names."),
    kind("unsupported_media_type", 415, "The body is of the wrong type", "Send the content type that the detail names."),
    kind("misdirected", 421, "This server has another name", "Use an address of this server, or add the name to server.hosts."),
    kind("idempotency_mismatch", 422, "The idempotency key was used for something else", "Use a new key for something new."),
    kind("not_a_websocket", 426, "This address is a WebSocket", "Send the headers of its handshake, version 13."),
    kind("queue_full", 429, "Too many messages are waiting", "Try again after Retry-After, when some are answered."),
    kind("too_many_attempts", 429, "That was tried too often", "Try again after Retry-After."),
    kind("too_many_logins", 429, "Too many people are signing in", "Try again after Retry-After."),
    kind("too_many_messages", 429, "Too many messages", "Wait a moment and send them again."),
    kind("too_many_subscriptions", 429, "Too many sessions are followed", "Unsubscribe from one first."),
    kind("internal", 500, "Something unexpected happened", "Look for the X-Request-Id of the answer in the log."),
    kind("shutting_down", 503, "The server is shutting down", "Try again after Retry-After."),
    kind("too_slow", 503, "The reader fell behind", "Open the stream again and read faster."),
    kind("unavailable", 503, "It does not work at the moment", "Try again after Retry-After."),
    kind("disk_full", 507, "The disk is full", "Make room on the disk of the database; reading still works."),
];

pub(crate) fn find(code: &str) -> Option<&'static ProblemKind> {
    KINDS.iter().find(|kind| kind.code == code)
}

/// Every kind of problem there is, for whoever checks or documents them.
pub fn problem_kinds() -> &'static [ProblemKind] {
    KINDS
}

#[cfg(test)]
#[path = "kinds_tests.rs"]
mod tests;
