/** In the place of `mdurl`: an address is written whole, and taken apart only where it is checked. */
const KEPT = /%[0-9a-f]{2}|[;/?:@&=+$,\-_.!~*'()#A-Za-z0-9]/gi;
const ALONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export function encode(text: string): string {
  let [out, at] = ['', 0];
  for (const { 0: kept, index } of text.replace(ALONE, '\ufffd').matchAll(KEPT)) {
    if (index > at) out += encodeURIComponent(text.slice(at, index).replace(ALONE, '\ufffd'));
    out += kept;
    at = index + kept.length;
  }
  return out + encodeURIComponent(text.slice(at).replace(ALONE, '\ufffd'));
}

export const parse = (pathname: string) => ({ pathname });
export const format = ({ pathname }: { pathname: string }): string => pathname;
export const decode = Object.assign((text: string): string => text, { defaultChars: '' });
