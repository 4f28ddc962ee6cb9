import { Observable } from '../../store/observable';
import { go, here } from '../../store/place';
import { hasMouse } from '../../store/theme';

/** With which agent the next conversation begins, and in which folder. */
class Beginning extends Observable {
  agent: string | null = null;
  folder: string | null = null;

  choose(agent: string | null, folder: string | null): void {
    this.agent = agent;
    this.folder = folder;
    this.changed();
  }

  /** The folder is for one conversation. */
  leaveFolder(): void {
    this.choose(this.agent, null);
  }
}

export const beginning = new Beginning();

/** Goes to where a conversation begins, with this agent or with the one that each person has. Nothing is stored for it. */
export function newSession(agent: string | null = null, folder: string | null = null): void {
  beginning.choose(agent, folder);
  // A drawer that covers the page closes also where the page is the same.
  if (here().name === '') window.dispatchEvent(new Event('place'));
  else go('');
  if (!hasMouse()) return;
  const field = document.querySelector<HTMLTextAreaElement>('mj-begin textarea');
  // A field that has the focus already may have no cursor: a dialog above it has just gone.
  field?.blur();
  field?.focus();
}
