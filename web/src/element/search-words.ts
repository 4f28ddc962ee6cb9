/** Words that were searched for, marked in a piece of text. Nothing of it is read as HTML. */
import type { TemplateResult } from 'lit';
import { html } from '../words/words';

export interface Part {
  text: string;
  found: boolean;
}

/** Any of the words, in any case; null where there is none. */
export function wordsOf(search: string): RegExp | null {
  const words = search.trim().split(/\s+/).filter(Boolean).sort((a, b) => b.length - a.length);
  return words.length === 0 ? null : new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'giu');
}

/** The text in parts: what is one of the words, in any case, and what is not. */
export function partsOf(text: string, search: string): Part[] {
  const any = wordsOf(search);
  if (!any) return text ? [{ text, found: false }] : [];
  return text
    .split(any)
    .map((part, at) => ({ text: part, found: at % 2 === 1 }))
    .filter((part) => part.text);
}

export function marked(text: string, search: string): TemplateResult[] {
  return partsOf(text, search).map((part) => (part.found ? html`<mark>${part.text}</mark>` : html`${part.text}`));
}
