import { nothing, type TemplateResult } from 'lit';
import { words } from '../../api/client';
import { api } from '../../api/routes';
import type { AgentView, RunPlace, Session } from '../../api/schema';
import { LightElement } from '../../element/light';
import { due, weekday } from '../../element/time';
import { house } from '../../store/house';
import { html, t } from '../../words/words';
import type { Rhythm, ScheduleDraft } from './draft';
import { whenWords } from './words';

/** So long nothing was changed before the times are asked for. */
const SETTLED = 250;

const RHYTHMS: [Rhythm, string][] = [
  ['daily', 'Every day'],
  ['weekdays', 'Monday to Friday'],
  ['weekly', 'On some days of the week'],
  ['every', 'Every few hours or minutes'],
  ['once', 'Once'],
  ['cron', 'By a cron pattern'],
];

const PLACES: [RunPlace, string][] = [
  ['own', 'in one conversation for all runs'],
  ['fresh', 'in a new conversation each time'],
  ['here', 'in a conversation that you have'],
];

/** The week as people write it. */
const WEEK = [1, 2, 3, 4, 5, 6, 0];

/** Makes or changes a schedule, and shows when it would come before it is saved. */
export class MjScheduleForm extends LightElement {
  static override properties = { draft: { attribute: false }, busy: { type: Boolean }, preview: { state: true } };
  declare draft: ScheduleDraft;
  declare busy: boolean;
  /** What the server says to the times; null while it is asked. */
  declare preview: { times: string[]; problem: string; pattern: string } | null;
  #asked = '';
  #timer = 0;
  #asking: AbortController | null = null;

