/** Footnotes: a number in the text that leads to its note, and the note that leads back. */
import { t } from '../words/words';

export function noteSign(label: string, number: number): HTMLElement {
  const sign = document.createElement('sup');
  sign.className = 'note-sign';
  sign.append(leap(label, String(number), t('Footnote {}', number), '.note'));
  return sign;
}

/** Its last child is where its words belong. */
export function noteBlock(label: string, number: number): HTMLElement {
  const note = document.createElement('div');
  note.className = 'note';
  note.dataset['label'] = label.trim();
  const words = document.createElement('div');
  note.append(leap(label, String(number), t('Back to the text of footnote {}', number), '.note-sign'), words);
  return note;
}

function leap(label: string, text: string, name: string, to: string): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = text;
  button.dataset['label'] = label.trim();
  button.setAttribute('aria-label', name);
  button.addEventListener('click', () => {
    const all = button.closest('mj-reply, .said')?.querySelectorAll<HTMLElement>(`${to} > button`) ?? [];
    const other = [...all].find((one) => one.dataset['label'] === label.trim());
    other?.scrollIntoView({ block: 'nearest' });
    other?.focus();
  });
  return button;
}
