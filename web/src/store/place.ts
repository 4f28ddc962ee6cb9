/**
 * Where the person is. Every place is one segment of a path, so that the page works below any address:
 * `/session_…`, `/agent_…`, `/settings`.
 */
import { root } from '../api/client';

export interface Place {
  /** `''` is the beginning. */
  name: string;
  /** `#part`, within the place. */
  part: string;
}

/** Within a conversation: the message to open at, and the words that were searched for. */
export interface Sought {
  seq: number;
  search: string;
}

export function soughtPart(seq: number, search: string): string {
  return `m${seq}~${encodeURIComponent(search.trim())}`;
}

export function soughtIn(part: string): Sought | null {
  const [, seq, search = ''] = /^m(\d{1,15})(?:~(.*))?$/.exec(part) ?? [];
  if (!Number(seq)) return null;
  try {
    return { seq: Number(seq), search: decodeURIComponent(search) };
  } catch {
    return { seq: Number(seq), search: '' };
  }
}

export function here(): Place {
  const name = location.pathname.slice(new URL(root()).pathname.length).split('/')[0] ?? '';
  return { name, part: location.hash.slice(1) };
}

export function link(name: string, part = ''): string {
  return new URL(root()).pathname + name + (part ? `#${part}` : '');
}

/** Its person goes through the conversations by keys, which are no words of a message. */
export const stepping = { on: false };

export function go(name: string, part = '', replace = false): void {
  stepping.on = false;
  const to = link(name, part);
  if (to === location.pathname + location.hash) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
  window.dispatchEvent(new Event('place'));
}

/** Our own links go without loading anything. */
export function followLinks(event: MouseEvent): void {
  const anchor = event.composedPath().find((node): node is HTMLAnchorElement => node instanceof HTMLAnchorElement);
  if (!anchor || !anchor.dataset['place'] || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const [name = '', part = ''] = anchor.dataset['place'].split('#');
  go(name === '/' ? '' : name, part);
}
