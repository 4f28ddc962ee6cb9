// What the server says in fixed sentences, in German: the table is held against the server's own source.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { codes, sentences } from '../../src/words/de-server';
import { problemWords, served, speak } from '../../src/words/words';

const rust = (path: string) => readFileSync(join(import.meta.dirname, '../../../crates', path), 'utf8');

/** The strings of a piece of Rust as they are when it runs; what is filled in is `{}`. */
function strings(code: string): string[] {
  const plain = code.replace(/^\s*\/\/.*$/gm, '');
  return [...plain.matchAll(/"((?:[^"\\]|\\[\s\S])*)"/g)].map(([, text = '']) => text.replace(/\\\n\s*/g, '').replaceAll('\\"', '"').replace(/\{[\w:.?]*\}/g, '{}'));
}

/** From one piece of the source to another. */
function between(path: string, from: string, to: string): string {
  const whole = rust(path);
  const begin = whole.indexOf(from);
  const end = whole.indexOf(to, begin);
  if (begin < 0 || end < 0) throw new Error(`${path} has no ${begin < 0 ? from : to}`);
  return whole.slice(begin, end);
}

const isSentence = (text: string) => /^[A-Z].* .*[.:{}]$/s.test(text);

const COMMANDS = readdirSync(join(import.meta.dirname, '../../../crates/engine/src/commands')).filter((name) => !name.includes('_tests')).map((name) => `engine/src/commands/${name}`);
const summaries = () => COMMANDS.flatMap((path) => [...rust(path).matchAll(/\bsummary: "([^"]*)"/g)].map(([, text = '']) => text));

interface Listed {
  name: string;
  description: string;
  settings_schema: { properties: Record<string, { description: string }> } | null;
}

/** Those that come with the program, as a test of theirs lists them. */
function capabilities(): string[] {
  const listed = rust('capability/src/snapshots/capability__registry__tests__the_built_ins_are_listed_as_promised.snap');
  const all = JSON.parse(listed.slice(listed.indexOf('\n['))) as Listed[];
  const settings = all.flatMap((one) => Object.entries(one.settings_schema?.properties ?? {}).flatMap(([key, { description }]) => [key.replaceAll('_', ' '), description]));
  // A process is called by its id.
  const names = all.map((one) => one.name).filter((name) => !name.startsWith('_'));
  return [...names, ...all.map((one) => one.description), ...settings];
}

/** Where the sentences stand that people read: all of them must be in the table. */
const SAID: Record<string, () => string[]> = {
  'why the gate asks or denies': () => strings(rust('gate/src/why.rs')).filter(isSentence),
  'why a reply to a peer is held': () => strings(between('engine/src/inbox/tell_peer.rs', 'fn words_of', '/// What a decision')).filter(isSentence),
  'what is private and untrusted': () => [...strings(between('prompt/src/label/provenance_label.rs', 'pub fn concern', '/// What is known')), ...strings(between('prompt/src/label/provenance_label.rs', 'fn described', '\n}\n')), ...strings(between('prompt/src/compose.rs', 'fn add_instructions', '\n    }\n'))].filter((text) => text.includes(' ')),
  'kinds of files': () => strings(between('documents/src/kind.rs', 'pub fn noun', 'What one part')),
  'why a file was not read': () => strings(between('documents/src/document.rs', 'pub enum Unreadable', '\n}\n')),
  'what commands are for': summaries,
  'what capabilities are for': capabilities,
  'why there is no web search': () => strings(between('capability/src/builtin/web_search.rs', 'const REMEDY', ';\n')),
  'what a failure of a provider asks people to do': () => strings(between('provider/src/error.rs', 'pub fn advice', '\n}\n')).map((text) => text.replace(/^\{\} Retry in \{\}/, '{} Retry in {}')),
  'why a reply did not come to its end': () => [...strings(between('engine/src/wording.rs', 'pub(crate) fn words', '/// For a turn that goes on')), ...strings(between('engine/src/budget/reserve.rs', 'impl Refusal', '\n}\n\nfn ')), ...strings(between('engine/src/budget/reserve.rs', 'fn reached', '\n}\n'))].filter((text) => / \S+ /.test(text)),
  'why there is no other version': () => strings(between('engine/src/inbox/versions.rs', 'impl From<VersionRefusal>', '\n}\n')).filter(isSentence),
  'what a summary does': () => strings(between('engine/src/summaries/compact.rs', 'let detail = match &made', '};')),
  'which files are trusted': () => [...strings(between('engine/src/commands/mine.rs', 'let text', '};')), ...strings(between('engine/src/commands/trust.rs', 'let text', '};'))],
};

const BUILT_IN = ['attachments', 'colleagues', 'current_time', 'noop', 'prompt_response_handler', 'research', 'sandbox/mod', 'session_file_system/mod', 'stateless_todo_list', 'test_math', 'test_weather', 'web_fetch/mod', 'web_search'];

/** Every other file whose sentences are in the table. */
const OTHERS = ['people/src/passwords.rs', 'engine/src/files/attach.rs', 'engine/src/model/providers.rs', 'engine/src/permission/rules.rs', 'engine/src/agents/abilities.rs', 'engine/src/agents/agents.rs', 'provider/src/vendors/discover.rs', 'engine/src/files/texts_for_model.rs', 'engine/src/permission/approval_request.rs', 'engine/src/wording.rs', 'prompt/src/section_order.rs', 'prompt/src/compose.rs', 'engine/src/agents/known_models.rs', 'engine/src/commands/tools.rs', 'provider/src/error.rs', 'provider/src/http/http_error.rs', 'provider/src/vendors/environment.rs', 'engine/src/agents/house_prompt.rs', 'engine/src/worker/prompt_preview.rs', 'capability/src/error.rs', 'engine/src/model/picture_switch.rs', 'server/src/route/api_keys/create.rs', 'people/src/api_keys.rs', 'server/src/request/body.rs', 'engine/src/files/grep.rs', 'capability/src/ability/mod.rs', 'capability/src/condition/lexer.rs', 'engine/src/upkeep/backups.rs', ...BUILT_IN.map((name) => `capability/src/builtin/${name}.rs`), ...['stop', 'retry', 'saved_prompts', 'start', 'session', 'model', 'ability', 'help_lists', 'clear', 'agent', 'mod'].map((name) => `engine/src/commands/${name}.rs`)];

const isWords = (text: string) => /[a-z]\)? .*[a-z]/.test(text);
const within = (path: string, from: string, to: string) => strings(between(path, from, to)).filter(isWords);
const whole = (path: string) => strings(rust(path).split('#[cfg(test)]')[0]!).filter(isWords);

