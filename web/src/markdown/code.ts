/** A block of code: its language, a button that copies it, and colours once it is whole. */
import { copyText } from '../element/clipboard';
import { t } from '../words/words';

/** Colours cost time; longer code stays without them. */
const MOST_COLOURED = 20_000;

export interface Code {
  text: string;
  language: string;
  /** Nothing more comes. */
  closed: boolean;
}

export function codeBlock(): HTMLElement {
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
  return outer;
}

export function showCode(outer: HTMLElement, code: Code, old: Code | null): void {
  if (old && old.text === code.text && old.language === code.language && old.closed === code.closed) return;
  const inner = outer.querySelector('code')!;
  if (old?.language !== code.language) {
    if (code.language) inner.dataset['language'] = code.language;
    else delete inner.dataset['language'];
  }
  if (old && old.text !== code.text) undraw(outer);
  if (old && code.text.startsWith(old.text)) codeText(inner, code.text.slice(old.text.length), true);
  else if (old?.text !== code.text) codeText(inner, code.text);
  if (code.closed && (!old?.closed || old.text !== code.text)) finishCode(inner, code);
}

/** Writes it, or adds it to what is written. Colours go when something is added: they are made anew. */
export function codeText(inner: HTMLElement, text: string, more = false): void {
  const last = inner.lastChild;
  if (!more) inner.textContent = text;
  else if (!text) return;
  else if (last instanceof Text && inner.childNodes.length === 1) last.appendData(text);
  else inner.textContent += text;
}

/** Nothing more comes of it. */
export function finishCode(inner: HTMLElement, { language, text }: Code): void {
  const outer = inner.closest<HTMLElement>('.code');
  if (language.toLowerCase() === 'mermaid' && outer) void import('./diagram/index').then(({ showDiagram }) => showDiagram(outer, text));
  else if (language && text.length <= MOST_COLOURED) void import('./highlight').then(({ colour }) => colour(inner, text, language));
}

/** It was a picture, and goes on. */
function undraw(outer: HTMLElement): void {
  if (outer.children.length === 2) return;
  outer.classList.remove('drawn');
  outer.querySelector('pre')!.hidden = false;
  for (const made of outer.querySelectorAll('figure, .source, .hint')) made.remove();
}
