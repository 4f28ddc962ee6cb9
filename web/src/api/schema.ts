// Made by scripts/api-types.mjs of /openapi.json. Not to be edited.

export type Ability = { "category"?: string | null; "condition"?: string | null; "content": string; "created_at": Timestamp; "danger": Danger; "description": string; "id": AbilityId; "name": string; "startup": boolean; "tags": (string)[]; "type": AbilityKind; "updated_at": Timestamp };

export type AbilityHelp = { "category"?: string | null; "description": string; "name": string };

export type AbilityId = string;

export type AbilityKind = "process" | "conditional";

export type AbilityList = { "items": (Ability)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type AbilityText = { "category"?: string | null; "condition"?: string | null; "content": string; "danger"?: Danger; "description"?: string; "name": string; "startup"?: boolean; "tags"?: (string)[]; "type"?: AbilityKind };

export type AccountLink = { "created_at": Timestamp; "expires_at": Timestamp; "id": AccountLinkId; "made_by": UserId; "role": UserRole; "user_id": UserId | null };

export type AccountLinkId = string;

export type AccountLinkList = { "items": (AccountLink)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type AccountLinkView = { "expires_at": Timestamp; "made_by": string; "name": string | null; "role": UserRole };

export type AgentFields = { "allowed_tools"?: (string)[] | null; "budget"?: Budget | null; "capabilities"?: (CapabilityRef)[] | null; "handler"?: string | null; "limits"?: LimitsInput | null; "markup"?: MarkupSettingsInput | null; "model"?: string | null; "name"?: string | null; "parameters"?: Parameters | null; "prompt_tree"?: PromptTreeInput | null; "shared_with"?: (Share)[] | null; "status"?: AgentStatus | null; "system_prompt"?: string | null; "tool_rules"?: (ToolRule)[] | null };

export type AgentFile = { "agent": Record<string, unknown>; "format": string; "version": number };

export type AgentId = string;

export type AgentState = "working" | "input_required" | "completed" | "failed" | "cancelled";

export type AgentStatus = "active" | "archived";

export type AgentView = WholeAgent | SharedAgent;

export type AgentViewList = { "items": (AgentView)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type Allowance = { "house": Budget; "own": Budget };

export type Answer = string | boolean | number | (string)[];

export type AnsweredBy = "user" | "timeout";

export type ApiKey = { "created_at": Timestamp; "expires_at": Timestamp | null; "id": ApiKeyId; "name": string; "scope": Scope; "source"?: string | null; "user_id": UserId };

export type ApiKeyId = string;

export type ApiKeyList = { "items": (ApiKey)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type Approval = { "arguments": unknown; "call_id": CallId; "created_at": Timestamp; "danger": Danger; "digest": string; "expires_at": Timestamp; "host"?: string | null; "id": ApprovalId; "label"?: Label | null; "reaches"?: (string)[] | null; "reason"?: string | null; "scopes": (RuleScope)[]; "session_id": SessionId; "shown": (ShownArgument)[]; "status": ApprovalStatus; "tool": string; "turn_id": TurnId; "why": (string)[]; "workplace"?: Workplace | null };

export type ApprovalDecision = "approve" | "deny";

export type ApprovalId = string;

export type ApprovalList = { "items": (Approval)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type ApprovalStatus = "pending" | "approved" | "denied" | "expired";

export type Asker = { "agent_id": AgentId; "name": string; "session_id": SessionId; "waits": boolean };

export type AttachmentKind = "picture" | "file";

export type AuditView = { "action": string; "actor": string; "at": Timestamp; "detail": unknown; "subject": string; "user_id": UserId | null };

export type AuditViewList = { "items": (AuditView)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type Backup = { "bytes": number; "checksum"?: string | null; "done"?: number | null; "kind"?: string | null; "made_at": Timestamp; "name": string; "problem"?: string | null; "rows": number; "schema_version"?: number | null; "status": BackupStatus };

export type BackupList = { "items": (Backup)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type BackupStatus = "reading" | "checking" | "restoring" | "damaged" | "verified";

export type Budget = { "per_day_microusd"?: number | null; "per_turn_microusd"?: number | null };

export type BudgetLeft = { "left_microusd": number | null; "per_day_microusd": number | null; "per_turn_microusd": number | null; "reserved_microusd": number; "resets_at": Timestamp; "spent_microusd": number };

export type CallId = string;

export type CapabilityHelp = { "description": string; "id": string; "name": string; "remedy"?: string | null; "settings_schema"?: unknown; "tools"?: (string)[] | null };

export type CapabilityRef = string | { "id": string; "settings"?: Record<string, unknown> };

export type CapabilitySource = "builtin" | "system" | "user" | "plugin" | "mcp" | "skill";

export type CapabilityStatus = "available" | "coming_soon" | "unavailable" | "deprecated";

export type CapabilityView = { "category": string | null; "dependencies": (string)[]; "description": string; "features": (string)[]; "icon": string | null; "id": string; "name": string; "remedy"?: string | null; "risk": Risk; "settings_schema": unknown; "source": CapabilitySource; "status": CapabilityStatus; "tags"?: (string)[]; "tools": (ToolView)[] };

export type CapabilityViewList = { "items": (CapabilityView)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type CommandAnswer = { "command": string; "data": unknown; "effects": (CommandEffect)[]; "text": string };

export type CommandEffect = { "session_id": SessionId; "type": "open_session" } | { "cursor": Cursor; "session_id": SessionId; "turn_id": TurnId; "type": "follow_turn" };

export type CommandHelp = { "aliases"?: (string)[]; "category": string; "description": string; "details"?: string | null; "forms"?: (Form)[] | null; "name": string; "usage": string };

export type CommandLine = { "attachments"?: (UploadId)[]; "line": string; "model"?: string | null; "session_id"?: SessionId | null };

export type Confidentiality = "public" | "private" | "common";

export type Confirmation = { "password": string };

export type Credentials = { "language"?: string | null; "name": string; "password": string; "time_zone"?: string | null };

export type Cursor = string;

export type Danger = "safe" | "moderate" | "dangerous";

export type DefaultModel = { "configured": string | null; "model": string; "problem": string | null; "source": DefaultSource };

export type DefaultModelFields = { "model": string | null };

export type DefaultSource = "chosen" | "file" | "found" | "demo";

export type EffectClass = "read" | "txn" | "idem" | "effect";

export type ElementHelp = { "description": string; "example": string; "executable": boolean; "name": string };

export type EntryAction = "write" | "delete";

export type EntryAuthor = "person" | "agent" | "flush";

export type EntryDecision = "keep" | "discard";

export type EntryFields = { "body"?: string | null; "pinned"?: boolean | null; "title"?: string | null; "until"?: Timestamp | null };

export type EntryId = string;

export type EntryOrigin = { "agent_id": AgentId | null; "at": Timestamp; "by": EntryAuthor; "call_id": CallId | null; "session_id": SessionId | null; "turn_id": TurnId | null };

export type EntryReview = { "body"?: string | null; "decision": EntryDecision; "title"?: string | null; "version": number };

export type EntryState = "kept" | "proposed" | "gone";

export type EntryUndo = { "version"?: number | null };

export type EntryVersion = { "action": EntryAction; "body": string; "label": Label; "origin": EntryOrigin; "pinned": boolean; "state": VersionState; "title"?: string | null; "until": Timestamp | null; "version": number };

export type EntryVersionList = { "items": (EntryVersion)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type Envelope = { "at": Timestamp; "cursor": Cursor; "seq": number; "session_id": SessionId; "turn_id": TurnId | null } & (EventBody | LiveBody);

export type EnvelopeList = { "items": (Envelope)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type ErrandOutcome = "completed" | "failed" | "cancelled" | "limit" | "expired";

export type EventBody = { "data": { "input_id": InputId; "mode": InputMode; "source": Source; "turn_id": TurnId }; "type": "input_accepted" } | { "data": { "attempt": number; "source": Source }; "type": "turn_started" } | { "data": { "error": TurnError | null; "outcome": TurnOutcome; "usage": Usage }; "type": "turn_ended" } | { "data": { "state": AgentState }; "type": "agent_status" } | { "data": { "message": Message }; "type": "user_message" } | { "data": { "agent_id": AgentId; "agent_name": string; "message_id": MessageId }; "type": "message_start" } | { "data": { "attempt": number; "message_id": MessageId; "retry"?: Retrying | null }; "type": "message_restarted" } | { "data": { "content": string; "elements": (unknown)[]; "executed_elements": number; "message_id": MessageId; "model"?: string | null; "stop_reason": StopReason }; "type": "message_complete" } | { "data": { "call_id": CallId; "id": string; "message_id": MessageId; "offset"?: number | null; "type": string }; "type": "element_executing" } | { "data": { "call_id": CallId; "id": string; "message_id": MessageId; "offset"?: number | null; "result": string; "type": string }; "type": "element_result" } | { "data": { "call_id": CallId; "error": string; "id": string; "message_id": MessageId; "offset"?: number | null; "status": ResultStatus; "type": string }; "type": "element_error" } | { "data": { "arguments": unknown; "call_id": CallId; "element_id": string | null; "message_id": MessageId; "name": string; "offset"?: number | null; "origin": Origin2 }; "type": "tool_use_start" } | { "data": { "call_id": CallId; "content": string; "name": string; "offset"?: number | null; "order"?: (number)[]; "status": ResultStatus }; "type": "tool_result" } | { "data": { "answer"?: string | null; "call_id": CallId; "created_at": Timestamp; "default": string | null; "id": QuestionId; "mode": QuestionMode; "offset"?: number | null; "options": (string)[]; "question": string; "session_id": SessionId; "status": QuestionStatus; "timeout_ms": number | null; "turn_id": TurnId }; "type": "question_prompt" } | { "data": { "answer": string; "by": AnsweredBy; "question_id": QuestionId }; "type": "question_answered" } | { "data": { "arguments": unknown; "call_id": CallId; "created_at": Timestamp; "danger": Danger; "digest": string; "expires_at": Timestamp; "host"?: string | null; "id": ApprovalId; "label"?: Label | null; "offset"?: number | null; "reaches"?: (string)[] | null; "reason"?: string | null; "scopes": (RuleScope)[]; "session_id": SessionId; "shown": (ShownArgument)[]; "status": ApprovalStatus; "tool": string; "turn_id": TurnId; "why": (string)[]; "workplace"?: Workplace | null }; "type": "approval_request" } | { "data": { "approval_id": ApprovalId; "by": AnsweredBy; "decision": ApprovalStatus; "reason"?: string | null; "scope": RuleScope | null }; "type": "approval_result" } | { "data": { "answer": string; "message_id": MessageId; "prompt_id": string }; "type": "prompt_updated" } | { "data": { "abilities": (Injected)[]; "left_out": (string)[]; "message_id": MessageId }; "type": "ability_injected" } | { "data": { "agent_id": AgentId; "agent_name": string; "call_id": CallId; "kind": SessionKind; "session_id": SessionId }; "type": "errand_started" } | { "data": { "call_id": CallId; "outcome": ErrandOutcome; "session_id": SessionId }; "type": "errand_ended" } | { "data": Usage; "type": "usage" } | { "data": { "generation": number; "level": number; "summary_tokens": number; "up_to_seq": number }; "type": "compaction_complete" } | { "data": unknown; "type": "session_updated" } | { "data": TurnError; "type": "error" };

export type FileInfo = { "created_at": Timestamp; "is_directory": boolean; "is_readonly": boolean; "label": Label; "name": string; "path": FilePath; "size_bytes": number; "updated_at": Timestamp };

export type FileInfoList = { "items": (FileInfo)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type FilePath = string;

export type FlatMessage = { "calls"?: (string)[]; "content": string; "role": Role };

export type Folder = { "created_at": Timestamp; "id": FolderId; "instructions": string; "name": string; "updated_at": Timestamp; "version": number };

export type FolderChange = { "instructions"?: string | null; "name"?: string | null; "version"?: number | null };

export type FolderFile = { "id": UploadId; "mime_type": string; "name": string; "own": boolean; "size": number; "text"?: ReadText | null };

export type FolderFileList = { "items": (FolderFile)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type FolderId = string;

export type FolderList = { "items": (Folder)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type FolderText = { "instructions"?: string; "name": string };

export type Fork = { "after_seq"?: number | null };

export type Form = { "description": string; "usage": string };

export type FoundSession = { "agent_id": AgentId; "archived": boolean; "created_at": Timestamp; "folder_id": FolderId | null; "handler": string | null; "hidden": boolean; "id": SessionId; "kind": SessionKind; "label": Label; "last_message": LastMessage | null; "last_seq": number; "match": Match; "memory": boolean; "message_count": number; "model": string | null; "name": string | null; "own_files": boolean; "parent_id": SessionId | null; "pinned": boolean; "read_seq": number; "source": Source | null; "status": SessionStatus; "trusted_seq": number; "updated_at": Timestamp; "usage": Usage; "version_of": SessionId | null };

export type FoundSessionList = { "items": (FoundSession)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type Founding = { "name": string; "password": string; "time_zone"?: string | null; "token": string };

export type GivenPrice = PriceWord | PriceInput;

export type Help = { "abilities"?: (AbilityHelp)[] | null; "capabilities"?: (CapabilityHelp)[] | null; "commands"?: (CommandHelp)[] | null; "elements"?: (ElementHelp)[] | null; "prompts"?: (PromptHelp)[] | null; "tools"?: (ToolHelp)[] | null };

export type HouseNode = { "clock_ahead_ms": number | null; "clock_is_off": boolean; "id": NodeId; "is_this": boolean; "lease_left_ms": number | null; "name": string; "running_turns": number; "seen_at": Timestamp; "started_at": Timestamp; "status": NodeStatus; "version": string };

export type HouseNodeList = { "items": (HouseNode)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type ImportView = { "warnings": (string)[] } & (WholeAgent | SharedAgent);

export type Injected = { "condition": string; "name": string; "tokens": number };

export type InputId = string;

export type InputMode = "queue" | "steer" | "answer";

export type Integrity = "trusted" | "untrusted";

export type Issued = { "created_at": Timestamp; "expires_at": Timestamp | null; "id": ApiKeyId; "name": string; "scope": Scope; "secret": string; "source"?: string | null; "user_id": UserId };

export type IssuedLink = { "created_at": Timestamp; "expires_at": Timestamp; "id": AccountLinkId; "made_by": UserId; "role": UserRole; "token": string; "user_id": UserId | null };

export type Join = { "language"?: string | null; "name"?: string | null; "password": string; "time_zone"?: string | null; "token": string };

export type KeepAction = "pin" | "unpin" | "archive" | "unarchive" | "move" | "delete" | "restore";

export type KeepMany = { "action": KeepAction; "folder_id"?: FolderId | null; "ids": (SessionId)[] };

export type KeepOutcome = "done" | "not_found" | "busy";

export type KeptSession = { "id": SessionId; "outcome": KeepOutcome };

export type KeptSessionList = { "items": (KeptSession)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type KeyFields = { "expires_at"?: Timestamp | null; "name"?: string | null; "scope"?: Scope | null; "source"?: string | null; "user"?: string | null };

export type KnowledgeEntry = { "body": string; "by_person": boolean; "created_at": Timestamp; "id": EntryId; "label": Label; "number": number; "pinned": boolean; "proposal": number | null; "state": EntryState; "store": KnowledgeStore; "title"?: string | null; "until": Timestamp | null; "updated_at": Timestamp; "version": number };

export type KnowledgeEntryList = { "items": (KnowledgeEntry)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type KnowledgeStore = "memory" | "scratchpad";

export type Label = { "confidentiality": Confidentiality; "integrity": Integrity };

export type LastMessage = { "content": string; "created_at": Timestamp; "role": Role; "seq": number };

export type Level = "error" | "warn" | "info";

export type Limits = { "calls_per_step": number; "compact_at": number; "depth": number; "output_tokens": number; "steps": number; "wall_seconds": number; "width": number };

export type LimitsInput = { "calls_per_step"?: number; "compact_at"?: number; "depth"?: number; "output_tokens"?: number; "steps"?: number; "wall_seconds"?: number; "width"?: number };

export type LinkToken = { "token": string };

export type Listed = SessionList | FoundSessionList;

export type LiveBody = { "data": { "message_id": MessageId; "text": string }; "type": "text" } | { "data": { "message_id": MessageId; "text": string }; "type": "thinking" } | { "data": { "attributes": unknown; "executable": boolean; "id": string; "message_id": MessageId; "parent_id": string | null; "type": string }; "type": "element_start" } | { "data": { "delta": string; "id": string; "message_id": MessageId }; "type": "element_update" } | { "data": { "attributes"?: unknown; "content": string; "duration_ms": number; "executable": boolean; "id": string; "message_id": MessageId; "type": string }; "type": "element_complete" } | { "data": { "call_id": CallId; "delta": string; "offset": number }; "type": "tool_output" } | { "data": { "error": string; "id": string | null; "message_id": MessageId; "type": string }; "type": "element_error" };

export type LogLine = { "at": Timestamp; "fields": Record<string, unknown>; "level": Level; "message": string; "number": number; "target": string };

export type LogLineList = { "items": (LogLine)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type LoginId = string;

export type LoginView = { "address": string | null; "confirmed_at": Timestamp | null; "created_at": Timestamp; "current": boolean; "id": LoginId; "seen_at": Timestamp; "user_agent": string | null };

export type LoginViewList = { "items": (LoginView)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type MadeVersion = { "cursor": Cursor; "session": Session; "turn_id": TurnId };

export type MarkupMode = "off" | "display" | "on";

export type MarkupSettings = { "assertions": boolean; "mode": MarkupMode };

export type MarkupSettingsInput = { "assertions"?: boolean; "mode"?: MarkupMode };

export type Match = { "seq": number | null; "snippet": string };

export type Me = { "about_me": string; "budget": Allowance; "id": UserId; "language": string; "name": string; "role": UserRole; "time_zone": string };

export type MeChange = { "about_me"?: string | null; "budget"?: Budget | null; "language"?: string | null; "time_zone"?: string | null };

export type Message = { "asker"?: Asker | null; "content": string; "created_at": Timestamp; "elements": (unknown)[]; "id": MessageId; "label": Label; "meta": Meta; "parts": (Part)[]; "role": Role; "sender"?: Sender | null; "seq": number; "stop_reason"?: StopReason | null; "turn_id": TurnId; "usage"?: Usage | null };

export type MessageId = string;

export type MessageKind = "error" | "limit" | "answer" | "reminder";

export type MessageList = { "items": (Message)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type MessageVersions = { "current": number; "seq": number; "sessions": (SessionId)[] };

export type MessageVersionsList = { "items": (MessageVersions)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type Meta = { "duration"?: number | null; "kind"?: MessageKind | null; "model"?: string | null; "number"?: number | null; "order"?: (number)[]; "shown"?: string | null };

export type MissedRuns = "skip" | "one";

export type ModelInfo = { "abilities": (string)[]; "default": boolean; "id": string; "max_output": number | null; "price": Price | null; "provider": string; "window": number };

export type ModelInfoList = { "items": (ModelInfo)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type Modifier = { "caption"?: string; "content"?: string | null; "context_window_size"?: number | null; "enabled": boolean; "id": string; "kind": ModifierKind; "position"?: Position | null; "source"?: ReplacementSource | null; "target_id": string };

export type ModifierInput = { "caption"?: string; "content"?: string | null; "context_window_size"?: number | null; "enabled"?: boolean; "id": string; "kind": ModifierKind; "position"?: Position | null; "source"?: ReplacementSource | null; "target_id": string };

export type ModifierKind = "full_replacement" | "dynamic_position" | "tool_list";

export type NewAccountLink = { "role"?: UserRole | null; "user_id"?: UserId | null; "valid_hours"?: number | null };

export type NewAnswer = { "answer": string };

export type NewApprovalAnswer = { "decision": ApprovalDecision; "digest": string; "reason"?: string | null; "scope"?: RuleScope | null };

export type NewBackup = { "path"?: string | null };

export type NewEntry = { "body": string; "pinned"?: boolean; "store": KnowledgeStore; "title"?: string | null; "until"?: Timestamp | null };

export type NewFolderFile = { "own"?: boolean; "upload_id": UploadId };

export type NewRule = { "action": Permission; "arguments"?: RuleArguments | null; "expires_at"?: Timestamp | null; "house"?: boolean; "scope"?: RuleScope | null; "subject": Subject; "tool": string };

export type NewSchedule = { "agent_id"?: AgentId | null; "kind"?: ScheduleKind; "max_runs"?: number | null; "missed"?: MissedRuns | null; "note": string; "place": RunPlace; "session_id"?: SessionId | null; "typed"?: boolean; "when": WhenInput };

export type NewSession = { "agent_id": AgentId; "folder_id"?: FolderId | null; "handler"?: string | null; "hidden"?: boolean; "memory"?: boolean; "model"?: string | null; "name"?: string | null; "own_files"?: boolean };

export type NewUser = { "name": string; "password"?: string | null; "role": UserRole; "time_zone"?: string | null };

export type NewVersion = { "attachments"?: (UploadId)[] | null; "content"?: string | null; "model"?: string | null; "seq": number; "typed"?: boolean };

export type NodeId = string;

export type NodeStatus = "serving" | "leaving" | "silent";

export type NodeView = { "caption": string; "children": (NodeView)[]; "enabled": boolean; "id": string; "role": Role | null; "source": (string)[]; "tags": (string)[]; "text": string; "tokens": number };

export type Origin = "file" | "stored" | "environment" | "found";

export type Origin2 = "native" | "element" | "interaction" | "assertion" | "pattern";

export type Parameters = { "max_tokens"?: number | null; "reasoning"?: Reasoning | null; "seed"?: number | null; "temperature"?: number | null; "top_p"?: number | null };

export type Part = { "text"?: string; "type": "text" } | { "type": "image"; "upload_id": UploadId } | { "chars": number; "cut"?: boolean; "kind": string; "name": string; "noun": string; "part"?: string | null; "parts": number; "problem"?: string | null; "read_chars": number; "read_parts": number; "read_tokens": number; "type": "file"; "upload_id": UploadId } | { "text": string; "type": "thinking" } | { "arguments": unknown; "call_id": CallId; "element_id"?: string | null; "name": string; "origin": Origin2; "reference"?: string | null; "target"?: string | null; "type": "call" } | { "call_id": CallId; "content"?: string; "name": string; "status": ResultStatus; "type": "result" } | { "json": unknown; "model": string; "replaces": number; "type": "native" };

export type Passwords = { "new": string; "old": string };

export type Permission = "allow" | "deny" | "ask" | "ask_every_time";

export type Position = "before" | "after" | "relative";

export type Preview = { "messages": (FlatMessage)[]; "model": string; "nodes": (NodeView)[]; "request": string | null; "tokens": number; "tools": (ToolSpec)[]; "warnings": (string)[]; "window": number };

export type PreviewQuestion = { "at"?: Timestamp | null; "changes"?: AgentFields | null; "session_id"?: SessionId | null; "text"?: string };

export type PreviewedWhen = { "when": WhenInput };

export type Price = { "cached": number | null; "input": number; "output": number; "stored": number | null };

export type PriceInput = { "cached"?: number | null; "input": number; "output": number; "stored"?: number | null };

export type PriceWord = "free";

export type PromptAnswer = { "answer": Answer };

export type PromptHelp = { "description": string; "name": string; "usage": string };

export type PromptNode = { "caption"?: string; "children"?: (PromptNode)[]; "enabled": boolean; "id": string; "role"?: Role | null; "source"?: (string)[]; "tags"?: (string)[]; "text"?: string };

export type PromptNodeInput = { "caption"?: string; "children"?: (PromptNodeInput)[]; "enabled"?: boolean; "id": string; "role"?: Role | null; "source"?: (string)[]; "tags"?: (string)[]; "text"?: string };

export type PromptTree = { "modifiers": (Modifier)[]; "nodes": (PromptNode)[]; "response": (PromptNode)[] };

export type PromptTreeInput = { "modifiers"?: (ModifierInput)[]; "nodes"?: (PromptNodeInput)[]; "response"?: (PromptNodeInput)[] };

export type ProviderChange = { "images": Record<string, boolean | null> };

export type ProviderFields = { "api_key"?: string | null; "base_url"?: string | null; "images"?: Record<string, boolean> | null; "models"?: (string)[]; "price"?: GivenPrice | null; "prices"?: Record<string, GivenPrice>; "wire"?: Wire | null };

export type ProviderStatus = { "advice": string | null; "base_url": string; "detail": string | null; "has_api_key": boolean; "images": Record<string, boolean>; "models": (string)[]; "name": string; "origin": Origin; "price": Price | null; "prices": Record<string, Price>; "source": string; "status": Reachability; "wire": Wire };

export type ProviderStatusList = { "items": (ProviderStatus)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type Question = { "answer"?: string | null; "call_id": CallId; "created_at": Timestamp; "default": string | null; "id": QuestionId; "mode": QuestionMode; "options": (string)[]; "question": string; "session_id": SessionId; "status": QuestionStatus; "timeout_ms": number | null; "turn_id": TurnId };

export type QuestionId = string;

export type QuestionList = { "items": (Question)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type QuestionMode = "demand" | "timeout";

export type QuestionStatus = "pending" | "answered" | "expired" | "withdrawn";

export type QueuedAttachment = { "kind": AttachmentKind; "name": string; "upload_id": UploadId };

export type QueuedMessage = { "attachments": (QueuedAttachment)[]; "content": string; "created_at": Timestamp; "input_id": InputId; "mode": InputMode; "model": string | null; "source": Source; "turn_id": TurnId };

export type QueuedMessageList = { "items": (QueuedMessage)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type Reachability = "reachable" | "failed" | "unknown";

export type Read = { "seq": number };

export type ReadText = { "chars": number; "cut"?: boolean; "kind": string; "noun": string; "part"?: string | null; "parts": number; "problem"?: string | null };

export type Reasoning = "off" | "low" | "medium" | "high";

export type ReplacementSource = "history_of_session" | "llm_response";

export type ResultStatus = "ok" | "error" | "denied" | "unknown";

export type Retried = { "cursor": Cursor; "turn_id": TurnId };

export type Retrying = { "error": TurnError; "of": number; "wait_ms": number };

export type Risk = "low" | "medium" | "high";

export type Role = "user" | "assistant" | "tool" | "system";

export type Rule = { "action": Permission; "arguments"?: RuleArguments | null; "created_at": Timestamp; "expires_at": Timestamp | null; "id": RuleId; "scope": RuleScope; "subject": Subject; "tool": string; "user_id": UserId | null };

export type RuleArguments = { "exact": unknown } | { "template": unknown } | { "host": string };

export type RuleId = string;

export type RuleList = { "items": (Rule)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type RuleScope = "once" | "session" | "always";

export type RunOutcome = "running" | "completed" | "failed" | "cancelled" | "waiting" | "limit" | "skipped_overlap" | "skipped_missed";

export type RunPlace = "here" | "fresh" | "own";

export type SavedPrompt = { "content": string; "created_at": Timestamp; "description": string; "id": SavedPromptId; "name": string; "updated_at": Timestamp };

export type SavedPromptId = string;

export type SavedPromptList = { "items": (SavedPrompt)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type SavedPromptText = { "content": string; "description"?: string; "name": string };

export type Schedule = { "agent_id": AgentId; "created_at": Timestamp; "failures": number; "id": ScheduleId; "kind": ScheduleKind; "label": Label; "max_runs": number | null; "missed": MissedRuns; "next_at": Timestamp | null; "note": string; "number": number; "place": RunPlace; "revision": number; "runs": number; "session_id": SessionId | null; "state": ScheduleState; "updated_at": Timestamp; "when": When };

export type ScheduleChange = { "max_runs"?: number | null; "missed"?: MissedRuns | null; "note"?: string | null; "typed"?: boolean; "when"?: WhenInput | null };

export type ScheduleId = string;

export type ScheduleKind = "run" | "reminder";

export type ScheduleList = { "items": (Schedule)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type SchedulePreview = { "description": string; "times": (Timestamp)[] };

export type ScheduleRun = { "code": string | null; "due_at": Timestamp; "ended_at": Timestamp | null; "fired_at": Timestamp; "missed": number; "outcome": RunOutcome; "session_id": SessionId | null; "turn_id": TurnId | null };

export type ScheduleRunList = { "items": (ScheduleRun)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type ScheduleState = "active" | "paused" | "stopped" | "ended";

export type Scope = "full" | "read" | "chat" | "bridge";

export type Sender = { "name"?: string | null; "source": string };

export type Session = { "agent_id": AgentId; "archived": boolean; "created_at": Timestamp; "folder_id": FolderId | null; "handler": string | null; "hidden": boolean; "id": SessionId; "kind": SessionKind; "label": Label; "last_message": LastMessage | null; "last_seq": number; "memory": boolean; "message_count": number; "model": string | null; "name": string | null; "own_files": boolean; "parent_id": SessionId | null; "pinned": boolean; "read_seq": number; "source": Source | null; "status": SessionStatus; "trusted_seq": number; "updated_at": Timestamp; "usage": Usage; "version_of": SessionId | null };

export type SessionChange = { "folder_id"?: FolderId | null; "handler"?: string | null; "memory"?: boolean | null; "model"?: string | null; "name"?: string | null; "own_files"?: boolean | null; "pinned"?: boolean | null; "read_seq"?: number | null };

export type SessionId = string;

export type SessionKind = "own" | "colleague" | "subagent";

export type SessionLink = { "created_at": Timestamp; "id": SessionLinkId; "secret": string; "session_id": SessionId; "up_to_seq": number };

export type SessionLinkId = string;

export type SessionLinkList = { "items": (SessionLink)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type SessionList = { "items": (Session)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type SessionStatus = "idle" | "working" | "input_required" | "failed";

export type SetupState = { "needed": boolean };

export type Share = string;

export type SharedAgent = { "capabilities": (string)[]; "created_at": Timestamp; "id": AgentId; "model": string | null; "name": string; "offered": boolean; "shared_by": UserId; "shared_by_name": string; "status": AgentStatus; "updated_at": Timestamp; "works_with_files": boolean };

export type SharedConversation = { "items": (SharedMessage)[]; "name": string | null; "next_cursor": string | null; "shared_at": Timestamp; "shared_by": string };

export type SharedMessage = { "author"?: string | null; "content": string; "created_at": Timestamp; "elements": (unknown)[]; "kind"?: MessageKind | null; "role": Role; "seq": number };

export type ShownArgument = { "name": string; "value": string };

export type Source = "web" | "cli" | "bridge" | "agent" | "schedule";

export type StopReason = "completed" | "tool_use" | "length" | "interrupted" | "cancelled";

export type Subject = string;

export type Timestamp = string;

export type ToolHelp = { "capability": string; "class"?: EffectClass | null; "description": string; "example": unknown; "name": string; "parameters"?: unknown };

export type ToolRule = { "action": Permission; "arguments"?: RuleArguments | null; "tool": string };

export type ToolSpec = { "description": string; "name": string; "parameters": unknown };

export type ToolView = { "class": EffectClass; "description": string; "name": string; "parameters": unknown };

export type TurnError = { "code": string; "message": string; "retryable": boolean };

export type TurnId = string;

export type TurnOutcome = "completed" | "failed" | "cancelled" | "limit";

export type Upload = { "id": UploadId; "mime_type": string; "name": string; "size": number; "text"?: ReadText | null };

export type UploadForm = { "file": unknown };

export type UploadId = string;

export type Usage = { "cached_tokens": number; "cost_microusd": number | null; "input_tokens": number; "output_tokens": number };

export type UsageAnswer = { "budget": BudgetLeft; "items": (UsageLine)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type UsageLine = { "cached_tokens": number; "calls": number; "cost_microusd": number | null; "estimated_calls": number; "input_tokens": number; "key": string; "output_tokens": number; "unknown_calls": number };

export type User = { "budget": Allowance; "created_at": Timestamp; "id": UserId; "language": string; "name": string; "role": UserRole; "time_zone": string };

export type UserChange = { "budget"?: Budget | null; "name"?: string | null; "password"?: string | null; "role"?: UserRole | null };

export type UserId = string;

export type UserList = { "items": (User)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type UserRole = "owner" | "admin" | "member" | "guest";

export type VendorChoice = { "base_url": string; "key_prefixes": (string)[]; "label": string; "name": string; "needs_key": boolean; "preferred": (string)[]; "wire": Wire };

export type VendorChoiceList = { "items": (VendorChoice)[]; "next_cursor": string | null; "total": number; "total_is_more"?: boolean };

export type VersionState = "proposed" | "kept" | "discarded";

export type When = { "kind": "cron"; "pattern": string; "zone": string | null } | { "at": Timestamp; "kind": "once" } | { "anchor": Timestamp; "kind": "every"; "seconds": number };

export type WhenInput = { "kind": "cron"; "pattern": string; "zone"?: string | null } | { "at": Timestamp; "kind": "once" } | { "anchor": Timestamp; "kind": "every"; "seconds": number };

export type WholeAgent = { "allowed_tools": (string)[]; "budget": Budget; "capabilities": (CapabilityRef)[]; "created_at": Timestamp; "handler": string; "id": AgentId; "limits": Limits; "markup": MarkupSettings; "model": string | null; "name": string; "offered"?: boolean; "parameters": Parameters; "prompt_tree": PromptTree | null; "shared_by"?: UserId; "shared_by_name"?: string; "shared_with": (Share)[]; "status": AgentStatus; "system_prompt": string; "tool_rules": (ToolRule)[]; "updated_at": Timestamp; "works_with_files": boolean };

export type Wire = "openai" | "anthropic";

export type Workplace = "sandbox" | "sandbox_with_packages" | "session_files" | "server" | "network" | "search_service" | "other_agent" | "peer" | "model_provider";
