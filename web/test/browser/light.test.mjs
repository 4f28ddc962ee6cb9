// How it must feel, as far as a count can say it: sizes, requests, nodes, shifts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, World } from './world.mjs';

const TURNS = Number(process.env.TURNS ?? 60);
let browser, world, page;
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
  page = await world.window(browser);
  await world.signIn(page);
});
after(async () => {
  await browser?.close();
  await world?.end();
});

test('nothing moves while words and elements come', async () => {
  await world.converse(page);
  await page.evaluate(() => {
    window.shifts = 0;
    window.shifted = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        window.shifts += entry.value;
        for (const { node, previousRect, currentRect } of entry.sources) window.shifted.push([entry.value.toFixed(5), node?.nodeName, node?.parentElement?.className, node?.className ?? node?.textContent, previousRect.y, currentRect.y, currentRect.x - previousRect.x].join(' '));
      }
    }).observe({ type: 'layout-shift' });
  });
  world.model.reply = async function* () {
    for (let round = 0; round < 6; round += 1) {
      for (let at = 0; at < 40; at += 1) {
        yield `word${at} `;
        await new Promise((done) => setTimeout(done, 5));
      }
      yield '\n\n<todo title="Plan"><item status="completed">One</item><item>Two</item></todo>\n\n<progress value="1" max="2">Half</progress>\n\n<thinking>Hm, so.</thinking>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<copy label="Code">abc</copy>\n\nSeat <hml-prompt id="s" type="radio" options=\'["left","right"]\'>Which?</hml-prompt> here.\n\n@system(get_current_time, {timezone: "UTC"})\n\n```js\nlet a = 1;\n```\n\n';
    }
    yield 'done.';
  };
  await world.say(page, 'Much of it');
  await page.locator('mj-conversation').getByText('done.').last().waitFor();
  await page.waitForTimeout(300);
  const shifts = await page.evaluate(() => window.shifts);
  if (process.env.SHIFTS) console.log(shifts, await page.evaluate(() => window.shifted));
  assert.ok(shifts < 0.001, `${shifts}\n` + (await page.evaluate(() => window.shifted)).join('\n'));
});

test('the page comes packed, is strict about itself, and what is known is not sent again', async () => {
  const first = await fetch(world.base, { headers: { 'accept-encoding': 'br' } });
  const policy = first.headers.get('content-security-policy');
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  const script = /src="\.\/(assets\/[^"]+)"/.exec(await first.text())[1];
  const packed = await fetch(`${world.base}/${script}`, { headers: { 'accept-encoding': 'br' } });
  assert.equal(packed.headers.get('content-encoding'), 'br');
  assert.match(packed.headers.get('cache-control'), /immutable/);
  const again = await fetch(`${world.base}/${script}`, { headers: { 'accept-encoding': 'br', 'if-none-match': packed.headers.get('etag') } });
  assert.equal(again.status, 304);
  for (const [path, accept, status] of [['/agents', 'text/html', 200], ['/agents', 'application/json', 404], ['/assets/nothing.js', '*/*', 404], ['/a/b', 'text/html', 404], ['/v1/nothing', 'text/html', 404]]) {
    assert.equal((await fetch(world.base + path, { headers: { accept } })).status, status, `${path} as ${accept}`);
  }
});

