/** Shows a row of actions at the lower edge of the screen, each with its words, until the next touch. */
export function openSheet(actions: Element | null): void {
  if (!actions) return;
  const close = (): void => {
    actions.classList.remove('sheet');
    over.abort();
  };
  const over = new AbortController();
  const { signal } = over;
  actions.classList.add('sheet');
  // What was touched is done first.
  document.addEventListener('click', close, { signal });
  window.addEventListener('place', close, { signal });
  // Before it stops a reply.
  document.addEventListener('keydown', (event) => event.key === 'Escape' && (event.stopPropagation(), close()), { signal, capture: true });
}
