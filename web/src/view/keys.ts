/** Everything works by keyboard. What is typed into a field is no command. */
import { house } from '../store/house';
import { newSession } from './list/new-session';
import { go, stepping, type Place } from '../store/place';

export const SHORTCUTS: [string, string][] = [
  ['n', 'Start a new conversation'],
  ['/', 'Write a command'],
  ['j / k', 'Next or previous conversation'],
  ['Ctrl K', 'Find a conversation, page or action'],
  ['Esc', 'Stop the running reply'],
  ['a / d', 'Approve or deny the request shown'],
  ['Enter', 'Send the message'],
  ['Shift Enter', 'New line'],
  ['Tab', 'Send your text to the running reply'],
  ['?', 'Show this list'],
];

export function keys(event: KeyboardEvent, place: Place): void {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    void openPalette();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  // In a field Esc is for that field. Who writes a message means the reply.
  const isMessage = event.target instanceof HTMLElement && event.target.matches('mj-composer textarea');
  if (isField(event.target) && !(isMessage && event.key === 'Escape')) return;
  if (event.key === 'Escape') return stop(place);
  const act = ACTS[event.key];
  if (!act) return;
  event.preventDefault();
  act(place);
}

const ACTS: Record<string, (place: Place) => void> = {
  n: () => newSession(),
  '/': () => composer('/'),
  j: (place) => step(place, 1),
  k: (place) => step(place, -1),
  a: () => decide('approve'),
  d: () => decide('deny'),
  '?': () => void openShortcuts(),
};

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches('input, textarea, select, [contenteditable]') || target.closest('dialog') !== null);
}

function stop(place: Place): void {
  if (document.querySelector('dialog[open]')) return;
  if (place.name.startsWith('session_') && house.conversation(place.name).active) house.conversation(place.name).stop();
}

function composer(text: string): void {
  const field = document.querySelector<HTMLTextAreaElement>('mj-composer textarea, mj-begin textarea');
  if (!field) return;
  field.focus();
  if (!field.value) {
    field.value = text;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
}

function step(place: Place, by: number): void {
  const ids = house.sessions.items.map((session) => session.id);
  const at = ids.indexOf(place.name);
  const next = ids[at < 0 ? 0 : Math.min(ids.length - 1, Math.max(0, at + by))];
  if (!next) return;
  go(next);
  stepping.on = true;
}

/** Only what the page itself drew from the server's data can be decided by a key. */
function decide(decision: string): void {
  document.querySelector('mj-approval')?.dispatchEvent(new CustomEvent('decide', { detail: decision }));
}

async function openPalette(): Promise<void> {
  await import('./palette');
  open('mj-palette');
}

async function openShortcuts(): Promise<void> {
  await import('./shortcuts');
  open('mj-shortcuts');
}

function open(name: string): void {
  const before = document.querySelector(name);
  if (before) return before.remove();
  document.body.append(document.createElement(name));
}
