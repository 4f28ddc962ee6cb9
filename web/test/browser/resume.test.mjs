// Whatever happens to the connection, no word is lost and none is seen twice.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { gate } from './model.mjs';
import { openBrowser, SHOTS, World } from './world.mjs';

const KILLS = Number(process.env.KILLS ?? 3);
const SIZES = {
  desk: {},
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};
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
beforeEach(() => world.converse(page));

const WORDS = Array.from({ length: 120 }, (_, n) => `w${n}`);

test(`the server is killed ${KILLS} times while it answers`, async () => {
  for (let round = 0; round < KILLS; round += 1) {
    const [begun, held] = [gate(), gate()];
    let asked = 0;
    world.model.reply = async function* () {
      asked += 1;
      for (const [at, word] of WORDS.entries()) {
        yield `${word} `;
        if (at === 40 && asked === 1) {
          begun.open();
          await held.passed;
        }
      }
      yield `end-of-${round}.`;
    };
    await world.say(page, `Count, round ${round}`);
    await begun.passed;
    await page.locator('mj-reply').last().getByText('w39').waitFor();
    await world.kill();
    await page.locator('.lost').waitFor();
    if (round === 0) await page.screenshot({ path: `${SHOTS}lost.png` });
    held.open();
    await world.serve();
    await page.locator('mj-reply').last().getByText(`end-of-${round}.`).waitFor();
    await page.locator('.lost').waitFor({ state: 'detached' });
    const shown = (await page.locator('mj-reply').last().innerText()).trim();
    assert.equal(shown, [...WORDS, `end-of-${round}.`].join(' '));
  }
  assert.equal(await page.locator('.msg.user').count(), KILLS, 'what was said was said once');
});

for (const [size, options] of Object.entries(SIZES)) {
  test(`${size}: what a restart discards stays grey until as much is written again, and it is said why`, async () => {
    const own = await world.window(browser, options);
    await world.signIn(own);
    await world.converse(own);
    const [begun, again, held, last] = [gate(), gate(), gate(), gate()];
    let asked = 0;
    world.model.reply = async function* () {
      asked += 1;
      if (asked === 1) {
        yield 'The first attempt said **this much**, and no more.';
        begun.open();
        await held.passed;
        return;
      }
      yield 'The second';
      await again.passed;
      yield ' attempt is longer than the first one was, and then it';
      await last.passed;
      yield ' ends.';
    };
    await world.say(own, 'Tell me');
    await begun.passed;
    await own.locator('mj-reply', { hasText: 'and no more.' }).waitFor();
    await world.kill();
    await own.locator('.lost').waitFor();
    held.open();
    await world.serve();
    await own.locator('mj-reply:not(.discarded)', { hasText: 'The second' }).waitFor();
    const old = own.locator('mj-reply.discarded');
    assert.equal(await old.innerText(), 'The first attempt said this much, and no more.');
    assert.equal(await old.evaluate((node) => node.inert && node.getAttribute('aria-hidden') === 'true'), true);
    await own.getByText('The server restarted. The agent writes this reply again.').waitFor();
    // The new words stand where the old ones stood, and nothing moves.
    const tops = await own.locator('.rewritten > mj-reply').evaluateAll((all) => all.map((node) => node.getBoundingClientRect().top));
    assert.equal(tops.length, 2);
    assert.equal(tops[0], tops[1]);
    const onTop = ([left, top]) => {
      // What is inert is no element at a point.
      document.querySelector('.discarded').inert = false;
      return document.elementFromPoint(left, top).closest('mj-reply')?.classList.contains('discarded');
    };
    const { x, y } = await own.locator('mj-reply:not(.discarded)').boundingBox();
    assert.equal(await own.evaluate(onTop, [x + 8, y + 8]), false, 'the new words are the ones that are read');
    await own.screenshot({ path: `${SHOTS}rewritten-${size}.png` });
    again.open();
    await old.waitFor({ state: 'detached' });
    await own.getByText('The server restarted.').waitFor({ state: 'detached' });
    await own.locator('mj-reply', { hasText: 'and then it' }).waitFor();
    last.open();
    await own.locator('mj-reply', { hasText: 'ends.' }).waitFor();
    assert.equal(await own.locator('mj-reply').innerText(), 'The second attempt is longer than the first one was, and then it ends.');
    assert.deepEqual(own.problems, []);
    await own.context().close();
  });
}

test('a message that was sent while the connection was gone arrives once', async () => {
  world.model.reply = async function* () {
    yield 'Heard.';
  };
  await world.kill();
  await page.locator('.lost').waitFor();
  await world.say(page, 'Into the dark');
  await page.locator('.outgoing', { hasText: 'Into the dark' }).getByText('sending').waitFor();
  await world.serve();
  await page.locator('mj-conversation').getByText('Heard.').last().waitFor();
  assert.equal(await page.locator('.msg.user').count(), 1);
});

