import { words } from '../api/client';
import { house } from '../store/house';
import { go } from '../store/place';

/** With this agent, or with the one that each person has. */
export async function newSession(agent?: string): Promise<void> {
  if (house.agents.length === 0) await house.loadAgents();
  const chosen = agent ?? (house.usable.find((one) => one.name === 'main') ?? house.usable[0])?.id;
  try {
    go(chosen ? await house.newSession(chosen) : '');
  } catch (error) {
    house.complain(words(error));
    // It may be that there is no such agent any more.
    await house.loadAgents();
  }
}
