import { nothing, svg } from 'lit';
import { api } from '../../api/routes';
import type { BudgetLeft, UsageLine, User } from '../../api/schema';
import { day, money, short } from '../../element/time';
import { bar } from '../../hml/progress';
import { house } from '../../store/house';
import { isAtLeast } from '../../store/role';
import { saveCsv } from './csv';
import { PlaceView, scrolling } from '../place-view';
import { html, t } from '../../words/words';

const BY: [string, string][] = [
  ['agent', 'By agent'],
  ['model', 'By model'],
  ['session', 'By conversation'],
];
const OF_ADMINS: [string, string][] = [['user', 'By person']];
/** Conversations that are in no list and are asked for their names one by one. */
const NAMED = 24;
const SPANS = [7, 30, 90, 365];

/** What was used, and what it cost. */
export class MjUsage extends PlaceView {
  static override properties = { ...PlaceView.properties, days: { state: true }, budget: { state: true }, tables: { state: true }, people: { state: true }, names: { state: true }, span: { state: true } };
  declare days: UsageLine[];
  declare budget: BudgetLeft | null;
  declare tables: [string, string, UsageLine[]][];
  declare people: User[];
  /** By which conversations are known. */
  declare names: Map<string, string>;
  /** How many days are looked at. */
  declare span: number;

  constructor() {
    super();
    this.days = [];
    this.budget = null;
    this.tables = [];
    this.people = [];
    this.names = new Map();
    this.span = 30;
  }

  protected override async load(): Promise<void> {
    const admin = isAtLeast(house.me?.role, 'admin');
    const from = new Date(Date.now() - (this.span - 1) * 86_400_000).toISOString().slice(0, 10);
    const wanted = admin ? [...BY, ...OF_ADMINS] : BY;
    if (admin && this.people.length === 0) this.people = (await api.users().catch(() => null))?.items ?? [];
    const [days, ...others] = await Promise.all([api.usage('day', from), ...wanted.map(([by]) => api.usage(by, from))]);
    this.days = days?.items ?? [];
    this.budget = days?.budget ?? null;
    const sessions = others[wanted.findIndex(([by]) => by === 'session')]?.items ?? [];
    this.tables = wanted.map(([by, title], at) => [by, title, others[at]?.items ?? []]);
    this.names = await this.#namesOf([...sessions].sort((a, b) => tokens(b) - tokens(a)).map((line) => line.key));
  }

