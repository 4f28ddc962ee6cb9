import { t } from '../words/words';
/** Copies, and says so on the button for a moment. */
export async function copyText(button: HTMLElement, text: string): Promise<void> {
  const before = button.dataset['label'] ?? button.textContent ?? '';
  button.dataset['label'] = before;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = t('Copied');
  } catch {
    button.textContent = t('Could not copy');
  }
  setTimeout(() => (button.textContent = before), 1_500);
}
