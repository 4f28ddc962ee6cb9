/** Money that may be spent, in fields of dollars. */
import type { Budget } from '../api/schema';
import { html, t } from '../words/words';

const FIELDS: [keyof Budget, string][] = [
  ['per_turn_microusd', 'Dollars per reply'],
  ['per_day_microusd', 'Dollars per day'],
];

export function budgetFields(budget: Budget, change: (budget: Budget) => void) {
  return FIELDS.map(
    ([key, label]) => html`<label class="field"><span>${t(label)}</span><input class="input" type="number" min="0" step="0.01" placeholder="no limit" .value=${dollars(budget[key])} @change=${(event: Event) => change({ ...budget, [key]: microusd((event.currentTarget as HTMLInputElement).value) })} /></label>`,
  );
}

export function dollars(microusd: number | null | undefined): string {
  return microusd === null || microusd === undefined ? '' : String(microusd / 1_000_000);
}

export function microusd(text: string): number | null {
  return text === '' ? null : Math.round(Number(text) * 1_000_000);
}
