/** The reader of Markdown comes after the first view: a person sees the page before there is anything to read on it. */
import type { Writer } from './writer';

let reader: typeof Writer | null = null;
let loading: Promise<void> | null = null;

/** Null until it is here. */
export function readerNow(): typeof Writer | null {
  return reader;
}

export function loadReader(): Promise<void> {
  loading ??= import('./writer').then(
    (module) => void (reader = module.Writer),
    (error: unknown) => {
      loading = null;
      throw error;
    },
  );
  return loading;
}
