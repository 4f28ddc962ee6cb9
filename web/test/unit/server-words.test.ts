// What the server says in fixed sentences, in German: the table is held against the server's own source.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { words } from '../../src/words/german';
import { codes, sentences } from '../../src/words/german-server';
import { answered } from '../../src/words/answer';
import { problemWords, served, speak } from '../../src/words/words';
import { CAPABILITIES } from '../../src/view/try';
import { between, rust, strings } from './rust-source';
import { DETAILS, listed, made, OF_LIBRARIES, OTHERS, SAID } from './server-sentences';

const WORDS = join(import.meta.dirname, '../../src/words');

/** The keys of a file's tables, each as often as it stands there. */
function keysOf(file: string): string[] {
  const found: string[] = [];
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(walk);
    if (!node || typeof node !== 'object') return;
    const { type, key } = node as { type?: string; key?: { name?: string; value?: string } };
    if (type === 'Property') found.push(key?.name ?? key?.value ?? '');
    Object.values(node).forEach(walk);
  };
  walk(parseAst(readFileSync(join(WORDS, file), 'utf8').split('export const codes')[0]!, { lang: 'ts' }));
  return found;
}

/** A gap of a sentence, and what fills it in German. */
const gaps = (text: string) => text.split(/\{(?:words)?\}/).length - 1;

/** Where the last gap holds what a library says, or the name of a type: German says no more than that it is wrong. */
const LEFT_OUT = ['filter cannot be used as a regular expression: {}.', '{} is not a regular expression: {}', 'the pattern cannot be used: {}', 'invalid type: {}, expected {}', 'invalid value: {}, expected {}'];

/** What commands answer, as the server writes it. */
const ANSWERS = [
  ['**Commands**\n- `/new` — start a new conversation\n\n**Your prompts**\n- `/greet WHO` — `text`\n\nType `/help all` for everything, or `/help NAME` for more about a command.', '**Befehle**\n- `/new` — eine neue Unterhaltung beginnen\n\n**Ihre Vorlagen**\n- `/greet WHO` — `text`\n\n`/help all` zeigt alles, `/help NAME` mehr über einen Befehl.'],
  ['**Tools**\n- `bash` — Run a command in bash.\n- `tidy` — Instructions, to be read before you do what they are about: text', '**Werkzeuge**\n- `bash` — Führt einen Befehl aus.\n- `tidy` — Anweisungen, die der Agent bei Bedarf liest: text'],
  ['**/stop** stop the running reply\n\n- `/stop` — stop the running reply\n\nWhat the agent has written so far is kept.', '**/stop** die laufende Antwort anhalten\n\n- `/stop` — die laufende Antwort anhalten\n\nWas der Agent bis dahin geschrieben hat, bleibt erhalten.'],
  ['`a/b` answers in this conversation.\n\n- `a/b`: $3.00 per million tokens read and $15.05 written, sees pictures, reads 128k tokens, default model (answers here)\n- `demo/demo`: free, reads 8k tokens', 'In dieser Unterhaltung antwortet `a/b`.\n\n- `a/b`: 3,00\u00a0$ je Million gelesener und 15,05\u00a0$ je Million geschriebener Tokens, sieht Bilder, liest 128k Tokens, Standardmodell (antwortet hier)\n- `demo/demo`: kostenlos, liest 8k Tokens'],
  ['- `Tom · archived` · idle · 1 message · `session_1`\n- no messages yet · input_required, archived · 0 messages · `session_2`\n\n… and 3 more', '- `Tom · archived` · ruht · 1 Nachricht · `session_1`\n- noch keine Nachrichten · braucht Ihre Antwort, archiviert · 0 Nachrichten · `session_2`\n\n… und 3 weitere'],
  ['- `main` · default model · `agent_1`\n- `Research` · `a/b`, archived, shared with you by `Bob, archived` · `agent_2`', '- `main` · Standardmodell · `agent_1`\n- `Research` · `a/b`, archiviert, mit Ihnen geteilt von `Bob, archived` · `agent_2`'],
  ['- `main` · default model · `agent_1`\n\n```json\n{\n  "name": "Research"\n}\n```', '- `main` · Standardmodell · `agent_1`\n\n```json\n{\n  "name": "Research"\n}\n```'],
  ['- `tidy` (process) — `text`\n- `late` (conditional)', '- `tidy` (Ablauf) — `text`\n- `late` (bedingt)'],
  ['````markdown\nidle\n````', '````markdown\nidle\n````'],
  ["`tidy` was saved. Agents that list it in their capabilities have it.\n- `line 3: 'text' is not known; known keys are name, type`", '`tidy` wurde gespeichert. Agenten, die sie unter ihren Fähigkeiten haben, können sie benutzen.\n- Zeile 3: `text` ist nicht bekannt; bekannt sind name, type'],
] as const;

