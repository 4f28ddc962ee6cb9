/** The answer of a command in the language of the page. The server writes it in lines; between fences stands a file or data. */
import { served } from './words';

export function answered(text: string): string {
  let fence = '';
  const line = (said: string): string => {
    const mark = /^`{3,}/.exec(said)?.[0] ?? '';
    const inside = fence !== '' || mark !== '';
    if (fence === '') fence = mark;
    else if (said === fence) fence = '';
    return inside ? said : served(said);
  };
  return text.split('\n').map(line).join('\n');
}
