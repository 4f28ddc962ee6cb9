// Where in the server's source the sentences stand that people read.
import { between, filesIn, isSentence, isWords, program, rust, strings, whole, within } from './rust-source';

const COMMANDS = filesIn('engine/src/commands');

/** For agents, for programs, or names. */
const UNSAID = /^(error: |it would become too large|saved prompt|there is no command \{\}|(session|model|agent) (list|archive|open ID|rename NAME|NAME)|remember TEXT)$|^\/[a-z]+ [^ ]*$|^\/[a-z]+( [[\]A-Za-z=|_]+)+$/;

/** Each line that the commands say, with what they say of themselves; what describes arguments is for agents. */
function commandLines(): string[] {
  const code = COMMANDS.map((path) => program(path).replace(/fn parameters\(&self\) -> Value \{[\s\S]*?\n {4}\}\n/g, '').replace(/#\[[\s\S]*?\]\n/g, ''));
  const lines = code.flatMap(strings).flatMap((text) => text.split('\n'));
  return lines.filter((text) => / /.test(text) && /[A-Za-z]{2}/.test(text) && !UNSAID.test(text));
}

const isShape = (text: string) => /^(- |\*\*)/.test(text) && text.includes('{}');

/** Words of the server of which a line of a command is made. */
function commandWords(): string[] {
  const shapes = COMMANDS.flatMap((path) => strings(program(path))).flatMap((text) => text.split('\n')).filter(isShape);
  const states = ['session/mod.rs', 'ability.rs'].flatMap((path) => strings(between(`domain/src/${path}`, 'fn as_str', '\n    }\n')));
  const titles = COMMANDS.flatMap((path) => [...rust(path).matchAll(/section\(&mut text, "([^"]*)"/g)].map(([, title = '']) => title));
  return [...shapes.filter((text) => text !== '- {}'), ...states, ...titles, 'archived', 'free'];
}

/** A warning about a file stands in a span of code. */
function warnings(): string[] {
  return strings(between('capability/src/ability/file.rs', 'warnings.push', '));')).filter(isWords).map((text) => `- \`${text.replaceAll('`', "'")}\``);
}

interface Listed {
  id: string;
  name: string;
  description: string;
  tools: { description: string }[];
  settings_schema: { properties: Record<string, { description: string }> } | null;
}

/** Those that come with the program, as a test of theirs lists them. */
export function listed(): Listed[] {
  const snapshot = rust('capability/src/snapshots/capability__registry__tests__the_built_ins_are_listed_as_promised.snap');
  return JSON.parse(snapshot.slice(snapshot.indexOf('\n['))) as Listed[];
}

function capabilities(): string[] {
  const all = listed();
  const settings = all.flatMap((one) => Object.entries(one.settings_schema?.properties ?? {}).flatMap(([key, { description }]) => [key.replaceAll('_', ' '), description]));
  // A process is called by its id.
  const names = all.map((one) => one.name).filter((name) => !name.startsWith('_'));
  return [...names, ...all.map((one) => one.description), ...settings];
}

/** What is told of the tools of the capabilities, and of the commands that are tools. */
function tools(): string[] {
  const commands = COMMANDS.map(rust).filter((code) => code.includes('const ABOUT') && !/fn is_tool\(&self\) -> bool \{\s*false/.test(code));
  const asTools = commands.map((code) => {
    const [summary = '', details = ''] = strings(code.slice(code.indexOf('summary: '), code.indexOf('category: ')));
    return `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}. ${details}`;
  });
  return [...listed().flatMap((one) => one.tools.map((tool) => tool.description)), ...asTools];
}

function elements(): string[] {
  const taught = filesIn('markup/src/element').map(rust).filter((code) => /^ {4}example: /m.test(code) && !code.includes('example: "",'));
  return taught.flatMap((code) => strings(code.slice(code.indexOf('about: '), code.indexOf('example: '))));
}

/** How a failure of a provider is told; what is written there after another name is put together. */
function failures(): string[] {
  const files = ['anthropic/blocks', 'http/http_error', 'http/frames', 'openai/calls', 'stream'].map((name) => `provider/src/${name}.rs`);
  const plain = files.flatMap((path) => strings(program(path).replace(/tracing::\w+!\([\s\S]*?\);/g, '').replace(/const SIGNS[\s\S]*?\];/, ''))).filter((text) => isWords(text) && !/^\{\} (milli)?seconds$/.test(text));
  const reached = within('provider/src/http/endpoint.rs', 'fn broken', 'fn refusal').concat(within('provider/src/http/endpoint.rs', 'fn refusal', '\n    }\n'), within('provider/src/http/endpoint.rs', 'fn build_client', '\n    };\n'));
  const addresses = within('provider/src/http/endpoint.rs', 'pub(crate) fn new', 'Ok(Self').filter((text) => /^(is|contains) /.test(text)).map((what) => `base_url of provider {} ${what}`);
  const models = within('provider/src/catalog.rs', 'fn unknown', '\n}\n');
  const unusable = strings(between('provider/src/default_model.rs', 'pub(crate) fn unusable', '\n}\n')).filter((text) => text.startsWith('{};')).map((end) => models.find((text) => text.startsWith('the model'))!.replace('the model', 'the default model') + end.slice(2));
  return [...plain, ...reached, ...addresses, ...models, ...unusable].map((text) => text.replace('was silent for {}', 'was silent for {} seconds'));
}

/** What does not fit a schema is said of one of its parts, or of the whole. */
function misfits(): string[] {
  const path = 'capability/src/schema.rs';
  const parts = within(path, 'fn subject', '\n    }\n').concat(strings(between(path, 'fn subject', '\n    }\n')).filter((text) => text.startsWith('parameter')));
  const inside = parts.filter((text) => text.startsWith('parameter')).map((text) => ` in ${text}`);
  const types = strings(between(path, 'const ALL', '];'));
  return [...new Set([...parts.map((text) => `${text} {}`), ...inside, ...types, ...within(path, 'fn check_at', 'enum ValuePlace').filter((text) => !text.startsWith('{} '))])];
}

/** With one thing that is missing, which it is and what to do. */
function sandbox(): string[] {
  const [begin = '', missing = ''] = strings(between('sandbox/src/process/report.rs', 'f.write_str("The', '\n    }\n'));
  const path = 'sandbox/src/process/linux/detect.rs';
  const names = [...rust(path).matchAll(/layer\(\s*"([a-z]+ [a-z ]+)"/g)].map(([, name = '']) => name);
  const what = whole(path).filter((text) => /^(Install|This Linux|They are|The memory|\{\}; on)/.test(text));
  return [begin + missing, ...names, ...what, ...within('sandbox/src/process/elsewhere.rs', 'pub fn open', '}')];
}

export const captions = () => ['compose', 'conditions', 'history', 'section_order'].flatMap((name) => [...rust(`prompt/src/${name}.rs`).matchAll(/captioned\("([^"]*)"\)/g)].map(([, text = '']) => text));

/** Where the sentences stand that people read: all of them must be in the table. */
export const SAID: Record<string, () => string[]> = {
  'why the gate asks or denies': () => strings(rust('gate/src/why.rs')).filter(isSentence),
  'why a reply to a peer is held': () => strings(between('engine/src/inbox/tell_peer.rs', 'fn words_of', '/// What a decision')).filter(isSentence),
  'what is private and untrusted': () => [...strings(between('prompt/src/label/provenance_label.rs', 'pub fn concern', '/// What is known')), ...strings(between('prompt/src/label/provenance_label.rs', 'fn described', '\n}\n')), ...strings(between('prompt/src/compose.rs', 'fn add_instructions', '\n    }\n'))].filter((text) => text.includes(' ')),
  'kinds of files': () => strings(between('documents/src/kind.rs', 'pub fn noun', 'What one part')),
  'why a file was not read': () => strings(between('documents/src/document.rs', 'pub enum Unreadable', '\n}\n')),
  'what commands say': () => [...commandLines(), ...commandWords(), ...warnings()],
  'what capabilities are for': capabilities,
  'what tools do': tools,
  'what elements are for': elements,
  'the parts of a prompt': captions,
  'what of a prompt did not work': () => [...within('prompt/src/conditions.rs', 'pub fn warnings', '\n    }\n'), ...within('prompt/src/modifiers.rs', 'The modifier', ');').concat(strings(between('prompt/src/modifiers.rs', 'format!("The modifier', ');'))), ...strings(between('prompt/src/run_hook.rs', 'pub fn words', '\n    }\n')), ...within('prompt/src/run_hook.rs', 'let problem = match', 'tracing'), ...strings(between('prompt/src/processes.rs', 'pub fn words', '\n    }\n'))],
  'how a program ended': () => [...within('capability/src/builtin/sandbox/run.rs', 'fn cut_short', '\n}\n'), ...strings(between('capability/src/builtin/sandbox/python.rs', '\nfn said', '\n}\n')).filter((text) => /^(Exit|Script)/.test(text))],
  'why a file of a program was not kept': () => [...filesIn('sandbox/src/process/linux').flatMap((path) => [...rust(path).matchAll(/(?:pass_over|leave_out)\([^"\n]*"([^"]*)"\)/g)].map(([, why = '']) => why)), ...unkept()],
  'what became of a call without a result': () => within('engine/src/wording.rs', 'fn settled_without_result', '/// What a model reads behind'),
  'what does not fit a form': () => [...misfits(), 'it has no settings'],
  'how a provider failed': failures,
  'why there is no sandbox': sandbox,
  'why there is no web search': () => strings(between('capability/src/builtin/web_search.rs', 'const REMEDY', ';\n')),
  'how a search failed': searches,
  'how a tool failed': toolFailures,
  'what a failure of a provider asks people to do': () => strings(between('provider/src/error.rs', 'pub fn advice', '\n}\n')).map((text) => text.replace(/^\{\} Retry in \{\}/, '{} Retry in {}')),
  'why a reply did not come to its end': () => [...strings(between('engine/src/wording.rs', 'pub(crate) fn words', '/// For a turn that goes on')), ...strings(between('engine/src/budget/reserve.rs', 'impl Refusal', '\n}\n\nfn ')), ...strings(between('engine/src/budget/reserve.rs', 'fn reached', '\n}\n'))].filter((text) => / \S+ /.test(text)),
  'why there is no other version': () => strings(between('engine/src/inbox/versions.rs', 'impl From<VersionRefusal>', '\n}\n')).filter(isSentence),
  'what a summary does': () => strings(between('engine/src/summaries/compact.rs', 'let detail = match &made', '};')),
};

/** A failure of a search, whichever service there is. */
function searches(): string[] {
  const files = filesIn('engine/src/ports/web_search');
  return files.flatMap((path) => strings(program(path).replace(/r#"[\s\S]*?"#/g, ''))).filter((text) => /^(The|Web|SearXNG|DuckDuckGo|anthropic|\{\}) .*([.]|: \{\})$/.test(text));
}

/** What a tool says of what it was given, and of what it reached for. */
function toolFailures(): string[] {
  const files = within('domain/src/file.rs', 'pub enum FileRefusal', '\n}\n').filter((text) => !/^::|^crate/.test(text));
  const pages = [...within('sandbox/src/error.rs', 'pub enum Refusal', '\n}\n'), ...within('sandbox/src/error.rs', 'pub enum Error', 'majordomo doctor').filter((text) => !text.startsWith('the sandbox'))];
  const fetched = [...within('capability/src/ports/http.rs', 'pub enum HttpError', 'impl From<HttpError>'), ...within('engine/src/ports/http.rs', 'impl Http for CallHttp', 'let mut policy'), ...within('engine/src/ports/http.rs', 'fn told', '\n}\n'), ...strings(program('capability/src/builtin/web_fetch/tool.rs')).filter((text) => /^(parameter|the page) .* /.test(text))];
  const parameters = strings(program('capability/src/arguments.rs')).filter((text) => /^(parameter `\{\}` must|the required)/.test(text));
  const attached = strings(program('capability/src/builtin/attachments.rs')).filter((text) => /^(no such|none$|part: |find: )/.test(text));
  const own = strings(program('capability/src/builtin/session_file_system/tools.rs')).filter((text) => /^(this agent may|parameter )/.test(text));
  return ['it did not succeed: {}', ...files, ...pages, ...fetched, ...parameters, ...attached, ...own];
}

/** Sentences that begin with a word of the server or have one inside, which German needs to know: each with each word. */
const MADE: Record<string, () => string[]> = {
  'server did not respond within {}': () => ['1 second', '{} seconds'].map((time) => `server did not respond within ${time}`),
  'The agent {} wants to use {}, whose price is not known, but there is a budget of {}.': () => budgets().map((budget) => `The agent {} wants to use {}, whose price is not known, but there is a budget of ${budget}.`),
  'I stopped: the price of {} is not known, so I cannot keep to the budget{}. Set a price for its provider or mark it as free, choose another model, or remove the budget. Then retry. Your message is saved.': () => ['', ' ({})'].map((why) => `I stopped: the price of {} is not known, so I cannot keep to the budget${why}. Set a price for its provider or mark it as free, choose another model, or remove the budget. Then retry. Your message is saved.`),
  '{} must have 1 to {} characters, without control characters and without spaces around it.': () => ['', ...whose().filter((text) => /^[A-Z]/.test(text))].map((text) => text || '{} must have 1 to {} characters, without control characters and without spaces around it.').concat(whose().filter((text) => /^[a-z]/.test(text)).map((text) => `${text} must have 1 to {} characters, without control characters and without spaces around it.`)),
  '{} must have at most {} characters': () => fields().map((field) => `${field} must have at most {} characters`),
  '{} must be one line, without control characters': () => fields().map((field) => `${field} must be one line, without control characters`),
  'the id of a {} must have 1 to 100 letters, digits, `_`, `.`, `:` or `-`': () => [...rust('domain/src/agent/prompt_tree.rs').matchAll(/name_problem\("(\w+)"/g)].map(([, what = '']) => `the id of a ${what} must have 1 to 100 letters, digits, \`_\`, \`.\`, \`:\` or \`-\``),
};

export const made = (text: string): string[] => MADE[text]?.() ?? [text];

/** For a turn, for a day, or for both. */
function budgets(): string[] {
  const [turn, day, both] = strings(between('engine/src/model/unknown_price.rs', 'fn words_of', '\n}\n'));
  return [turn!, day!, `${turn}${both}${day}`];
}

const whose = () => [...new Set([...filesIn('engine/src'), ...filesIn('people/src')].flatMap((path) => [...rust(path).matchAll(/check_name\([^,()]+, "([^"]*)"\)/g)].map(([, text = '']) => text)))];
const fields = () => [...between('capability/src/ability/mod.rs', 'let lines = [', '];').matchAll(/\("(\w+)"/g)].map(([, field = '']) => field);

/** Two sentences that begin alike. */
function unkept(): string[] {
  const code = between('engine/src/ports/programs.rs', 'fn note', '\n}\n');
  const [meanwhile = ''] = strings(code.slice(code.indexOf('let meanwhile')));
  const all = strings(code).filter((text) => isWords(text) && text !== meanwhile);
  return [...all.map((text) => text.replace(/^\{\}/, meanwhile)), 'its name cannot be used for a file of a conversation'];
}

/** What the reader of JSON says is wrong with it, without more names than one; it is no part of the server's source. */
export const OF_LIBRARIES = ['missing field `{}`', 'unknown field `{}`, there are no fields', 'unknown field `{}`, expected `{}`', 'unknown field `{}`, expected `{}` or `{}`', 'unknown field `{}`, expected one of {}', 'unknown variant `{}`, expected `{}`', 'unknown variant `{}`, expected `{}` or `{}`', 'unknown variant `{}`, expected one of {}', 'duplicate field `{}`', 'invalid type: {}, expected {}', 'invalid value: {}, expected {}', 'string {}', 'integer `{}`', 'floating point `{}`', 'boolean `{}`', 'null', 'map', 'sequence'];

const BUILT_IN = ['attachments', 'colleagues', 'current_time', 'noop', 'prompt_response_handler', 'research', 'sandbox/mod', 'session_file_system/mod', 'stateless_todo_list', 'test_math', 'test_weather', 'web_fetch/mod', 'web_search'];

/** Every other file whose sentences are in the table. */
export const OTHERS = ['people/src/passwords.rs', 'engine/src/files/attach.rs', 'engine/src/calls/weigh_call.rs', 'engine/src/model/providers.rs', 'engine/src/permission/rules.rs', 'engine/src/agents/abilities.rs', 'engine/src/agents/agents.rs', 'engine/src/agents/agent_file.rs', 'provider/src/vendors/discover_ollama_and_others.rs', 'engine/src/files/texts_for_model.rs', 'engine/src/permission/approval_request.rs', 'engine/src/wording.rs', 'engine/src/model/ask.rs', 'prompt/src/section_order.rs', 'prompt/src/compose.rs', 'engine/src/agents/known_models.rs', 'provider/src/error.rs', 'provider/src/http/http_error.rs', 'provider/src/http/endpoint.rs', 'provider/src/vendors/environment.rs', 'provider/src/openai/reply.rs', 'provider/src/anthropic/reply.rs', 'engine/src/agents/house_prompt.rs', 'engine/src/worker/prompt_preview.rs', 'capability/src/error.rs', 'capability/src/ability/template.rs', 'capability/src/ability/written.rs', 'engine/src/model/picture_switch.rs', 'engine/src/sessions/form_answers.rs', 'domain/src/agent/prompt_tree.rs', 'domain/src/tool.rs', 'server/src/route/api_keys/create.rs', 'people/src/api_keys.rs', 'server/src/request/body.rs', 'engine/src/files/grep.rs', 'capability/src/ability/mod.rs', 'capability/src/condition/lexer.rs', 'engine/src/upkeep/backups.rs', ...BUILT_IN.map((name) => `capability/src/builtin/${name}.rs`), ...COMMANDS];

/** What the server says after a code whose German ends in a colon: where it stands. All of it must be in the table. */
export const DETAILS: Record<string, () => string[]> = {
  backup_failed: () => [...whole('store/src/backup/write.rs'), ...whole('store/src/backup/progress.rs')].filter((text) => /^(The backup|\{\} already)/.test(text)),
  bad_ability: () => [...within('capability/src/ability/mod.rs', 'pub enum AbilityError', '\n}\n'), ...headings()],
  bad_agent_file: () => within('engine/src/agents/agent_file.rs', 'pub async fn import_agent', 'fields.shared_with'),
  bad_answer: () => within('engine/src/sessions/form_answers.rs', 'fn ', 'fn bad').filter((text) => !/^(The agent has already|answer: )/.test(text)),
  bad_attachments: () => within('engine/src/files/attach.rs', 'fn ', 'bad_attachments'),
  bad_budget: () => within('domain/src/budget.rs', 'pub fn problem', '\n    }\n'),
  bad_capabilities: () => within('capability/src/error.rs', 'pub enum ResolveError', '\n}\n').filter((text) => text !== ', '),
  bad_command: commandLines,
  bad_condition: () => whole('capability/src/condition/parse.rs').filter((text) => !/^(words\(…|character \{\})/.test(text)),
  bad_schedule: () => [...within('domain/src/schedule/when.rs', 'pub enum WhenProblem', '\n}\n'), ...within('engine/src/schedules/new_schedule.rs', 'pub(crate) fn check(', '\n}\n'), 'when: {}'].filter((text) => / /.test(text)),
  bad_file_path: () => within('domain/src/file.rs', 'pub enum FilePathError', '\n}\n'),
  bad_limits: () => within('domain/src/limits.rs', 'pub fn problem', '\n    }\n'),
  bad_name: () => [...within('domain/src/text/misleading.rs', 'pub fn name_problem', '\n}\n'), ...within('provider/src/settings.rs', 'pub fn name_problem', '\n}\n'), ...within('capability/src/ability/mod.rs', 'pub enum AbilityError', 'Empty'), ...within('engine/src/commands/saved_prompts.rs', 'if !is_name(name)', 'bad_name')],
  bad_parameters: () => within('domain/src/agent/mod.rs', 'pub fn problem', '\n    }\n'),
  bad_password: () => whole('people/src/passwords.rs').filter((text) => text.startsWith('A password')),
  bad_pattern: () => [...within('engine/src/files/grep.rs', 'fn compile', '\n}\n'), ...within('engine/src/files/grep.rs', 'fn path_pattern', '\n}\n')],
  bad_prompt_tree: () => [...within('domain/src/agent/prompt_tree.rs', 'fn problem', '/// Small, and right'), ...within('domain/src/agent/prompt_tree.rs', 'pub fn problem', '#[cfg(test)]')],
  bad_provider: () => [...within('engine/src/model/providers.rs', 'fn prices', '/// THREAT'), ...within('provider/src/vendors/price.rs', 'pub fn problem', '\n    }\n')],
  bad_rule: () => [...within('gate/src/rules.rs', 'pub fn problem', '#[cfg(test)]'), ...within('engine/src/permission/rules.rs', 'fn check_rule', '\n    }\n')],
  bad_source: () => within('people/src/bridge_name.rs', 'let detail', 'bad_source'),
  bad_template: () => whole('capability/src/ability/template.rs').filter((text) => text !== 'too much'),
  bad_tool_rules: () => ['tool_rules: {}'],
  key_not_in_file: () => [...within('engine/src/upkeep/master_key.rs', 'let detail', 'key_not_in_file'), ...within('engine/src/upkeep/handed_key.rs', 'fn check_nodes_take_keys', 'key_not_in_file')],
  key_not_taken: () => within('engine/src/upkeep/handed_key.rs', 'fn wait_until_all_open', 'key_not_taken'),
  provider_fixed: () => [...within('engine/src/model/providers.rs', 'fn check_changeable', 'fn stored_provider'), ...within('engine/src/model/picture_switch.rs', 'let detail', 'provider_fixed')],
  too_large: () => [...within('engine/src/files/uploads.rs', 'fn check_size', 'TooLarge'), ...within('server/src/route/uploads/create.rs', 'fn too_large', '\n}\n'), ...within('engine/src/agents/agents.rs', 'PROMPT_BYTES {', ');')],
  too_many: () => [...within('engine/src/agents/agents.rs', 'SHARES {', ');'), ...within('engine/src/agents/agents.rs', 'CAPABILITIES ||', 'let wrong')],
};

/** What is wrong with the head of an ability's file. */
function headings(): string[] {
  const words = strings(between('capability/src/ability/file.rs', 'fn set', '\n}\n')).filter((text) => /^must be/.test(text)).map((text) => `{}: ${text}`);
  return [...words, ...strings(program('capability/src/ability/front_matter.rs')).filter((text) => isWords(text) || text === 'line {}: {}')];
}
