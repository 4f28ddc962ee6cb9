/** Every name there is, in a file of its own. */
import { decodeHTMLStrict } from 'entities/decode';

export const decode: (text: string) => string = decodeHTMLStrict;
