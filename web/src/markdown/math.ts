/** A formula: as it was written, and set as soon as what sets formulas is here. */
export interface Formula {
  tex: string;
  source: string;
  display: boolean;
}

export function mathHull(display: boolean): HTMLElement {
  const hull = document.createElement('span');
  hull.className = display ? 'math display' : 'math';
  if (display) hull.tabIndex = 0;
  return hull;
}

export function showMath(hull: HTMLElement, formula: Formula): void {
  const words = document.createElement('code');
  words.textContent = formula.source;
  hull.replaceChildren(words);
  void import('./typeset').then(
    ({ typeset }) => typeset(hull, formula),
    () => undefined,
  );
}
