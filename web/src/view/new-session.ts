import { Observable } from '../store/observable';
import { go } from '../store/place';

/** With which agent the next conversation begins. */
class Beginning extends Observable {
  agent: string | null = null;

  choose(agent: string | null): void {
    this.agent = agent;
    this.changed();
  }
}

export const beginning = new Beginning();

/** Goes to where a conversation begins, with this agent or with the one that each person has. Nothing is stored for it. */
export function newSession(agent?: string): void {
  beginning.choose(agent ?? null);
  go('');
  document.querySelector<HTMLTextAreaElement>('mj-begin textarea')?.focus();
}
