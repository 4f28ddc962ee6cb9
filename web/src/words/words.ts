/**
 * The words of the page in the language of the person. English stands in the templates; another language is a list of
 * what stands for what, and where it says nothing English stays. Only what we wrote ourselves is looked up: the fixed
 * parts of templates, and strings that are given to `t`. What people or agents say passes through untouched.
 */
import { html as write, type TemplateResult } from 'lit';
import { keep, kept } from '../store/browser-storage';
import { short } from './short';

export type Dictionary = Record<string, string>;

/** A language: the page's own words, and for what the server says its fixed sentences and the codes of its problems. */
interface Language {
  words: Dictionary;
  sentences: Dictionary;
  codes: Dictionary;
}

/** Those that there are besides English. */
const LANGUAGES: Record<string, () => Promise<Language>> = {
  de: () => Promise.all([import('./german'), import('./german-server')]).then(([page, server]) => ({ ...page, ...server })),
};

let dictionary: Dictionary | null = null;
let server: Pick<Language, 'sentences' | 'codes'> = { sentences: {}, codes: {} };
/** The sentences with gaps, as patterns; made when one of them is looked for. */
let gapped: [RegExp, string][] | null = null;
let spoken = 'en';
const translated = new WeakMap<TemplateStringsArray, TemplateStringsArray>();

/** Which language the page speaks to a person who wants this one. */
export function pageLanguage(wanted: string): string {
  const plain = wanted.split('-')[0] ?? '';
  return plain in LANGUAGES ? plain : 'en';
}

/** From now on; what is on the screen already stays as it is. Gives back whether anything changes. */
export async function speak(wanted: string): Promise<boolean> {
  const language = pageLanguage(wanted);
  if (language === spoken) return false;
  const words = await LANGUAGES[language]?.().catch(() => null);
  dictionary = words?.words ?? null;
  server = words ?? { sentences: {}, codes: {} };
  gapped = null;
  spoken = dictionary ? language : 'en';
  document.documentElement.lang = spoken;
  keep('language', spoken);
  return true;
}

/** Before a person has signed in: as it was here last, or as the browser has it. */
export function speakAsBefore(): Promise<boolean> {
  return speak(kept('language', navigator.language));
}

/** A table has each sentence under itself, or, in the page that was built, under what stands for it. */
function find(table: Dictionary, text: string): string | undefined {
  const key = Object.hasOwn(table, text) ? text : short(text);
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** One of our own sentences. `{}` stands for what is filled in, in order. */
export function t(text: string, ...given: (string | number)[]): string {
  let at = 0;
  return ((dictionary && find(dictionary, text)) ?? text).replaceAll('{}', () => String(given[at++] ?? ''));
}

/** A sentence that the server wrote itself. What it filled in stays as it is, except where that is words of its own: `{words}`. */
export function served(text: string): string {
  const whole = find(server.sentences, text);
  if (whole !== undefined) return whole;
  gapped ??= Object.entries(server.sentences).flatMap(([english, said]) => (english.includes('{}') ? [[new RegExp(`^${english.split('{}').map(literally).join(GAP)}$`, 's'), said]] : []));
  for (const [pattern, said] of gapped) {
    const filled = pattern.exec(text);
    if (!filled) continue;
    let at = 1;
    return said.replace(/\{(words)?\}/g, (_, own) => (own ? ownWords : inMoney)(filled[at++] ?? ''));
  }
  return text;
}

/** Dollars as they are written in this language. */
function inMoney(text: string): string {
  return spoken === 'de' ? text.replace(/^\$(\d+)(?:\.(\d\d))?$/, (_, whole: string, cents?: string) => `${whole}${cents ? `,${cents}` : ''}\u00a0$`) : text;
}

/** What stands in a span of code is one name. */
const GAP = '(`[^`]*`|.*?)';
const COMMAS = /, (?=(?:[^`]*`[^`]*`)*[^`]*$)/;

/** Words with which the server filled a gap: a sentence, or some that commas part. A span of code quotes a person. */
function ownWords(text: string): string {
  if (/^`[^`]*`$/.test(text)) return text;
  const whole = served(text);
  return whole === text ? text.split(COMMAS).map(served).join(', ') : whole;
}

/** A problem: its sentence if that is known, else what its code means, with the server's own words where they say more. */
export function problemWords(code: string, detail: string): string {
  const known = served(detail);
  const meaning = server.codes[code];
  if (known !== detail || meaning === undefined) return known;
  return meaning.endsWith(':') ? `${meaning} ${detail}` : meaning;
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** What the server says of a reason or a problem, as a sentence: with a capital and a full stop. */
export function sentence(text: string): string {
  const whole = text.trim();
  return whole && whole.slice(0, 1).toUpperCase() + whole.slice(1) + (/[.!?…:)”"]$/.test(whole) ? '' : '.');
}

export function html(strings: TemplateStringsArray, ...values: unknown[]): TemplateResult<1> {
  return write(dictionary ? inOurWords(strings, dictionary) : strings, ...values);
}

function inOurWords(strings: TemplateStringsArray, words: Dictionary): TemplateStringsArray {
  let made = translated.get(strings);
  if (!made) {
    const pieces = translate([...strings], (text) => find(words, text));
    made = Object.assign(pieces, { raw: pieces }) as unknown as TemplateStringsArray;
    translated.set(strings, made);
  }
  return made;
}

/** Attributes whose values people see or hear. */
const TOLD = /^(aria-label|placeholder|title|alt)$/;

/** The texts and told attributes of the fixed parts of a template, looked up; everything else as it was. */
export function translate(strings: string[], ours: (text: string) => string | undefined): string[] {
  const state: State = { place: 'text', quote: '', attribute: '' };
  return strings.map((piece) => {
    let out = '';
    for (let at = 0; at < piece.length; ) {
      const end = endOf(piece, at, state);
      const part = piece.slice(at, end);
      const shown = state.place === 'text' || (state.place === 'value' && TOLD.test(state.attribute));
      out += shown ? lookUp(part, ours) : part;
      at = end;
      if (at < piece.length) out += step(piece[at++]!, part, state);
    }
    return out;
  });
}

interface State {
  place: 'text' | 'tag' | 'value';
  quote: string;
  attribute: string;
}

/** Where the text, the tag up to a quotation, or the value goes on to. */
function endOf(piece: string, at: number, state: State): number {
  const stops = state.place === 'text' ? '<' : state.place === 'value' ? state.quote : '>"\'';
  for (let to = at; to < piece.length; to += 1) if (stops.includes(piece[to]!)) return to;
  return piece.length;
}

function step(sign: string, before: string, state: State): string {
  if (sign === '<') state.place = 'tag';
  else if (state.place === 'value') state.place = 'tag';
  else if (sign === '>') state.place = 'text';
  else Object.assign(state, { place: 'value', quote: sign, attribute: /([\w-]+)=$/.exec(before)?.[1] ?? '' });
  return sign;
}

function lookUp(part: string, ours: (text: string) => string | undefined): string {
  const [, before = '', text = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(part) ?? [];
  const found = text && ours(text.replace(/\s+/g, ' '));
  return found ? before + found + after : part;
}
