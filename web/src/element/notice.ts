import { icon } from './icon';
import { html, sentence, served, t } from '../words/words';

/** Why there is no reply, or no more of it: the server's words, and not the agent's. */
export function noticeCard(kind: string, words: string) {
  return html`<div class="card notice ${kind}"><header>${icon('alert', 15)} ${kind === 'limit' ? t('A limit was reached') : t('The reply failed')}</header><div class="in plain">${sentence(served(words))}</div></div>`;
}
