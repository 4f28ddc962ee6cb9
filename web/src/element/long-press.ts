/** A finger that rests on something asks what can be done with it: `longpress` is told to what it rests on. */
const LONG_MS = 500;
const SLIP_PX = 10;

let resting: { target: Element; x: number; y: number; timer: number } | null = null;
/** The press was answered: the click and the browser's own menu that come of it are not meant. */
let answered = false;

export function followPresses(): void {
  const options = { capture: true, passive: true };
  addEventListener('pointerdown', down, options);
  addEventListener('pointermove', moved, options);
  for (const end of ['pointerup', 'pointercancel', 'scroll'] as const) addEventListener(end, lift, options);
  addEventListener('keydown', () => (answered = false), options);
  addEventListener('contextmenu', menu, true);
  addEventListener('click', clicked, true);
}

function down(event: PointerEvent): void {
  lift();
  answered = false;
  const { target } = event;
  // A mouse has a button for this, and a field has its own answer to a long press.
  if (event.pointerType !== 'touch' || !event.isPrimary || !(target instanceof Element) || target.closest(':is(input,textarea,select)')) return;
  resting = { target, x: event.clientX, y: event.clientY, timer: window.setTimeout(rested, LONG_MS) };
}

function moved(event: PointerEvent): void {
  if (resting && Math.hypot(event.clientX - resting.x, event.clientY - resting.y) > SLIP_PX) lift();
}

function lift(): void {
  clearTimeout(resting?.timer);
  resting = null;
}

function rested(): void {
  const target = resting?.target;
  lift();
  const event = new CustomEvent('longpress', { bubbles: true, cancelable: true });
  target?.dispatchEvent(event);
  answered = event.defaultPrevented;
}

/** Of a finger only: some browsers ask for their menu a little earlier than we would. */
function menu(event: Event): void {
  if (resting) rested();
  if (answered) event.preventDefault();
}

function clicked(event: Event): void {
  if (!answered) return;
  answered = false;
  event.preventDefault();
  event.stopImmediatePropagation();
}