test('a long conversation costs what a short one costs', async () => {
  world.model.reply = async function* () {
    yield 'A short answer with **some** words in it.';
  };
  const count = async () => page.evaluate(() => document.querySelectorAll('*').length);
  await world.converse(page);
  const id = page.url().split('/').pop();
  const say = (from, to) =>
    page.evaluate(
      async ([id, from, to]) => {
        for (let at = from; at < to; at += 1) {
          await fetch(`/v1/sessions/${id}/messages`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ content: `Message ${at}` }) });
        }
      },
      [id, from, to],
    );
  const open = async () => {
    let [requests, about] = [0, []];
    const note = (request) => {
      requests += 1;
      const path = new URL(request.url()).pathname;
      if (path.includes(`${id}/`)) about.push(path);
    };
    // What runs has a queue to be asked for.
    await page.waitForFunction(async (id) => (await (await fetch(`/v1/sessions/${id}`)).json()).status === 'idle', id);
    page.on('request', note);
    await page.reload();
    await page.locator('mj-message').last().waitFor();
    await page.locator('mj-activity .ev').nth(59).waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle');
    page.off('request', note);
    return { requests, about: about.sort(), nodes: await count() };
  };
  await say(0, 25);
  const short = await open();
  await say(25, TURNS);
  const long = await open();
  // So many there are, whoever talks how long; more is a mistake.
  assert.ok(short.nodes < 2_500, `${short.nodes} nodes`);
  for (const { requests } of [short, long]) assert.ok(requests < 30, `${requests} requests`);
  assert.ok(long.nodes <= short.nodes * 1.1, `${long.nodes} nodes against ${short.nodes}`);
  assert.deepEqual(long.about, short.about);
  // All of it can be reached, and what was left behind is given up.
  const scroll = page.locator('.scroll');
  for (let up = 0; up < TURNS && !(await page.locator('mj-message').getByText('Message 0', { exact: true }).count()); up += 1) {
    const first = await page.locator('mj-message').first().innerText();
    await scroll.evaluate((node) => (node.scrollTop = 0));
    await page.waitForFunction((first) => document.querySelector('mj-message')?.innerText !== first, first);
  }
  assert.equal(await page.locator('mj-message').getByText('Message 0', { exact: true }).count(), 1);
  assert.ok((await page.locator('mj-message').count()) <= 120);
  await page.getByRole('button', { name: /Go to the end|New messages below/ }).click();
  await page.locator('mj-message').getByText(`Message ${TURNS - 1}`, { exact: true }).waitFor();
});

test('of five thousand messages as many nodes are on the page and as much is fetched as of fifty', async () => {
  const [{ id: agent_id }] = (await world.api(page, 'GET', '/v1/agents')).items;
  const [few, many] = [await world.api(page, 'POST', '/v1/sessions', { agent_id }), await world.api(page, 'POST', '/v1/sessions', { agent_id })];
  await world.fill(page, { [few.id]: 50, [many.id]: 5_000 });
  const open = async ({ id }, count) => {
    const window = await page.context().newPage();
    window.setDefaultTimeout(60_000);
    let [requests, about] = [0, []];
    window.on('request', (request) => {
      const path = new URL(request.url()).pathname;
      // The tabs of other conversations fetch theirs.
      if (path.startsWith('/v1/sessions/') && !path.includes(id)) return;
      requests += 1;
      if (path.includes(`${id}/`)) about.push(path.replace(id, 'it'));
    });
    await window.goto(`${world.base}/${id}`);
    await window.locator('mj-message', { hasText: `Number ${count - 1}` }).waitFor();
    await window.locator('mj-activity .ev').nth(Math.min(count, 60) - 1).waitFor({ state: 'attached' });
    await window.waitForLoadState('networkidle');
    return { window, requests, about: about.sort(), nodes: await window.evaluate(() => document.querySelectorAll('*').length) };
  };
  // Once before: what a window keeps of another, both have.
  for (const [session, count] of [[few, 50], [many, 5_000]]) await (await open(session, count)).window.close();
  const short = await open(few, 50);
  await short.window.close();
  const long = await open(many, 5_000);
  assert.ok(long.nodes <= short.nodes * 1.1, `${long.nodes} nodes against ${short.nodes}`);
  if (process.env.SHIFTS) console.log(short.requests, long.requests, short.about);
  assert.deepEqual(long.about, short.about);
  for (const { requests } of [short, long]) assert.ok(requests < 30, `${requests} requests`);
  // However far one goes up, what is on the page stays as little, and there is no gap in it.
  const messages = long.window.locator('mj-message');
  const scroll = long.window.locator('.scroll');
  for (const wanted of [4_900, 4_800, 4_700, 4_600]) {
    for (let up = 0; up < 40 && !(await messages.filter({ hasText: `Number ${wanted}` }).count()); up += 1) {
      const first = await messages.first().innerText();
      await scroll.evaluate((node) => (node.scrollTop = 0));
      await long.window.waitForFunction((first) => document.querySelector('mj-message')?.innerText !== first, first);
    }
    const shown = (await messages.allInnerTexts()).map((text) => Number(/Number (\d+)/.exec(text)[1]));
    assert.ok(shown.length <= 120, `${shown.length} messages on the page`);
    assert.deepEqual(shown, shown.map((_, at) => shown[0] + at), 'each once, in order');
  }
  await long.window.getByRole('button', { name: /Go to the end|New messages below/ }).click();
  await messages.filter({ hasText: 'Number 4999' }).waitFor();
  await long.window.close();
});
