/** What a model costs and what it can do, in a few words. */
import type { DefaultModel, ModelInfo } from '../../api/schema';
import { t } from '../../words/words';
import { inDollars, short } from '../time';

/** Of each list of models, how many have a name. */
const named = new WeakMap<ModelInfo[], Map<string, number>>();

/** Without its provider, where no other provider has one of the same name. */
export function shortName(id: string, all: ModelInfo[]): string {
  let counts = named.get(all);
  if (!counts) {
    named.set(all, (counts = new Map()));
    for (const model of all) counts.set(bare(model.id), (counts.get(bare(model.id)) ?? 0) + 1);
  }
  return (counts.get(bare(id)) ?? 0) > 1 ? id : bare(id);
}

function bare(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}

export function about(model: ModelInfo): string {
  const { price, abilities, window } = model;
  const dollars = (microusd: number) => inDollars(microusd / 1_000_000);
  const cost = !price ? t('price unknown') : price.input === 0 && price.output === 0 ? t('free') : t('{} in, {} out per million', dollars(price.input), dollars(price.output));
  return [cost, abilities.includes('images') ? t('sees pictures') : '', abilities.includes('reasoning') ? t('thinks first') : '', t('reads {} tokens', short(window))].filter(Boolean).join(' · ');
}

/** Where the default model comes from. */
export function sourceWords({ model, source }: DefaultModel): string {
  switch (source) {
    case 'chosen':
      return t('{} was chosen here.', model);
    case 'file':
      return t('{} is set in the settings file of the server.', model);
    case 'found':
      return t('{} is the first model that was found.', model);
    case 'demo':
      return t('No real model was found, so the demo model answers.');
  }
}