test('a message that was sent while the connection was gone arrives once, also when the page is loaded again before', async () => {
  world.model.reply = async function* () {
    yield 'Heard at last.';
  };
  const wire = await world.between(page);
  await page.locator('mj-try').waitFor();
  await wire.cut();
  await world.say(page, 'First');
  await world.say(page, 'Second');
  await page.locator('.outgoing', { hasText: 'Second' }).getByText('sending').waitFor();
  await page.reload();
  await page.locator('.outgoing', { hasText: 'Second' }).getByText('sending').waitFor();
  assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), '');
  await wire.back();
  await page.locator('mj-reply', { hasText: 'Heard at last.' }).nth(1).waitFor();
  assert.deepEqual(await page.locator('.msg.user .body').allInnerTexts(), ['First', 'Second']);
  assert.deepEqual(wire.sent, ['First', 'Second']);
  await page.reload();
  await page.locator('.lost').waitFor({ state: 'detached' });
  await page.locator('mj-reply', { hasText: 'Heard at last.' }).nth(1).waitFor();
  assert.deepEqual(wire.sent, ['First', 'Second'], 'what was acknowledged is not sent again');
  assert.equal(await page.locator('.outgoing').count(), 0);
});

test('a message that was refused is still there after its tab was closed, and after a reload', async () => {
  const wire = await world.between(page);
  await page.locator('mj-try').waitFor();
  const address = page.url();
  wire.refuse = () => ({ status: 400, code: 'bad_request', detail: 'The server did not like it.' });
  await world.say(page, 'Unwanted');
  const unsent = page.locator('.outgoing', { hasText: 'Unwanted' });
  await unsent.getByText('not sent').waitFor();
  const { pathname } = new URL(address);
  await page.evaluate((id) => document.querySelector(`.tabs [data-place="${id}"]`)?.closest('.tab')?.querySelector('button')?.click(), pathname.slice(1));
  await page.waitForURL((url) => url.pathname !== pathname);
  await page.goBack();
  await unsent.getByText('The server did not like it.').waitFor();
  await page.reload();
  await unsent.getByText('The server did not like it.').waitFor();
  assert.deepEqual(wire.sent, ['Unwanted'], 'it is not sent by itself');
  await unsent.getByRole('button', { name: 'Edit message' }).click();
  await unsent.waitFor({ state: 'detached' });
  assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), 'Unwanted');
  await page.reload();
  await page.locator('mj-composer').waitFor();
  assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), 'Unwanted');
  assert.equal(await unsent.count(), 0);
  await page.getByLabel('Message', { exact: true }).fill('');
});

test('Stop while the connection is gone stops the reply when it is back', async () => {
  const [held, third] = [gate(), gate()];
  let asked = 0;
  world.model.reply = async function* () {
    asked += 1;
    yield `Slowly ${asked}`;
    if (asked === 3) third.open();
    await held.passed;
    yield ' on and on.';
  };
  const wire = await world.between(page);
  await page.locator('mj-try').waitFor();
  await world.say(page, 'Take your time');
  await page.locator('mj-reply', { hasText: 'Slowly 1' }).waitFor();
  await wire.cut();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('The reply will be stopped when the connection is back.').waitFor();
  await wire.back();
  await page.locator('mj-message').getByText('Stopped.').waitFor();
  await page.getByText('The reply will be stopped').waitFor({ state: 'detached' });
  // One that ended meanwhile is over: what began since then goes on.
  await world.say(page, 'Once more');
  await page.locator('mj-reply', { hasText: 'Slowly 2' }).waitFor();
  await wire.cut();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  const id = new URL(page.url()).pathname.slice(1);
  await world.api(page, 'POST', `/v1/sessions/${id}/abort`);
  // It is answered when the reply has ended.
  await page.evaluate((id) => void fetch(`/v1/sessions/${id}/messages`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"content":"From elsewhere"}' }), id);
  await third.passed;
  await wire.back();
  await page.getByText('The reply will be stopped').waitFor({ state: 'detached' });
  held.open();
  await page.locator('mj-reply', { hasText: 'Slowly 3 on and on.' }).waitFor();
  assert.equal(await page.locator('mj-message').getByText('Stopped.').count(), 2);
});

test('two windows stay in step, each with one connection', async () => {
  const other = await page.context().newPage();
  const sockets = [];
  other.on('websocket', (socket) => sockets.push(socket.url()));
  await other.goto(page.url());
  await other.locator('mj-try').waitFor();
  const held = gate();
  world.model.reply = async function* () {
    yield 'Seen by ';
    await held.passed;
    yield 'both of them.';
  };
  await world.say(page, 'Hello, you two');
  await other.locator('mj-conversation').getByText('Seen by').last().waitFor();
  await other.locator('.msg.user', { hasText: 'Hello, you two' }).waitFor();
  // Whoever comes in the middle has the beginning too.
  const third = await page.context().newPage();
  await third.goto(page.url());
  await third.locator('mj-conversation').getByText('Seen by').last().waitFor();
  held.open();
  for (const window of [page, other, third]) {
    await window.locator('mj-conversation').getByText('both of them.').last().waitFor();
    assert.equal(await window.locator('mj-reply').innerText(), 'Seen by both of them.');
  }
  assert.equal(sockets.length, 1);
  await Promise.all([other.close(), third.close()]);
});

test('a slow network changes nothing but the time it takes', async () => {
  const client = await page.context().newCDPSession(page);
  await client.send('Network.emulateNetworkConditions', { offline: false, latency: 300, downloadThroughput: 20_000, uploadThroughput: 10_000 });
  world.model.reply = async function* () {
    for (const word of WORDS) yield `${word} `;
    yield 'end.';
  };
  await world.say(page, 'Slowly');
  await page.locator('mj-reply').last().getByText('end.').waitFor();
  assert.equal((await page.locator('mj-reply').last().innerText()).trim(), [...WORDS, 'end.'].join(' '));
  await client.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
});
