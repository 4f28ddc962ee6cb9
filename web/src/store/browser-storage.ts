/** What the browser keeps for the person: drafts, tabs, the theme. Nothing that others wrote. */
const OURS = 'majordomo-';
/** Who is here; nothing that is kept for one person is read for another. */
let person = '';

export function keepFor(id: string): void {
  person = id;
}

/** The name of what this person alone wrote. */
export function own(kind: string, name = ''): string {
  return `${kind}-${person}-${name}`;
}

export function kept<T>(name: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(OURS + name);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}

export function keep(name: string, value: unknown): void {
  try {
    if (value === undefined || value === '') localStorage.removeItem(OURS + name);
    else localStorage.setItem(OURS + name, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing is no reason to fail.
  }
}

/** The names that begin so. */
export function names(start: string): string[] {
  try {
    return Object.keys(localStorage).flatMap((key) => (key.startsWith(OURS + start) ? key.slice(OURS.length) : []));
  } catch {
    return [];
  }
}

/** The person signs out: the browser keeps how the page looks, and what it keeps for other persons. */
export function forget(): void {
  for (const name of names('')) if (name !== 'theme' && name !== 'language' && (name.includes(person) || !name.includes('user_'))) keep(name, undefined);
}
