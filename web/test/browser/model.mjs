// A model that plays a script. It speaks Chat Completions, and lives outside of the program under test: killing that
// leaves it running. A script is an async generator of pieces; what it waits for, the reply waits for.
import { createServer } from 'node:http';

export class Model {
  /** Called with the request; gives text, `{thinking}`, `{call}`, `{fail}`, or `{finish}`: why it ends. */
  reply = async function* () {
    yield 'Hello.';
  };
  requests = [];
  /** If there is one, nobody is answered without it. */
  key = null;

  async start() {
    this.server = createServer((request, response) => void this.#answer(request, response).catch(() => response.destroy()));
    await new Promise((ready) => this.server.listen(0, '127.0.0.1', ready));
    this.url = `http://127.0.0.1:${this.server.address().port}/v1`;
    return this;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }

  async #answer(request, response) {
    if (this.key && request.headers.authorization !== `Bearer ${this.key}`) {
      response.writeHead(401, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ error: { message: 'wrong key' } }));
    }
    if (request.url.endsWith('/models')) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'list', data: ['scripted', 'scripted-vision'].map((id) => ({ id, object: 'model', owned_by: 'test' })) }));
      return;
    }
    let body = '';
    for await (const piece of request) body += piece;
    const asked = JSON.parse(body);
    this.requests.push(asked);
    const says = (delta, finish = null) =>
      response.write(`data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'scripted', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
    let calls = 0;
    let finish = null;
    for await (const piece of this.reply(asked)) {
      if (response.destroyed) return;
      if (piece?.fail) {
        response.writeHead(piece.fail, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { message: piece.message ?? 'scripted failure' } }));
        return;
      }
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (typeof piece === 'string') says({ content: piece });
      else if (piece.finish) finish = piece.finish;
      else if (piece.thinking) says({ reasoning_content: piece.thinking });
      else if (piece.call) {
        const { name, ...rest } = piece.call;
        says({ tool_calls: [{ index: calls, id: `call_${this.requests.length}_${calls}`, type: 'function', function: { name, arguments: JSON.stringify(rest) } }] });
        calls += 1;
      }
    }
    says({}, finish ?? (calls > 0 ? 'tool_calls' : 'stop'));
    response.write(`data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } })}\n\n`);
    response.end('data: [DONE]\n\n');
  }
}

/** Something that a script waits for and a test gives. */
export function gate() {
  let open;
  const promise = new Promise((resolve) => (open = resolve));
  return { open, passed: promise };
}
