/** Diagrams of `mermaid` fences, drawn by us: flowcharts and sequences. Every other kind stays code. Loaded when the first one is whole. */
import { t } from '../../words/words';
import { drawFlow } from './draw-flow';
import { drawSequence } from './draw-sequence';
import { readFlow } from './flow';
import { readSequence } from './sequence';

const LONGEST = 20_000;

/** Null where it is of another kind, is not understood, or is too large. */
export function diagramOf(text: string): SVGElement | null {
  if (text.length > LONGEST) return null;
  try {
    const flow = readFlow(text);
    if (flow) return drawFlow(flow);
    const sequence = readSequence(text);
    return sequence ? drawSequence(sequence) : null;
  } catch {
    return null;
  }
}

/** Puts the picture before the code, which is one button away. */
export function showDiagram(outer: HTMLElement, text: string): void {
  const frame = outer.querySelector('pre');
  if (!frame || frame.textContent !== text || outer.querySelector('figure')) return;
  const picture = diagramOf(text);
  if (!picture) return hint(outer);
  const figure = document.createElement('figure');
  figure.tabIndex = 0;
  figure.append(picture);
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'btn ghost source';
  const turn = (source: boolean) => {
    frame.hidden = !source;
    figure.hidden = source;
    button.textContent = source ? t('Show diagram') : t('Show source');
  };
  button.addEventListener('click', () => turn(frame.hidden === true));
  turn(false);
  outer.prepend(figure);
  outer.append(button);
  outer.classList.add('drawn');
}

function hint(outer: HTMLElement): void {
  const words = document.createElement('p');
  words.className = 'hint';
  words.textContent = t('This kind of diagram is shown as its source.');
  outer.append(words);
}
