/** What a web search found: a numbered list of links. Titles, addresses and words are those of strangers; each link is asked about. */
import { nothing, type TemplateResult } from 'lit';
import { root } from '../api/client';
import { safeAddress } from '../markdown/address';
import type { Call } from '../store/transcript';
import { html } from '../words/words';
import { isObject, jsonOf } from './output';

const SEARCHES = new Set(['web_search', 'websearch']);

interface Source {
  title: string;
  url: string;
  snippet: string;
}

export interface Sources {
  /** What the search service itself says, where it answers in words. */
  answer: string;
  sources: Source[];
}

/** Of a search that went well; null of everything else. */
export function sourcesOf({ name, status, content }: Call): Sources | null {
  if (!SEARCHES.has(name) || status !== 'ok' || content === null) return null;
  const value = jsonOf(content);
  if (!isObject(value) || !Array.isArray(value['results'])) return null;
  const text = (one: unknown) => (typeof one === 'string' ? one : '');
  const sources = value['results'].filter(isObject).map((one) => ({ title: text(one['title']), url: text(one['url']), snippet: text(one['snippet']) }));
  return { answer: answerOf(text(value['content']), sources[0]), sources };
}

/** The words before the list, which says the sources once more. */
function answerOf(content: string, first: Source | undefined): string {
  const list = first ? content.lastIndexOf(`1. ${first.title}\n`) : content.length;
  return list < 0 ? '' : content.slice(0, list).trim();
}

export function sourcesView({ answer, sources }: Sources): TemplateResult {
  return html`${answer ? html`<p class="plain">${answer}</p>` : nothing}
    ${sources.length === 0 ? html`<p class="quiet">The search found nothing.</p>` : html`<ol class="sources">${sources.map((source) => html`<li>${link(source)}${source.snippet ? html`<div class="quiet plain">${source.snippet}</div>` : nothing}</li>`)}</ol>`}`;
}

/** With its host beside it: a title says whatever its writer wants. */
function link({ title, url }: Source): TemplateResult {
  const address = safeAddress(url, root());
  if (!address) return html`<span class="plain">${title || url}</span>`;
  return html`<a class="plain" href=${address} rel="noopener noreferrer" target="_blank" title=${address} data-outside>${title || address}</a> <span class="host">${new URL(address).host}</span>`;
}