/** What the server says after a code whose German ends in a colon: where it stands. All of it must be in the table. */
const DETAILS: Record<string, () => string[]> = {
  backup_failed: () => [...whole('store/src/backup/write.rs'), ...whole('store/src/backup/progress.rs')].filter((text) => /^(The backup|\{\} already)/.test(text)),
  bad_ability: () => within('capability/src/ability/mod.rs', 'pub enum AbilityError', '\n}\n').filter((text) => !text.startsWith('name must')),
  bad_answer: () => within('engine/src/sessions/form_answers.rs', 'fn ', 'fn bad').filter((text) => !/^(The agent has already|answer: )/.test(text)),
  bad_attachments: () => within('engine/src/files/attach.rs', 'fn ', 'bad_attachments'),
  bad_budget: () => within('domain/src/budget.rs', 'pub fn problem', '\n    }\n'),
  bad_capabilities: () => within('capability/src/error.rs', 'pub enum ResolveError', '\n}\n').filter((text) => text !== ', '),
  bad_command: () => whole('engine/src/commands/form.rs'),
  bad_condition: () => whole('capability/src/condition/parse.rs').filter((text) => !/^(words\(…|character \{\})/.test(text)),
  bad_file_path: () => within('domain/src/file.rs', 'pub enum FilePathError', '\n}\n'),
  bad_limits: () => within('domain/src/limits.rs', 'pub fn problem', '\n    }\n'),
  bad_parameters: () => within('domain/src/agent.rs', 'pub fn problem', '\n    }\n'),
  bad_password: () => whole('people/src/passwords.rs').filter((text) => text.startsWith('A password')),
  bad_pattern: () => [...within('engine/src/files/grep.rs', 'fn compile', '\n}\n'), ...within('engine/src/files/grep.rs', 'fn path_pattern', '\n}\n')],
  bad_prompt_tree: () => [...within('domain/src/prompt_tree.rs', 'fn problem', '/// Small, and right'), ...within('domain/src/prompt_tree.rs', 'pub fn problem', '#[cfg(test)]')],
  bad_provider: () => [...within('engine/src/model/providers.rs', 'fn prices', '/// THREAT'), ...within('provider/src/vendors/price.rs', 'pub fn problem', '\n    }\n')],
  bad_rule: () => [...within('gate/src/rules.rs', 'pub fn problem', '#[cfg(test)]'), ...within('engine/src/permission/rules.rs', 'fn check_rule', '\n    }\n')],
  bad_source: () => within('people/src/bridge_name.rs', 'let detail', 'bad_source'),
  bad_template: () => within('capability/src/ability/template.rs', 'fn check', '#[cfg(test)]').filter((text) => !/cannot be used in a template|^(line|the result|this takes|too much)/.test(text)),
  bad_tool_rules: () => ['tool_rules: {}.'],
  key_not_in_file: () => [...within('engine/src/upkeep/master_key.rs', 'let detail', 'key_not_in_file'), ...within('engine/src/upkeep/handed_key.rs', 'fn check_nodes_take_keys', 'key_not_in_file')],
  key_not_taken: () => within('engine/src/upkeep/handed_key.rs', 'fn wait_until_all_open', 'key_not_taken'),
  provider_fixed: () => [...within('engine/src/model/providers.rs', 'fn check_changeable', 'fn stored_provider'), ...within('engine/src/model/picture_switch.rs', 'let detail', 'provider_fixed')],
  too_large: () => [...within('engine/src/files/uploads.rs', 'fn check_size', 'TooLarge'), 'This file is too large. The limit is {}.', ...within('engine/src/agents/agents.rs', 'PROMPT_BYTES {', ');')],
  too_many: () => [...within('engine/src/agents/agents.rs', 'SHARES {', ');'), ...within('engine/src/agents/agents.rs', 'CAPABILITIES ||', 'let wrong')],
};

describe('the table and the server', () => {
  test.each(Object.entries(SAID))('%s: each sentence is in German', (_, found) => {
    const all = found();
    expect(all.length).toBeGreaterThan(0);
    expect(all.filter((text) => !(text in sentences))).toEqual([]);
  });

  test.each(Object.entries(DETAILS))('what is said after %s is in German', (_, found) => {
    const all = found();
    expect(all.length).toBeGreaterThan(0);
    expect(all.filter((text) => !(text in sentences))).toEqual([]);
  });

  test('each code that is followed by words of the server has them in the table', () => {
    expect(Object.entries(codes).filter(([, german]) => german.endsWith(':')).map(([code]) => code).sort()).toEqual(Object.keys(DETAILS).sort());
  });

  test('the table has nothing that the server does not say', () => {
    const all = new Set([...Object.values(SAID).flatMap((found) => found()), ...Object.values(DETAILS).flatMap((found) => found()), ...OTHERS.flatMap((path) => strings(rust(path)))]);
    // The suggestion in the middle of it is left out when there is none.
    all.add('Unknown command: {}. Type /help for a list of commands.');
    expect(Object.keys(sentences).filter((text) => !all.has(text))).toEqual([]);
  });

  test('each code of the server and of a provider is told, and no other', () => {
    const problems = [...rust('server/src/problem/kinds.rs').matchAll(/kind\("(\w+)"/g)].map(([, code]) => code!);
    const failures = strings(between('provider/src/error.rs', 'pub const fn code', '/// What the person'));
    expect(Object.keys(codes).filter((code) => !problems.includes(code) && !failures.includes(code))).toEqual([]);
    expect(problems.length).toBeGreaterThan(100);
    expect([...problems, ...failures].filter((code) => !(code in codes))).toEqual([]);
  });

  test('a translation fills in as much as the sentence', () => {
    const gaps = (text: string) => text.split('{}').length;
    expect(Object.entries(sentences).filter(([english, german]) => gaps(english) !== gaps(german))).toEqual([]);
  });
});

describe('on a German page', () => {
  beforeAll(() => speak('de'));
  afterAll(() => speak('en'));

  test('each sentence with gaps becomes a pattern once', () => {
    served('Not a sentence of the server.');
    const made = vi.spyOn(globalThis, 'RegExp');
    for (let at = 0; at < 100; at += 1) expect(served(`${at} is not a sentence of the server.`)).toBe(`${at} is not a sentence of the server.`);
    expect(made).not.toHaveBeenCalled();
    made.mockRestore();
  });

  test.each([
    ['Commands always need your approval.', 'Befehle brauchen immer Ihre Erlaubnis.'],
    ['This conversation has seen private data (what you wrote) and untrusted text (the result of web_fetch); this action would send data out.', 'Diese Unterhaltung enthält private Daten (was Sie geschrieben haben) und nicht vertrauenswürdigen Text (das Ergebnis von web_fetch); diese Aktion würde Daten nach außen senden.'],
    ['This PDF is locked with a password. Remove the password and attach it again.', 'Diese Datei (PDF) ist mit einem Passwort geschützt. Entfernen Sie das Passwort und hängen Sie sie noch einmal an.'],
    ['What a person wrote stays as it is.', 'What a person wrote stays as it is.'],
    ['I stopped: you may spend $1.00 a day, and $0.90 is spent. Retry after midnight (UTC), or raise your budget. If the server sets it, ask an admin. Your message is saved.', 'Ich habe angehalten: Sie dürfen am Tag $1.00 ausgeben, und $0.90 sind ausgegeben. Wiederholen Sie nach Mitternacht (UTC) oder erhöhen Sie Ihr Budget. Wenn der Server es festlegt, fragen Sie einen Verwalter. Ihre Nachricht ist gespeichert.'],
    ['I could not get an answer from the model: it has no room. The provider is overloaded. Wait a moment and retry, or choose another model.', 'Ich habe vom Modell keine Antwort bekommen: it has no room. Der Anbieter ist überlastet. Warten Sie einen Moment und versuchen Sie es noch einmal, oder wählen Sie ein anderes Modell.'],
    ['The person denied this call: not now', 'Die Person hat diesen Aufruf abgelehnt: not now'],
  ])('%j', (english, german) => expect(served(english)).toBe(german));

  test.each([
    ['name_taken', 'The name “x” is taken.', 'Dieser Name ist vergeben. Wählen Sie einen anderen.'],
    ['bad_field', 'limits: invalid type: string "a", expected u32', 'Eine Angabe hat nicht die Form, die der Server versteht. Prüfen Sie, was Sie eingegeben haben.'],
    ['bad_limits', 'limits.steps must be 1 to 1000.', 'limits.steps muss 1 bis 1000 sein.'],
    ['bad_prompt_tree', 'prompt_tree: the node "rules" is used twice.', 'Der Aufbau des Prompts kann nicht verwendet werden: den Abschnitt "rules" gibt es zweimal.'],
    ['bad_condition', 'condition, character 7: `)` is missing here', 'Bedingung, Zeichen 7: hier fehlt `)`'],
    ['bad_provider', 'Something that is new.', 'Der Anbieter kann so nicht verwendet werden: Something that is new.'],
    ['provider_overloaded', 'it has no room', 'Der Anbieter ist überlastet.'],
    ['something_new', 'Some new problem.', 'Some new problem.'],
    ['bad_password', 'A password must have 8 to 1000 characters.', 'Ein Passwort muss 8 bis 1000 Zeichen haben.'],
    ['unsupported_file', 'This file is in an old Office format. Save it as DOCX, XLSX, PPTX or PDF and attach that.', 'Diese Datei hat ein altes Office-Format. Speichern Sie sie als DOCX, XLSX, PPTX oder PDF und hängen Sie diese an.'],
  ])('%s', (code, detail, german) => expect(problemWords(code, detail)).toBe(german));
});

test('in English the server is quoted', () => {
  expect(served('Commands always need your approval.')).toBe('Commands always need your approval.');
  expect(problemWords('name_taken', 'The name “x” is taken.')).toBe('The name “x” is taken.');
});
