import { nothing, type TemplateResult } from 'lit';
import type { ModelInfo } from '../../api/schema';
import { html, t } from '../../words/words';
import { about } from './model-words';

/** More than these are a list to choose from. */
const FEW = 6;

/** Models with what they cost and can do; one of them is made the default model. */
export function foundModels(legend: string, models: ModelInfo[], busy: boolean, choose: (id: string) => void): TemplateResult | typeof nothing {
  if (models.length === 0) return nothing;
  const [few, rest] = [models.slice(0, FEW), models.slice(FEW)];
  return html`<fieldset class="choices"><legend>${legend}</legend>
    ${few.map((model) => html`<button class="btn choice" type="button" ?disabled=${busy} @click=${() => choose(model.id)}><span>${model.id}${model.default ? html` <span class="chip">${t('default')}</span>` : nothing}</span><span class="hint">${about(model)}</span></button>`)}
    ${rest.length > 0 ? html`<select class="input" aria-label="More models" ?disabled=${busy} @change=${(event: Event) => pick(event, choose)}><option value="">${t('{} more…', rest.length)}</option>${rest.map((model) => html`<option value=${model.id}>${model.id} · ${about(model)}</option>`)}</select>` : nothing}
  </fieldset>`;
}

function pick(event: Event, choose: (id: string) => void): void {
  const { value } = event.currentTarget as HTMLSelectElement;
  if (value) choose(value);
}
