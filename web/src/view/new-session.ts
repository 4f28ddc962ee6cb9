import { words } from '../api/client';
import { house } from '../store/house';
import { go } from '../store/place';

/** With this agent, or with the one that each person has. Gives the id of the conversation. */
export async function newSession(agent?: string): Promise<string> {
  if (house.agents.length === 0) await house.loadAgents();
  const own = house.usable.find((one) => one.name === 'main' && house.nameOf(one) === 'main');
  const chosen = agent ?? (own ?? house.usable[0])?.id;
  try {
    const id = chosen ? await house.newSession(chosen) : '';
    go(id);
    return id;
  } catch (error) {
    house.complain(words(error));
    // It may be that there is no such agent any more.
    await house.loadAgents();
  }
  return '';
}