describe('the table and the server', () => {
  test.each(Object.entries(SAID))('%s: each sentence is in German', (_, found) => {
    const all = found().flatMap(made);
    expect(all.length).toBeGreaterThan(0);
    expect(all.filter((text) => !(text in sentences))).toEqual([]);
  });

  test.each(Object.entries(DETAILS))('what is said after %s is in German', (_, found) => {
    const all = found().flatMap(made);
    expect(all.length).toBeGreaterThan(0);
    expect(all.filter((text) => !(text in sentences))).toEqual([]);
  });

  test('each code that is followed by words of the server has them in the table', () => {
    expect(Object.entries(codes).filter(([, german]) => german.endsWith(':')).map(([code]) => code).sort()).toEqual(Object.keys(DETAILS).sort());
  });

  test('the table has nothing that the server does not say', () => {
    const all = new Set([...Object.values(SAID).flatMap((found) => found()), ...Object.values(DETAILS).flatMap((found) => found()), ...OTHERS.flatMap((path) => strings(rust(path)))].flatMap(made));
    OF_LIBRARIES.forEach((text) => all.add(text));
    expect(Object.keys(sentences).filter((text) => !all.has(text))).toEqual([]);
  });

  test('each code of the server and of a provider is told, and no other', () => {
    const problems = [...rust('server/src/problem/kinds.rs').matchAll(/kind\("(\w+)"/g)].map(([, code]) => code!);
    const failures = strings(between('provider/src/error.rs', 'pub const fn code', '/// What the person'));
    expect(Object.keys(codes).filter((code) => !problems.includes(code) && !failures.includes(code))).toEqual([]);
    expect(problems.length).toBeGreaterThan(100);
    expect([...problems, ...failures].filter((code) => !(code in codes))).toEqual([]);
  });

  test('an empty conversation names each capability that comes with the program, and no other', () => {
    expect(Object.keys(CAPABILITIES).sort()).toEqual([...listed().map(({ id }) => id), 'commands'].sort());
  });

  test('a translation fills in as much as the sentence', () => {
    expect(Object.entries(sentences).filter(([english, german]) => gaps(english) - (LEFT_OUT.includes(english) ? 1 : 0) !== gaps(german))).toEqual([]);
  });

  test('each sentence has one entry, and says the same as on the page', () => {
    const files = readdirSync(WORDS).filter((name) => name.startsWith('german-'));
    const keys = files.flatMap(keysOf);
    expect(keys.length).toBeGreaterThan(500);
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
    expect(Object.keys(sentences).length).toBe(keys.length);
    const plain = (text: string) => text.replaceAll('{words}', '{}');
    expect(Object.entries(words).filter(([english, german]) => english in sentences && plain(sentences[english]!) !== german)).toEqual([]);
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
    ['I stopped: you may spend $1.00 a day, and $0.90 is spent. Retry after midnight (UTC), or raise your budget. If the server sets it, ask an admin. Your message is saved.', 'Ich habe angehalten: Sie dürfen am Tag 1,00\u00a0$ ausgeben, und 0,90\u00a0$ sind ausgegeben. Versuchen Sie es nach Mitternacht (UTC) noch einmal, oder erhöhen Sie Ihr Budget. Wenn der Server es festlegt, fragen Sie einen Verwalter. Ihre Nachricht ist gespeichert.'],
    ['I could not get an answer from the model: it has no room. The provider is overloaded. Wait a moment and retry, or choose another model.', 'Ich habe vom Modell keine Antwort bekommen: it has no room. Der Anbieter ist überlastet. Warten Sie einen Moment und versuchen Sie es noch einmal, oder wählen Sie ein anderes Modell.'],
    ['The person denied this call: not now', 'Die Person hat diesen Aufruf abgelehnt: not now'],
    // Words of a person, a model or an agent's name stay as they are, also where the table has the same.
    ['The person denied this call: text', 'Die Person hat diesen Aufruf abgelehnt: text'],
    ['The agent Research wants to use history, whose price is not known, but there is a budget of $1.00 a reply and $5.00 a day.', 'Der Agent Research möchte history benutzen, dessen Preis nicht bekannt ist, aber es gibt ein Budget von 1,00\u00a0$ je Antwort und 5,00\u00a0$ am Tag.'],
    ['I stopped: the price of a/b is not known, so I cannot keep to the budget (The person denied this call: text). Set a price for its provider or mark it as free, choose another model, or remove the budget. Then retry. Your message is saved.', 'Ich habe angehalten: Der Preis von a/b ist nicht bekannt, deshalb kann ich das Budget nicht einhalten (Die Person hat diesen Aufruf abgelehnt: text). Tragen Sie beim Anbieter einen Preis ein oder dass er nichts kostet, wählen Sie ein anderes Modell oder entfernen Sie das Budget. Versuchen Sie es dann noch einmal. Ihre Nachricht ist gespeichert.'],
    ['Choose one of these: text, history.', 'Wählen Sie eines davon: text, history.'],
    ['the provider answered 401: text', 'der Anbieter antwortete 401: text'],
    ['constructor', 'constructor'],
    ['Unknown command: `/hlep`. Did you mean /help? Type /help for a list of commands.', 'Unbekannter Befehl: `/hlep`. Meinten Sie /help? /help zeigt alle Befehle.'],
    ['Unknown command: `/x`. Type /help for a list of commands.', 'Unbekannter Befehl: `/x`. /help zeigt alle Befehle.'],
  ])('%j', (english, german) => expect(served(english)).toBe(german));

  test('each sentence finds its own German', () => {
    const filled = (text: string) => gaps(text) && text.replace(/\{(?:words)?\}/g, () => `x${(at += 1)}x`);
    let at = 0;
    const wrong = Object.entries(sentences).filter(([english, german]) => {
      if (gaps(english) !== gaps(german) || !gaps(english)) return false;
      at = 0;
      const said = filled(english);
      at = 0;
      return served(String(said)) !== filled(german);
    });
    expect(wrong.map(([english]) => english)).toEqual([]);
  });

  test.each(ANSWERS)('the answer %j', (english, german) => expect(answered(english)).toBe(german));

  test.each([
    ['name_taken', 'The name “x” is taken.', 'Dieser Name ist vergeben. Wählen Sie einen anderen.'],
    ['bad_field', 'limits: invalid type: string "a", expected u32', 'Eine Angabe hat nicht die Form, die der Server versteht. Prüfen Sie, was Sie eingegeben haben.'],
    ['bad_limits', '“Model requests per reply” (limits.steps) must be 1 to 500.', '„Modellanfragen je Antwort“ muss 1 bis 500 sein.'],
    ['bad_prompt_tree', 'prompt_tree: the node "rules" is used twice.', 'Der Prompt-Baum kann nicht verwendet werden: den Knoten "rules" gibt es zweimal.'],
    ['bad_command', '/agent: name the agent. Write it like this: /agent list · /agent show [AGENT]', '/agent: es fehlt der Name des Agenten. Schreiben Sie es so: /agent list · /agent show [AGENT]'],
    ['bad_command', '/session: "text" is one word too many. Write it like this: /session', '/session: "text" ist ein Wort zu viel. Schreiben Sie es so: /session'],
    ['bad_command', '/agent: invalid type: string "hot", expected f64. Write it like this: /agent list', '/agent: der Text "hot" hat hier nicht die richtige Form. Schreiben Sie es so: /agent list'],
    ['bad_name', 'name must be 1 to 40 small letters, digits and underscores, and begin with a letter.', 'Der Name muss 1 bis 40 Kleinbuchstaben (a bis z), Ziffern und Unterstriche haben und mit einem Buchstaben beginnen.'],
    ['bad_name', 'The name of an agent must have 1 to 200 characters, without control characters and without spaces around it.', 'Der Name eines Agenten muss 1 bis 200 Zeichen haben, ohne Steuerzeichen und ohne Leerzeichen am Rand.'],
    ['bad_agent_file', 'The agent in the file cannot be used: unknown field `colour`, expected one of `name`, `model`.', 'Der Agent in der Datei kann nicht verwendet werden: ein Feld `colour` gibt es nicht; möglich sind `name`, `model`.'],
    ['bad_capabilities', 'The settings of the capability `sandbox` are wrong: parameter `hosts` must be of type array.', 'Die Einstellungen der Fähigkeit `sandbox` sind falsch: `hosts` muss eine Liste sein.'],
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