  constructor() {
    super();
    this.busy = false;
    this.preview = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house);
    this.follow(house.sessions);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
    this.#asking?.abort();
  }

  override willUpdate(): void {
    const { draft } = this;
    if (!draft.agent) draft.agent = this.#agents[0]?.id ?? '';
    if (!draft.session) draft.session = this.#sessions[0]?.id ?? '';
    const asked = JSON.stringify(draft.when);
    if (asked === this.#asked) return;
    const isFirst = !this.#asked;
    this.#asked = asked;
    this.preview = null;
    clearTimeout(this.#timer);
    this.#asking?.abort();
    this.#timer = window.setTimeout(() => void this.#look(), isFirst ? 0 : SETTLED);
  }

  async #look(): Promise<void> {
    const { when } = this.draft;
    if (!when) return;
    const asking = (this.#asking = new AbortController());
    const pattern = this.draft.rhythm === 'cron';
    const preview = await api.previewSchedule(when, asking.signal).then(
      ({ times, description }) => ({ times, problem: '', pattern: pattern ? description : '' }),
      (error: unknown) => ({ times: [], problem: words(error), pattern: '' }),
    );
    if (!asking.signal.aborted) this.preview = preview;
  }

  /** The person's own first: an agent of this name is everybody's. */
  get #agents(): AgentView[] {
    return house.usable.filter((agent) => agent.status !== 'archived').sort((a, b) => Number(this.#isMain(b)) - Number(this.#isMain(a)));
  }

  #isMain(agent: AgentView): boolean {
    return agent.name === 'main' && !('shared_by' in agent && agent.shared_by);
  }

  get #sessions(): Session[] {
    return house.sessions.items.filter((one) => !one.archived);
  }

  override render() {
    const { draft } = this;
    return html`<form class="in schedule-form" @submit=${this.#save} @keydown=${this.#leave}>
      <label class="field"><span>What the agent is to do</span><textarea class="input" name="note" rows="3" required maxlength="8000" dir="auto" .value=${draft.note} placeholder=${t('Tell me what is in the news of our town.')} @input=${this.#note}></textarea></label>
      <div class="grid">
        <label class="field"><span>When</span><select class="input" name="rhythm" @change=${(event: Event) => this.#set({ rhythm: valueOf(event) as Rhythm })}>${RHYTHMS.map(([rhythm, label]) => html`<option value=${rhythm} ?selected=${rhythm === draft.rhythm}>${t(label)}</option>`)}</select></label>
        ${this.#times()}
      </div>
      ${draft.rhythm === 'weekly' ? html`<fieldset class="field days"><legend>Days</legend>${WEEK.map((day) => html`<label><input type="checkbox" name="day" .checked=${draft.days.includes(day)} @change=${(event: Event) => this.#day(day, (event.currentTarget as HTMLInputElement).checked)} /> ${weekday(day)}</label>`)}</fieldset>` : nothing}
      ${this.#preview()}
      ${draft.isNew ? this.#stage() : nothing}
      <details ?open=${draft.zone !== '' || draft.most !== ''}><summary>More</summary><div class="grid">
        ${draft.rhythm === 'once' ? nothing : html`<label class="field"><span>Ends after so many runs</span><input class="input" type="number" name="most" min="1" max="1000000" ?required=${draft.hadEnd} .value=${draft.most} placeholder=${t('without end')} @input=${(event: Event) => this.#set({ most: valueOf(event) })} />${draft.hadEnd ? html`<small>The number can be changed. To have no end, delete this schedule and add it again.</small>` : nothing}</label>
        <label class="field"><span>When the server was not running</span><select class="input" name="missed" @change=${(event: Event) => this.#set({ missed: valueOf(event) as ScheduleDraft['missed'] })}><option value="one" ?selected=${draft.missed === 'one'}>${t('run once afterwards')}</option><option value="skip" ?selected=${draft.missed === 'skip'}>${t('leave out what was missed')}</option></select></label>`}
        ${draft.rhythm === 'once' || draft.rhythm === 'every' ? nothing : html`<label class="field"><span>Time zone</span><input class="input" name="zone" list="zones" autocomplete="off" maxlength="64" .value=${draft.zone} placeholder=${t('yours: {}', draft.home)} @input=${(event: Event) => this.#set({ zone: valueOf(event) })} /><datalist id="zones">${zones().map((zone) => html`<option value=${zone}></option>`)}</datalist></label>`}
      </div></details>
      <p class="hint">While a run works or waits for you, the next one is left out. A run may do what its agent may do now, and asks you before anything that needs your approval.</p>
      <div class="row"><button class="btn primary" ?disabled=${this.busy}>${draft.isNew ? t('Add schedule') : t('Save')}</button><button class="btn" type="button" @click=${() => this.dispatchEvent(new CustomEvent('leave'))}>Cancel</button></div>
    </form>`;
  }

  #times(): TemplateResult {
    const { draft } = this;
    switch (draft.rhythm) {
      case 'once':
        return html`<label class="field"><span>Day and time</span><input class="input" type="datetime-local" name="at" required min="1970-01-01T00:00" max="9998-12-31T23:59" .value=${draft.at} @input=${(event: Event) => this.#set({ at: valueOf(event) })} /></label>`;
      case 'every':
        return html`<div class="field" role="group" aria-label="How often"><span>How often</span><span class="row"><input class="input count" type="number" name="count" required min="1" max="100000" aria-label="Number" .value=${String(draft.count)} @input=${(event: Event) => this.#set({ count: Number(valueOf(event)) })} />
          <select class="input" name="unit" aria-label="Unit" @change=${(event: Event) => this.#set({ unit: Number(valueOf(event)) })}><option value="3600" ?selected=${draft.unit === 3600}>${t('hours')}</option><option value="60" ?selected=${draft.unit === 60}>${t('minutes')}</option></select></span></div>`;
      case 'cron':
        return html`<label class="field"><span>Pattern</span><input class="input code" name="pattern" required maxlength="200" autocomplete="off" spellcheck="false" placeholder="0 8 * * 1-5" .value=${draft.pattern} @input=${(event: Event) => this.#set({ pattern: valueOf(event) })} /><small>Minute, hour, day of the month, month, day of the week.</small></label>`;
      default:
        return html`<label class="field"><span>Time of day</span><input class="input" type="time" name="clock" required .value=${draft.clock} @input=${(event: Event) => this.#set({ clock: valueOf(event) })} /></label>`;
    }
  }

  /** What was understood, in words and as the next times, before anything is saved. */
  #preview(): TemplateResult {
    const { when } = this.draft;
    const { preview } = this;
    if (!when) return html`<p class="hint" role="status">${t('Say when it comes.')}</p>`;
    if (preview?.problem) return html`<p class="told" role="status">${preview.problem}</p>`;
    if (when.kind === 'once' && Date.parse(when.at) <= Date.now()) return html`<p class="next-times" role="status"><b>${whenWords(when)}</b><br />${t('This moment is over: it runs at once.')}</p>`;
    return html`<div class="next-times" role="status"><p><b>${whenWords(when)}</b>${preview?.pattern ? html`<br /><span class="hint" lang="en">${preview.pattern}</span>` : nothing}</p>
      <p class="hint">${preview ? (preview.times.length === 1 ? t('It comes at (clock of {}):', this.draft.home) : t('It comes next at (clock of {}):', this.draft.home)) : t('Looking up the next times…')}</p>
      <ol class="plainlist">${(preview?.times ?? []).map((at) => html`<li><time datetime=${at}>${due(at)}</time></li>`)}</ol></div>`;
  }

  /** Who does it, and where: said once, when it is made. */
  #stage(): TemplateResult {
    const { draft } = this;
    const sessions = this.#sessions;
    return html`<div class="grid">
      <label class="field"><span>Where</span><select class="input" name="place" @change=${(event: Event) => this.#set({ place: valueOf(event) as RunPlace })}>${PLACES.map(([place, label]) => html`<option value=${place} ?selected=${place === draft.place} ?disabled=${place === 'here' && sessions.length === 0}>${t(label)}</option>`)}</select></label>
      ${draft.place === 'here'
        ? html`<label class="field"><span>Conversation</span><select class="input" name="session" required @change=${(event: Event) => this.#set({ session: valueOf(event) })}>${sessions.map((one) => html`<option value=${one.id} ?selected=${one.id === draft.session}>${house.titleOf(one)}</option>`)}</select></label>`
        : html`<label class="field"><span>Agent</span><select class="input" name="agent" required @change=${(event: Event) => this.#set({ agent: valueOf(event) })}>${this.#agents.map((agent) => html`<option value=${agent.id} ?selected=${agent.id === draft.agent}>${house.nameOf(agent)}</option>`)}</select></label>`}
    </div>`;
  }

  #set(given: Partial<ScheduleDraft>): void {
    Object.assign(this.draft, given);
    this.requestUpdate();
  }

  #day(day: number, on: boolean): void {
    const { days } = this.draft;
    this.#set({ days: on ? [...new Set([...days, day])].sort() : days.filter((one) => one !== day) });
  }

  #note = (event: Event): void => {
    const { value } = event.currentTarget as HTMLTextAreaElement;
    this.draft.note = value;
    this.draft.untyped.note(value, (event as InputEvent).inputType);
  };

  #leave = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.stopPropagation();
    this.dispatchEvent(new CustomEvent('leave'));
  };

  #save = (event: Event): void => {
    event.preventDefault();
    this.dispatchEvent(new CustomEvent('save'));
  };
}

function valueOf(event: Event): string {
  return (event.currentTarget as HTMLInputElement).value;
}

function zones(): string[] {
  return (Intl as { supportedValuesOf?: (key: string) => string[] }).supportedValuesOf?.('timeZone') ?? [];
}
customElements.define('mj-schedule-form', MjScheduleForm);
