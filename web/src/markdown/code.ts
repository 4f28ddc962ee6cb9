/** A block of code: its language, a button that copies it, and colours once it is whole. */
import { copyText } from '../element/clipboard';
import { t } from '../words/words';

/** Colours cost time; longer code stays without them. */
const MOST_COLOURED = 20_000;

export function codeBlock(): { outer: Element; inner: Element } {
  const outer = document.createElement('div');
  outer.className = 'code';
  const copy = document.createElement('button');
  copy.className = 'btn ghost copy';
  copy.type = 'button';
  copy.textContent = t('Copy');
  const frame = document.createElement('pre');
  frame.tabIndex = 0;
  const inner = document.createElement('code');
  frame.append(inner);
  outer.append(frame, copy);
  copy.addEventListener('click', () => void copyText(copy, inner.textContent ?? ''));
  return { outer, inner };
}

export function finishCode(element: Element): void {
  if (!(element instanceof HTMLElement) || element.localName !== 'code' || element.parentElement?.localName !== 'pre') return;
  const { language } = element.dataset;
  const text = element.textContent ?? '';
  if (!language || text.length > MOST_COLOURED) return;
  void import('./colours').then(({ colour }) => colour(element, text, language));
}
