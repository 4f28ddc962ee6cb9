import { problemWords, sentence, t } from '../words/words';
/**
 * How the page asks the server: one function, one kind of error. The cookie says who asks; the browser sends it.
 */

/** What went wrong, in the server's words. `code` is for programs, `message` for people. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
  ) {
    super(detail);
  }
}

/** Where the API is: beside the page, which may live below a path of a larger site. */
export function address(path: string): string {
  return new URL(path.replace(/^\//, ''), root()).href;
}

/** The page's own address without what the router added to it. */
export function root(): string {
  const script = document.querySelector<HTMLScriptElement>('script[type="module"][src]');
  return script ? new URL('..', script.src).href : new URL('/', location.href).href;
}

export interface Question {
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** Sent as it is, instead of JSON. */
  raw?: BodyInit;
  key?: string;
  signal?: AbortSignal;
}

export async function ask(method: string, path: string, question: Question = {}): Promise<Response> {
  const url = new URL(address(path));
  for (const [name, value] of Object.entries(question.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  const headers = new Headers();
  if (question.body !== undefined) headers.set('content-type', 'application/json');
  if (question.key) headers.set('idempotency-key', question.key);
  const body = question.raw ?? (question.body === undefined ? null : JSON.stringify(question.body));
  let answer: Response;
  try {
    answer = await fetch(url, { method, headers, body, signal: question.signal ?? null });
  } catch (error) {
    if (question.signal?.aborted) throw error;
    throw new Problem(0, 'unreachable', t('The server does not answer. Check that it is running and that you are online.'));
  }
  if (answer.ok) return answer;
  throw await problemOf(answer);
}

export async function askJson<T>(method: string, path: string, question: Question = {}): Promise<T> {
  const answer = await ask(method, path, question);
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}

async function problemOf(answer: Response): Promise<Problem> {
  try {
    const said = (await answer.json()) as { code?: string; detail?: string; title?: string };
    const code = said.code ?? 'unknown';
    return new Problem(answer.status, code, problemWords(code, said.detail ?? said.title ?? answer.statusText));
  } catch {
    return new Problem(answer.status, 'unknown', t('The server could not do this (error {}). Please try again.', answer.status));
  }
}

/** What to show of anything that was thrown. */
export function words(error: unknown): string {
  return sentence(error instanceof Error ? error.message : String(error));
}
