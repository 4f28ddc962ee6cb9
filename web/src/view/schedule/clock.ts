/** The clock of a place: a schedule is due by it, wherever the browser is. */

const MINUTE = 60_000;
const DAY = 86_400_000;

/** What that clock shows, as a field has it: `2026-11-20T08:00`. */
export function wallTime(at: number, zone: string): string {
  const form = new Intl.DateTimeFormat('en', { timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' });
  const part = Object.fromEntries(form.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${part['year']!.padStart(4, '0')}-${part['month']}-${part['day']}T${part['hour']}:${part['minute']}`;
}

/** When that clock shows this; after the gap where it is put forward past it, the first time where it shows it twice. */
export function momentOf(wall: string, zone: string): string | null {
  const shown = Date.parse(`${wall}Z`);
  if (Number.isNaN(shown)) return null;
  const either = [shown - DAY, shown + DAY].map((near) => shown - (Date.parse(`${wallTime(near, zone)}Z`) - Math.floor(near / MINUTE) * MINUTE));
  const fits = either.filter((at) => Date.parse(`${wallTime(at, zone)}Z`) === shown);
  return new Date(fits.length > 0 ? Math.min(...fits) : Math.max(...either)).toISOString();
}

/** The zone where the browser knows it, else its own. */
export function knownZone(zone: string | undefined): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return new Intl.DateTimeFormat('en').resolvedOptions().timeZone;
  }
}
