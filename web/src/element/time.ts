import { t } from '../words/words';
/** Times, money and sizes, in the words and the zone of the person. */
let locale: string | undefined;
let zone: string | undefined;
/** Making one takes longer than using it a hundred times. */
const forms = new Map<string, Intl.DateTimeFormat>();

/** Whose words and whose clock. The browser knows how the same language is written where the person lives. */
export function speakFor(person: { language: string; time_zone: string } | null): void {
  locale = zone = undefined;
  forms.clear();
  if (!person) return;
  const near = navigator.languages.find((one) => one.split('-')[0] === person.language.split('-')[0]);
  locale = known(() => new Intl.Locale(person.language.includes('-') ? person.language : (near ?? person.language)).toString());
  zone = known(() => new Intl.DateTimeFormat('en', { timeZone: person.time_zone }).resolvedOptions().timeZone);
}

function known(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function told(at: string | Date, form: Intl.DateTimeFormatOptions, words = locale): string {
  const name = `${words} ${JSON.stringify(form)}`;
  let made = forms.get(name);
  if (!made) forms.set(name, (made = new Intl.DateTimeFormat(words, { ...form, ...(zone && { timeZone: zone }) })));
  return made.format(new Date(at));
}

export function clock(at: string, seconds = false): string {
  return told(at, { hour: 'numeric', minute: '2-digit', ...(seconds && { second: '2-digit' }) });
}

/** The whole date and time. */
export function moment(at: string): string {
  return told(at, { dateStyle: 'medium', timeStyle: 'short' });
}

export function date(at: string): string {
  return told(at, { dateStyle: 'medium' });
}

/** A day as the server writes it, `2026-02-28`: the same day everywhere. */
export function day(key: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(`${key}T00:00:00Z`));
}

/** A time that a clock shows, `08:00`, wherever it is. */
export function wallClock(shown: string): string {
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' }).format(Date.parse(`2026-01-01T${shown}Z`));
}

/** A day of the week; 0 is Sunday. */
export function weekday(number: number): string {
  return new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2026, 0, 4 + number));
}

/** How many midnights of the person lie between. */
function daysBetween(then: Date, now: Date): number {
  const day = (one: Date) => Date.parse(`${told(one, { year: 'numeric', month: '2-digit', day: '2-digit' }, 'en-CA')}T00:00:00Z`);
  return Math.round((day(now) - day(then)) / 86_400_000);
}

export function dayOf(at: string, now = new Date()): string {
  const then = new Date(at);
  const days = daysBetween(then, now);
  if (days <= 0) return t('Today');
  if (days === 1) return t('Yesterday');
  if (days < 7) return told(at, { weekday: 'long' });
  return told(at, { day: 'numeric', month: 'long', ...(then.getFullYear() !== now.getFullYear() && { year: 'numeric' }) });
}

export function ago(at: string, now = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(at)) / 1_000);
  if (seconds < 60) return t('now');
  if (seconds < 3_600) return t('{} min', Math.floor(seconds / 60));
  const days = daysBetween(new Date(at), new Date(now));
  if (days <= 0) return clock(at);
  if (days < 7) return told(at, { weekday: 'short' });
  return told(at, { day: 'numeric', month: 'short' });
}

/** When something was said: a while ago as that, today by the clock, earlier with its day. */
export function said(at: string, now = Date.now()): string {
  const days = daysBetween(new Date(at), new Date(now));
  if (days <= 0) return clock(at);
  if (days < 7) return told(at, { weekday: 'short', hour: 'numeric', minute: '2-digit' });
  return told(at, { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' });
}

/** When something comes: today and tomorrow by their names, later by its day. */
export function due(at: string, now = Date.now()): string {
  const days = -daysBetween(new Date(at), new Date(now));
  if (days === 0) return t('today, {}', clock(at));
  if (days === 1) return t('tomorrow, {}', clock(at));
  const isThisYear = told(at, { year: 'numeric' }, 'en') === told(new Date(now), { year: 'numeric' }, 'en');
  return told(at, { weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit', ...(!isThisYear && { year: 'numeric' }) });
}

export function lasted(from: string, to: string): string {
  return lastedMs(Date.parse(to) - Date.parse(from));
}

export function lastedMs(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds / 1_000);
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 10) return `${decimal(seconds, 1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min`;
}

/** In dollars; null when the price is unknown. */
export function money(microusd: number | null): string {
  if (microusd === null) return t('price unknown');
  const amount = microusd / 1_000_000;
  if (amount === 0) return inDollars(0, 0);
  return amount < 0.01 ? `<${inDollars(0.01)}` : inDollars(amount);
}

/** As the person writes it. */
export function inDollars(amount: number, digits = 2): string {
  return new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', minimumFractionDigits: digits, maximumFractionDigits: digits }).format(amount);
}

/** All its digits, as the person writes them. */
export function fullNumber(value: number): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }).format(value);
}

/** With so many digits behind the point, which is a comma for some. */
function decimal(value: number, digits: number): string {
  return new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false }).format(value);
}

export function short(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${decimal(count / 1_000, count < 10_000 ? 1 : 0)}k`;
  return `${decimal(count / 1_000_000, 1)}M`;
}

export function size(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${decimal(bytes / 1_024, 1)} KB`;
  return `${decimal(bytes / 1_048_576, 1)} MB`;
}
