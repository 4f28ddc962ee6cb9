/** A link of a reply. What leads away is asked about before it is followed; an address that is none stays words. */
import { root } from '../api/client';
import { safeAddress } from './address';

export function outside(anchor: HTMLAnchorElement, text: string, title = ''): void {
  const address = safeAddress(text, root());
  if (!address) return anchor.removeAttribute('href');
  anchor.href = address;
  anchor.rel = 'noopener noreferrer';
  anchor.target = '_blank';
  anchor.title = title ? `${address}\n${title}` : address;
  anchor.dataset['outside'] = '';
}

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i;

/** In Markdown an address without a host is somebody's file, never a place of this server. */
export function markdownLink(anchor: HTMLAnchorElement, href: string, title: string): void {
  for (const name of ['rel', 'target', 'title', 'data-outside']) anchor.removeAttribute(name);
  if (ABSOLUTE.test(href)) outside(anchor, href, title);
  else anchor.removeAttribute('href');
  if (!anchor.hasAttribute('href')) anchor.title = title ? `${href}\n${title}` : href;
}