  /** The lists name most of them, archived ones too; other versions are asked for, and those of other people stay without a name. */
  async #namesOf(wanted: string[]): Promise<Map<string, string>> {
    const names = new Map(this.names);
    const missing = () => wanted.filter((id) => !names.has(id));
    for (const archived of [false, true]) {
      for (let cursor: string | undefined; missing().length > 0; ) {
        const page = await api.sessions({ archived, limit: 100, cursor });
        for (const one of page.items) names.set(one.id, house.titleOf(one));
        if (!page.next_cursor) break;
        cursor = page.next_cursor;
      }
    }
    const asked = missing().slice(0, NAMED).map((id) => api.session(id).then((one) => names.set(id, house.titleOf(one)), () => undefined));
    await Promise.all(asked);
    return names;
  }

  override render() {
    const total = this.days.reduce((sum, line) => sum + line.input_tokens + line.output_tokens, 0);
    const cost = this.days.reduce((sum, line) => sum + (line.cost_microusd ?? 0), 0);
    const unknown = this.days.some((line) => line.unknown_calls > 0);
    return this.frame(t('Usage'), t(unknown ? 'The last {} days: {} tokens, {}, and requests whose price is unknown.' : 'The last {} days: {} tokens, {}.', this.span, short(total), money(cost)), html`
      <div class="row filters"><label class="field"><span>Time</span><select class="input" @change=${this.#look}>${SPANS.map((days) => html`<option value=${days} ?selected=${days === this.span}>${t('{} days', days)}</option>`)}</select></label><button class="btn push" ?disabled=${this.days.length === 0} @click=${() => this.#save()}>Download as CSV</button></div>
      ${this.budget?.per_day_microusd ? html`<p>${t('{} of {} today', money(this.budget.spent_microusd), money(this.budget.per_day_microusd))}</p>${bar(this.budget.spent_microusd, this.budget.per_day_microusd, t('Spent today'))}` : nothing}
      ${this.days.length > 0 ? this.#plot() : this.loaded ? html`<p class="empty">No usage yet. Each request to a model is counted here.</p>` : nothing}
      ${this.tables.map(([by, title, lines]) => html`<h2>${t(title)}</h2>${bars(t(title), lines, this.#nameIn(by))}${table(t(title), lines, this.#nameIn(by))}`)}
      ${this.days.length > 0 ? html`<h2>By day</h2>${table(t('By day'), this.days, day)}` : nothing}`);
  }

  /** By which people know it; what has no name any more is told so. */
  #nameIn(by: string): (key: string) => string {
    return (key) => {
      const agent = by === 'agent' ? house.agents.find((one) => one.id === key) : undefined;
      if (by === 'agent') return agent ? house.nameOf(agent) : t('deleted agent, or an agent of another person');
      if (by === 'user') return this.people.find((one) => one.id === key)?.name ?? t('removed person');
      if (by === 'session') return this.names.get(key) ?? t('deleted conversation, or of another person');
      return key;
    };
  }

  #look = (event: Event): void => {
    this.span = Number((event.currentTarget as HTMLSelectElement).value);
    void this.attempt(() => this.load());
  };

  #save(): void {
    const rows = [['day', 'By day', this.days] as [string, string, UsageLine[]], ...this.tables].flatMap(([by, , lines]) => lines.map((line) => [by, line.key, this.#nameIn(by)(line.key), line.calls, line.input_tokens, line.output_tokens, line.cached_tokens, line.cost_microusd == null ? '' : line.cost_microusd / 1_000_000]));
    saveCsv('usage', ['by', 'key', 'name', 'requests', 'tokens_read', 'tokens_written', 'tokens_cached', 'dollars'], rows);
  }

  #plot() {
    const known = new Map(this.days.map((line) => [line.key, line]));
    const keys = Array.from({ length: this.span }, (_, at) => new Date(Date.now() - (this.span - 1 - at) * 86_400_000).toISOString().slice(0, 10));
    const tokens = keys.map((key) => (known.get(key)?.input_tokens ?? 0) + (known.get(key)?.output_tokens ?? 0));
    const most = Math.max(1, ...tokens);
    return html`<figure class="plotted-days"><svg class="plot" viewBox="0 0 ${this.span * 20} 108" role="img" aria-label=${t('Tokens per day, at most {}. The table below has the numbers.', short(most))}>
      ${tokens.map((count, at) => {
        const height = count === 0 ? 1 : Math.max(2, (count / most) * 100);
        return svg`<rect x=${at * 20 + 3} y=${104 - height} width="14" height=${height} rx="2"><title>${day(keys[at]!)}: ${t('{} tokens', short(count))}, ${money(known.get(keys[at]!)?.cost_microusd ?? 0)}</title></rect>`;
      })}
    </svg><figcaption class="row hint"><span>${day(keys[0]!)}</span><span class="push">${day(keys.at(-1)!)}</span></figcaption></figure>`;
  }
}

function tokens(line: UsageLine): number {
  return line.input_tokens + line.output_tokens;
}

/** One bar each, the longest first. */
function bars(title: string, lines: UsageLine[], name: (key: string) => string) {
  const most = Math.max(1, ...lines.map(tokens));
  const longest = [...lines].sort((a, b) => tokens(b) - tokens(a)).slice(0, 12);
  return html`<ul class="bars card in" aria-label=${t('Tokens, {}', title)}>${longest.map((line) => html`<li><span class="what">${name(line.key)}</span>${bar(tokens(line), most, `${name(line.key)}: ${t('{} tokens', short(tokens(line)))}`)}<span class="n">${short(tokens(line))} · ${money(line.cost_microusd)}</span></li>`)}</ul>`;
}

function table(title: string, lines: UsageLine[], name: (key: string) => string) {
  return scrolling(title, html`<table class="table"><thead><tr><th>Name</th><th class="n">Requests</th><th class="n">Tokens read</th><th class="n">Tokens written</th><th class="n">From cache</th><th class="n">Cost</th></tr></thead>
    <tbody>${lines.map((line) => html`<tr><td>${name(line.key)}</td><td class="n">${line.calls}</td><td class="n">${short(line.input_tokens)}</td><td class="n">${short(line.output_tokens)}</td><td class="n">${short(line.cached_tokens)}</td><td class="n">${money(line.cost_microusd)}</td></tr>`)}</tbody></table>`);
}
customElements.define('mj-usage', MjUsage);
