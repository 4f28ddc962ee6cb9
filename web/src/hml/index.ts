/** Every element there is. One that is added has a file here, a line here, and nothing else to change. */
import './ask';
import './bash';
import './chart';
import './copy';
import './link';
import './progress';
import './prompt';
import './result';
import './thinking';
import './todo';
import './websearch';
import type { HmlBase } from './base';

const BLOCKS: Record<string, string> = {
  thinking: 'hml-thinking',
  todo: 'hml-todo',
  progress: 'hml-progress',
  copy: 'hml-copy',
  result: 'hml-result',
  bash: 'hml-bash',
  chart: 'hml-chart',
  websearch: 'hml-websearch',
  ask: 'hml-ask',
};
/** They stand in the middle of a line. */
const INLINE: Record<string, string> = { link: 'hml-link', 'hml-prompt': 'hml-prompt' };

export function makeElement(type: string): { node: HmlBase; inline: boolean } | null {
  const name = INLINE[type] ?? BLOCKS[type];
  return name ? { node: document.createElement(name) as HmlBase, inline: type in INLINE } : null;
}
