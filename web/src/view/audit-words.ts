/** An entry of the audit log as people read it: names stand for ids, and what has no name is left out. */
const ID = /\b[a-z]+_[0-9a-f]{32}\b/g;
/** Of what was asked; a person cannot compare it with anything. */
const DIGEST = /^[0-9a-f]{64}$/;

export type NameOf = (id: string) => string | undefined;

/** `user_… by login_…` is the person alone. */
export function readable(text: string, nameOf: NameOf): string {
  return text.replace(ID, (id) => nameOf(id) ?? '').replace(/ by\s*$/, '').trim();
}

/** `name: value, name: value`, however deep. */
export function listed(value: unknown, nameOf: NameOf): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((one) => listed(one, nameOf)).filter(Boolean).join(', ');
  if (typeof value !== 'object') return DIGEST.test(String(value)) ? '' : readable(String(value), nameOf);
  const parts = Object.entries(value).map(([name, one]) => [name.replace(/_id$/, '').replace(/^session$/, 'conversation').replaceAll('_', ' '), listed(one, nameOf)]);
  return parts.filter(([, text]) => text).map((part) => part.join(': ')).join(', ');
}
