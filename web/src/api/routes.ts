/**
 * Every route that the page calls, once. The types are the server's own (`schema.ts`), and a test compares both with a
 * running server.
 */
import { ask, askJson, type Question as Asked } from './client';
import type { Approval } from '../store/transcript';
import type * as S from './schema';

type Params = Record<string, string>;

/** `'GET /v1/sessions/{id}'` with its parameters filled in. */
function call<T>(route: string, params: Params = {}, question: Asked = {}): Promise<T> {
  const [method, path] = split(route, params);
  return askJson<T>(method, path, question);
}

function split(route: string, params: Params): [string, string] {
  const [method = '', template = ''] = route.split(' ');
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? '';
    return name === 'path' ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value);
  });
  return [method, path];
}

/** Every page of a list, in its order: a page ends at a number of items, or earlier at their size. */
async function whole<T>(page: (cursor?: string) => Promise<{ items: T[]; next_cursor?: string | null }>): Promise<{ items: T[] }> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const next = await page(cursor);
    items.push(...next.items);
    cursor = next.next_cursor ?? undefined;
  } while (cursor);
  return { items };
}

export const api = {
  setupState: () => call<S.SetupState>('GET /v1/setup'),
  lookAtLink: (token: string) => call<S.AccountLinkView>('POST /v1/join/look', {}, { body: { token } }),
  join: (body: S.Join) => call<S.Me>('POST /v1/join', {}, { body }),
  setup: (body: S.Founding) => call<S.Me>('POST /v1/setup', {}, { body }),
  login: (body: S.Credentials) => call<S.Me>('POST /v1/login', {}, { body }),
  logout: () => call<void>('POST /v1/logout'),
  me: () => call<S.Me>('GET /v1/me'),
  changeMe: (body: S.MeChange) => call<S.Me>('PATCH /v1/me', {}, { body }),
  changePassword: (body: S.Passwords) => call<void>('POST /v1/me/password', {}, { body }),
  confirm: (password: string) => call<void>('POST /v1/me/confirm', {}, { body: { password } }),
  logins: () => call<S.LoginViewList>('GET /v1/logins'),
  endLogin: (id: string) => call<void>('DELETE /v1/logins/{id}', { id }),

  users: () => call<S.UserList>('GET /v1/users'),
  createUser: (body: S.NewUser) => call<S.User>('POST /v1/users', {}, { body }),
  changeUser: (id: string, body: S.UserChange) => call<S.User>('PATCH /v1/users/{id}', { id }, { body }),
  deleteUser: (id: string) => call<void>('DELETE /v1/users/{id}', { id }),
  accountLinks: () => call<S.AccountLinkList>('GET /v1/account-links'),
  createAccountLink: (body: S.NewAccountLink) => call<S.IssuedLink>('POST /v1/account-links', {}, { body }),
  revokeAccountLink: (id: string) => call<void>('DELETE /v1/account-links/{id}', { id }),
  keys: () => call<S.ApiKeyList>('GET /v1/api-keys'),
  createKey: (body: S.KeyFields) => call<S.Issued>('POST /v1/api-keys', {}, { body }),
  revokeKey: (id: string) => call<void>('DELETE /v1/api-keys/{id}', { id }),
  audit: (cursor?: string, user_id?: string, limit = 50) => call<S.AuditViewList>('GET /v1/audit', {}, { query: { limit, cursor, user_id } }),

  agents: () => whole((cursor) => call<S.AgentViewList>('GET /v1/agents', {}, { query: { limit: 100, cursor } })),
  agent: (id: string) => call<S.AgentView>('GET /v1/agents/{id}', { id }),
  createAgent: (body: S.AgentFields) => call<S.WholeAgent>('POST /v1/agents', {}, { body }),
  changeAgent: (id: string, body: S.AgentFields) => call<S.WholeAgent>('PATCH /v1/agents/{id}', { id }, { body }),
  acceptAgent: (id: string) => call<S.AgentView>('PUT /v1/agents/{id}/acceptance', { id }),
  declineAgent: (id: string) => call<void>('DELETE /v1/agents/{id}/acceptance', { id }),
  deleteAgent: (id: string) => call<void>('DELETE /v1/agents/{id}', { id }),
  exportAgent: (id: string) => call<S.AgentFile>('GET /v1/agents/{id}/export', { id }),
  importAgent: (body: S.AgentFile, as?: string) => call<S.ImportView>('POST /v1/agents/import', {}, { body, query: { as } }),
  preview: (id: string, body: S.PreviewQuestion) =>
    call<S.Preview>('POST /v1/agents/{id}/prompt-preview', { id }, { body }),
  models: () => call<S.ModelInfoList>('GET /v1/models'),
  defaultModel: () => call<S.DefaultModel>('GET /v1/models/default'),
  setDefaultModel: (model: string | null) => call<S.DefaultModel>('PUT /v1/models/default', {}, { body: { model } }),
  vendors: () => call<S.VendorChoiceList>('GET /v1/vendors'),
  providers: () => call<S.ProviderStatusList>('GET /v1/providers'),
  putProvider: (name: string, body: S.ProviderFields) =>
    call<S.ProviderStatus>('PUT /v1/providers/{name}', { name }, { body }),
  changeProvider: (name: string, body: S.ProviderChange) =>
    call<S.ProviderStatus>('PATCH /v1/providers/{name}', { name }, { body }),
  deleteProvider: (name: string) => call<void>('DELETE /v1/providers/{name}', { name }),
  testProvider: (name: string, body: S.ProviderFields) =>
    call<S.ProviderStatus>('POST /v1/providers/{name}/test', { name }, { body }),
  capabilities: () => call<S.CapabilityViewList>('GET /v1/capabilities'),
  abilities: () => call<S.AbilityList>('GET /v1/abilities', {}, { query: { limit: 100 } }),
  createAbility: (body: S.AbilityText) => call<S.Ability>('POST /v1/abilities', {}, { body }),
  putAbility: (id: string, body: S.AbilityText) => call<S.Ability>('PUT /v1/abilities/{id}', { id }, { body }),
  deleteAbility: (id: string) => call<void>('DELETE /v1/abilities/{id}', { id }),
  command: (body: S.CommandLine, key: string) => call<S.CommandAnswer>('POST /v1/commands', {}, { body, key }),
  help: () => call<S.Help>('GET /v1/help'),
  savedPrompts: () => whole((cursor) => call<S.SavedPromptList>('GET /v1/saved-prompts', {}, { query: { limit: 100, cursor } })),
  savePrompt: (body: S.SavedPromptText) => call<S.SavedPrompt>('POST /v1/saved-prompts', {}, { body }),
  putPrompt: (id: string, body: S.SavedPromptText) => call<S.SavedPrompt>('PUT /v1/saved-prompts/{id}', { id }, { body }),
  deletePrompt: (id: string) => call<void>('DELETE /v1/saved-prompts/{id}', { id }),
  usage: (by: string, from?: string) => call<S.UsageAnswer>('GET /v1/usage', {}, { query: { by, from } }),

  knowledge: (store: S.KnowledgeStore, state: S.EntryState, cursor?: string) => call<S.KnowledgeEntryList>('GET /v1/knowledge', {}, { query: { store, state, limit: 100, cursor } }),
  remember: (body: S.NewEntry, key: string) => call<S.KnowledgeEntry>('POST /v1/knowledge', {}, { body, key }),
  knowledgeEntry: (id: string) => call<S.KnowledgeEntry>('GET /v1/knowledge/{id}', { id }),
  changeEntry: (id: string, body: S.EntryFields) => call<S.KnowledgeEntry>('PATCH /v1/knowledge/{id}', { id }, { body }),
  deleteEntry: (id: string) => call<void>('DELETE /v1/knowledge/{id}', { id }),
  entryHistory: (id: string) => call<S.EntryVersionList>('GET /v1/knowledge/{id}/history', { id }),
  undoEntry: (id: string, body: S.EntryUndo) => call<S.KnowledgeEntry>('POST /v1/knowledge/{id}/undo', { id }, { body }),
  reviewEntry: (id: string, body: S.EntryReview) => call<S.KnowledgeEntry>('POST /v1/knowledge/{id}/review', { id }, { body }),
  purgeEntry: (id: string) => call<void>('POST /v1/knowledge/{id}/purge', { id }),

  schedules: (cursor?: string) => call<S.ScheduleList>('GET /v1/schedules', {}, { query: { limit: 100, cursor } }),
  createSchedule: (body: S.NewSchedule, key: string) => call<S.Schedule>('POST /v1/schedules', {}, { body, key }),
  schedule: (id: string) => call<S.Schedule>('GET /v1/schedules/{id}', { id }),
  changeSchedule: (id: string, body: S.ScheduleChange) => call<S.Schedule>('PATCH /v1/schedules/{id}', { id }, { body }),
  deleteSchedule: (id: string) => call<void>('DELETE /v1/schedules/{id}', { id }),
  pauseSchedule: (id: string) => call<S.Schedule>('POST /v1/schedules/{id}/pause', { id }),
  resumeSchedule: (id: string) => call<S.Schedule>('POST /v1/schedules/{id}/resume', { id }),
  scheduleRuns: (id: string, limit: number, cursor?: string) => call<S.ScheduleRunList>('GET /v1/schedules/{id}/runs', { id }, { query: { limit, cursor } }),
  previewSchedule: (when: S.WhenInput, signal?: AbortSignal) => call<S.SchedulePreview>('POST /v1/schedules/preview', {}, { body: { when }, ...(signal && { signal }) }),

  folders: () => whole((cursor) => call<S.FolderList>('GET /v1/folders', {}, { query: { limit: 100, cursor } })),
  createFolder: (body: S.FolderText) => call<S.Folder>('POST /v1/folders', {}, { body }),
  changeFolder: (id: string, body: S.FolderChange) => call<S.Folder>('PATCH /v1/folders/{id}', { id }, { body }),
  deleteFolder: (id: string) => call<void>('DELETE /v1/folders/{id}', { id }),
  folderFiles: (id: string) => call<S.FolderFileList>('GET /v1/folders/{id}/files', { id }),
  addFolderFile: (id: string, body: S.NewFolderFile) => call<S.FolderFile>('POST /v1/folders/{id}/files', { id }, { body }),
  removeFolderFile: (id: string, upload_id: string) => call<void>('DELETE /v1/folders/{id}/files/{upload_id}', { id, upload_id }),
  keep: (body: S.KeepMany) => call<S.KeptSessionList>('POST /v1/sessions/batch', {}, { body }),
  sessionLinks: (id: string) => call<S.SessionLinkList>('GET /v1/sessions/{id}/links', { id }),
  share: (id: string) => call<S.SessionLink>('POST /v1/sessions/{id}/links', { id }),
  unshare: (id: string) => call<void>('DELETE /v1/links/{id}', { id }),
  shared: (name: string, after_seq: number) => call<S.SharedConversation>('GET /v1/shared/{name}', { name }, { query: { after_seq, limit: 100 } }),
  pinnedSessions: () => whole((cursor) => call<S.SessionList>('GET /v1/sessions', {}, { query: { pinned: true, limit: 100, cursor } })),
  sessionsOf: (folder_id: string, archived = false) => whole((cursor) => call<S.SessionList>('GET /v1/sessions', {}, { query: { folder_id, archived, limit: 100, cursor } })),
  sessions: (query: { archived?: boolean; cursor?: string | undefined; limit?: number }) =>
    call<S.SessionList>('GET /v1/sessions', {}, { query: { limit: 50, ...query } }),
  searchSessions: (search: string, cursor?: string, signal?: AbortSignal) =>
    call<S.FoundSessionList>('GET /v1/sessions', {}, { query: { search, cursor, archived: 'any', limit: 50 }, ...(signal && { signal }) }),
  session: (id: string) => call<S.Session>('GET /v1/sessions/{id}', { id }),
  createSession: (body: S.NewSession, key: string) => call<S.Session>('POST /v1/sessions', {}, { body, key }),
  changeSession: (id: string, body: S.SessionChange) => call<S.Session>('PATCH /v1/sessions/{id}', { id }, { body }),
  deleteSession: (id: string) => call<void>('DELETE /v1/sessions/{id}', { id }),
  archive: (id: string) => call<S.Session>('POST /v1/sessions/{id}/archive', { id }),
  unarchive: (id: string) => call<S.Session>('POST /v1/sessions/{id}/unarchive', { id }),
  fork: (id: string, after_seq: number) => call<S.Session>('POST /v1/sessions/{id}/fork', { id }, { body: { after_seq } }),
  trust: (id: string, seq: number) => call<S.Session>('POST /v1/sessions/{id}/trust', { id }, { body: { seq } }),
  versions: (id: string) => call<S.MessageVersionsList>('GET /v1/sessions/{id}/versions', { id }),
  createVersion: (id: string, body: S.NewVersion, key: string) =>
    call<S.MadeVersion>('POST /v1/sessions/{id}/versions', { id }, { body, key }),
  showVersion: (id: string) => call<S.Session>('POST /v1/sessions/{id}/show', { id }),
  queue: (id: string) => call<S.QueuedMessageList>('GET /v1/sessions/{id}/queue', { id }),
  takeBack: (id: string, turn_id: string) =>
    call<S.QueuedMessage>('DELETE /v1/sessions/{id}/queue/{turn_id}', { id, turn_id }),
  retry: (id: string) => call<S.Retried>('POST /v1/sessions/{id}/retry', { id }),
  messages: (id: string, query: { before_seq?: number; after_seq?: number; limit: number }) =>
    call<S.MessageList>('GET /v1/sessions/{id}/messages', { id }, { query }),
  events: (id: string, query: { after: number; limit: number; types?: string }) =>
    call<S.EnvelopeList>('GET /v1/sessions/{id}/events', { id }, { query }),
  answerPrompt: (id: string, message_id: string, prompt_id: string, answer: S.Answer) =>
    call<S.Message>('POST /v1/sessions/{id}/prompts/{message_id}/{prompt_id}', { id, message_id, prompt_id }, { body: { answer } }),
  rules: () => call<S.RuleList>('GET /v1/rules', {}, { query: { limit: 100 } }),
  createRule: (body: S.NewRule) => call<S.Rule>('POST /v1/rules', {}, { body }),
  revokeRule: (id: string) => call<void>('DELETE /v1/rules/{id}', { id }),
  approvals: () => call<{ items: Approval[] }>('GET /v1/approvals', {}, { query: { limit: 100 } }),
  decide: (id: string, body: { decision: 'approve' | 'deny'; scope: S.RuleScope; digest: string }) =>
    call<Approval>('POST /v1/approvals/{id}', { id }, { body }),
  questions: () => call<S.QuestionList>('GET /v1/questions', {}, { query: { limit: 100 } }),
  answerQuestion: (id: string, answer: string) =>
    call<S.Question>('POST /v1/questions/{id}/answer', { id }, { body: { answer } }),

  files: (id: string, path: string) => whole((cursor) => call<S.FileInfoList>('GET /v1/sessions/{id}/files', { id }, { query: { path, limit: 100, cursor } })),
  /** `only_new` refuses to replace what is there. */
  putFile: (id: string, path: string, raw: BodyInit, only_new = false) =>
    call<S.FileInfo>('PUT /v1/sessions/{id}/files/{path}', { id, path }, { raw, query: { only_new: only_new || undefined } }),
  deleteFile: (id: string, path: string, recursive: boolean) =>
    call<void>('DELETE /v1/sessions/{id}/files/{path}', { id, path }, { query: { recursive } }),
  readFile: (id: string, path: string): Promise<Response> => ask(...split('GET /v1/sessions/{id}/files/{path}', { id, path })),
  upload: (file: File, signal?: AbortSignal) => {
    const form = new FormData();
    form.append('file', file);
    return call<S.Upload>('POST /v1/uploads', {}, { raw: form, ...(signal && { signal }) });
  },
  backups: () => call<S.BackupList>('GET /v1/backups'),
  createBackup: () => call<S.Backup>('POST /v1/backups', {}, { body: {} }),
  nodes: () => call<S.HouseNodeList>('GET /v1/nodes'),
  logs: (after?: number) => call<S.LogLineList>('GET /v1/logs', {}, { query: { after, limit: 200 } }),
};
