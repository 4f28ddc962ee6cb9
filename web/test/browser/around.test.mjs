// What surrounds the words: attachments, marks, times, what it cost, and the feed beside them.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { gate } from './model.mjs';
import { openBrowser, PASSWORD, SHOTS, World } from './world.mjs';

let browser, world, page;
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
  page = await world.window(browser, { permissions: ['clipboard-read', 'clipboard-write'], locale: 'en-GB' });
  await world.signIn(page);
});
after(async () => {
  await browser?.close();
  await world?.end();
});
beforeEach(async () => {
  page.problems.length = 0;
  world.model.reply = async function* () {
    yield 'Fine.';
  };
  await world.converse(page);
});

/** A file that is dropped or pasted, as browsers hand it over. */
const hand = (kind, selector, name, type, text) =>
  page.evaluate(
    ([kind, selector, name, type, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(text), (one) => one.charCodeAt(0))], name, { type }));
      const options = { bubbles: true, cancelable: true, dataTransfer: transfer, clipboardData: transfer };
      const node = document.querySelector(selector);
      if (kind === 'drop') node.dispatchEvent(new DragEvent('dragover', options));
      node.dispatchEvent(kind === 'drop' ? new DragEvent('drop', options) : new ClipboardEvent('paste', options));
    },
    [kind, selector, name, type, Buffer.from(text, type.startsWith('image') ? 'base64' : 'utf8').toString('base64')],
  );
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('a file is dropped anywhere, a picture is pasted, and both arrive', async () => {
  const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
  await world.api(page, 'PATCH', `/v1/agents/${main.id}`, { model: 'test/scripted-vision' });
  const { capabilities } = main;
  await world.api(page, 'PATCH', `/v1/agents/${main.id}`, { capabilities: [...capabilities, 'session_file_system'] });
  await page.reload();
  await page.locator('mj-try').waitFor();
  await hand('drop', '.scroll', 'notes.txt', 'text/plain', 'Buy milk.');
  await page.locator('.uploads .chip', { hasText: 'notes.txt' }).getByText('in Files').waitFor();
  await hand('drop', '.scroll', 'notes.txt', 'text/plain', 'Buy bread.');
  await page.locator('.uploads .chip', { hasText: 'in Files' }).nth(1).waitFor();
  await hand('paste', 'mj-composer textarea', 'dot.png', 'image/png', DOT);
  await page.locator('.uploads .chip', { hasText: 'dot.png' }).locator('.x').waitFor();
  await world.say(page, 'Look at these');
  const said = page.locator('.msg.user');
  await said.getByText('Attached: /notes.txt, /notes (2).txt').waitFor();
  await page.waitForFunction(() => document.querySelector('img.picture')?.naturalWidth === 1);
  await page.locator('mj-conversation').getByText('Fine.').last().waitFor();
  const told = JSON.stringify(world.model.requests.at(-1).messages);
  assert.match(told, /image_url/);
  assert.match(told, /Buy milk[^]*Buy bread/, 'the agent was told what the files say');
  await said.locator('p.hint', { hasText: 'notes.txt' }).getByText('read completely').first().waitFor();
  await world.part(page, 'Files');
  await page.locator('mj-files').getByRole('button', { name: 'notes (2).txt', exact: true }).click();
  await page.locator('mj-files pre', { hasText: 'Buy bread.' }).waitFor();
  await world.part(page, 'Activity');
  await world.api(page, 'PATCH', `/v1/agents/${main.id}`, { model: null, capabilities });
  assert.deepEqual(page.problems, []);
});

test('what came while one was elsewhere is marked, and what it cost is told', async () => {
  await world.say(page, 'Hello');
  await page.locator('mj-conversation').getByText('Fine.').last().waitFor();
  await page.locator('.acts .hint', { hasText: '120 tokens' }).waitFor();
  await page.locator('.head .hint', { hasText: '120 tokens' }).waitFor();
  const session = page.url().split('/').pop();
  await page.waitForFunction(async (id) => (await (await fetch(`/v1/sessions/${id}`)).json()).read_seq > 0, session);
  await world.place(page, 'usage');
  world.model.reply = async function* () {
    yield 'Something new.';
  };
  await world.api(page, 'POST', `/v1/sessions/${session}/messages`, { content: 'From another place' });
  await world.column(page, 'side');
  await page.locator('.item.unread').first().waitFor();
  await world.closeColumn(page);
  await page.goBack();
  await page.locator('.news + mj-message', { hasText: 'Something new.' }).waitFor();
  await page.locator('.item.on:not(.unread)').waitFor({ state: 'attached' });
  await page.locator('.head .hint', { hasText: '240 tokens' }).waitFor();
});

test('who reads further up stays there, and jumps to the end when they like', async () => {
  const held = gate();
  world.model.reply = async function* () {
    for (let at = 0; at < 60; at += 1) yield `Line ${at}.\n\n`;
    await held.passed;
    for (let at = 60; at < 90; at += 1) yield `Line ${at}.\n\n`;
    yield 'The end of it.';
  };
  await world.say(page, 'A lot');
  await page.getByText('Line 59.').waitFor();
  const scroll = page.locator('.scroll');
  await scroll.evaluate((node) => (node.scrollTop = 200));
  await page.getByRole('button', { name: 'New messages below' }).waitFor();
  // Where its words are on the screen: what is above them may grow or shrink.
  const place = () => page.locator('mj-reply').first().evaluate((node) => Math.round(node.getBoundingClientRect().top));
  const before = await place();
  held.open();
  await page.locator('mj-conversation').getByText('The end of it.').last().waitFor();
  assert.equal(await place(), before, 'nothing moved');
  await page.getByRole('button', { name: /New messages below|Go to the end/ }).click();
  await page.waitForFunction(() => {
    const node = document.querySelector('.scroll');
    return node.scrollHeight - node.scrollTop - node.clientHeight < 2;
  });
  // What was at the end is not new to who goes up from there once more.
  await page.locator('.head .chip.ok').waitFor({ state: 'detached' });
  await page.locator('.jump').waitFor({ state: 'detached' });
  await scroll.evaluate((node) => (node.scrollTop -= 600));
  await page.getByRole('button', { name: 'Go to the end' }).click();
});

test('who is at the end stays there, however much comes at once', async () => {
  world.model.reply = async function* () {
    for (let at = 0; at < 12; at += 1) yield `<todo title="Plan ${at}">${'<item>Something to do</item>'.repeat(12)}</todo>\n\n${'words and words '.repeat(120)}\n\n`;
    yield '<ask>Is this the end?</ask>';
  };
  await world.say(page, 'Much at once');
  await page.locator('mj-question', { hasText: 'Is this the end?' }).waitFor();
  await page.waitForFunction(() => {
    const node = document.querySelector('.scroll');
    return node.scrollHeight - node.scrollTop - node.clientHeight < 2;
  });
  assert.equal(await page.locator('.jump').count(), 0);
});

test('a message and a piece of code are copied as they were written', async () => {
  world.model.reply = async function* () {
    yield 'See **this**:\n\n```js\nlet a = "<b>";\n```\n';
  };
  await world.say(page, 'Code, please');
  await page.locator('.code .copy').click();
  await page.locator('.code .copy', { hasText: 'Copied' }).waitFor();
  assert.equal((await page.evaluate(() => navigator.clipboard.readText())).trim(), 'let a = "<b>";');
  await page.locator('mj-message:last-of-type').getByLabel('Copy message', { exact: true }).last().click();
  await page.locator('mj-message [data-done]').waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^See \*\*this\*\*:/);
});

test('an answer is given once more, in its place', async () => {
  await world.say(page, 'Tell me');
  await page.locator('mj-conversation').getByText('Fine.').last().waitFor();
  const before = page.url();
  world.model.reply = async function* () {
    yield 'Better.';
  };
  await page.getByLabel('Try again').click();
  await page.waitForURL((url) => url.href !== before);
  await page.locator('mj-conversation').getByText('Better.').last().waitFor();
  assert.equal(await page.locator('.msg.user').count(), 1);
  assert.equal(await page.locator('mj-reply').innerText(), 'Better.');
});

test('the feed tells what happens, of one kind if one likes, and holds still', async () => {
  world.model.reply = async function* (asked) {
    if (asked.messages.at(-1).role === 'tool') yield 'Late. <todo title="Plan"><item status="completed">Look</item><item>Leap</item></todo>';
    else yield { call: { name: 'get_current_time', timezone: 'Europe/Lisbon' } };
  };
  await world.say(page, 'The time?');
  await world.column(page, 'aside');
  const feed = page.locator('mj-activity');
  await feed.getByText('Reply completed').waitFor();
  await feed.getByText('get_current_time: done').waitFor();
  await feed.locator('select').selectOption('call');
  await feed.getByText('Reply completed').waitFor({ state: 'detached' });
  await feed.getByText('get_current_time: done').waitFor();
  await feed.locator('select').selectOption('all');
  await feed.getByLabel('Pause').click();
  const shown = await feed.locator('.ev').count();
  await world.closeColumn(page);
  await world.say(page, 'And now?');
  await page.locator('mj-message', { hasText: 'Late.' }).nth(1).waitFor();
  assert.equal(await feed.locator('.ev').count(), shown);
  await world.column(page, 'aside');
  await feed.getByLabel('Resume').click();
  await page.waitForFunction((before) => document.querySelectorAll('mj-activity .ev').length > before, shown);
  await world.part(page, 'Tasks');
  await page.locator('mj-tasks').getByText('1 of 2 done').waitFor();
  await world.part(page, 'Activity');
  assert.deepEqual(page.problems, []);
});

test('times are those of the person, in their zone and their words', async () => {
  await world.say(page, 'When?');
  await page.locator('mj-conversation').getByText('Fine.').last().waitFor();
  const time = page.locator('.msg.user .meta time');
  const at = await time.getAttribute('datetime');
  for (const [language, time_zone] of [['de', 'Asia/Tokyo'], ['en-US', 'America/Los_Angeles']]) {
    await world.api(page, 'PATCH', '/v1/me', { language, time_zone });
    await page.reload();
    await time.waitFor();
    const [title, day] = await page.evaluate(([at, language, timeZone]) => {
      const told = (options) => new Intl.DateTimeFormat(language, { ...options, timeZone }).format(new Date(at));
      return [told({ dateStyle: 'medium', timeStyle: 'short' }), told({ hour: 'numeric', minute: '2-digit' })];
    }, [at, language, time_zone]);
    assert.equal(await time.getAttribute('title'), title);
    assert.ok((await time.innerText()).includes(day), `${await time.innerText()} and ${day}`);
  }
  await world.api(page, 'PATCH', '/v1/me', { language: 'en', time_zone: 'UTC' });
});

test('what a command takes is told while it is typed', async () => {
  await page.getByLabel('Message', { exact: true }).pressSequentially('/agent ');
  await page.getByRole('note').getByText('/agent').waitFor();
  await page.getByLabel('Message', { exact: true }).fill('');
});

test('the list says which agent a conversation is with, and from where it came', async () => {
  const name = 'gardener';
  await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  const { id } = await world.api(page, 'POST', '/v1/agents', { name });
  const here = await world.api(page, 'POST', '/v1/sessions', { agent_id: id, name: 'From the page' });
  await world.api(page, 'POST', `/v1/sessions/${here.id}/messages`, { content: 'Hello' });
  await world.terminal('chat', '--agent', name, '--once', 'Hello from the terminal');
  const { secret } = await world.api(page, 'POST', '/v1/api-keys', { name: 'bridge', scope: 'bridge', source: 'telegram' });
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const said = await fetch(`${world.base}/v1/chat`, { method: 'POST', headers, body: JSON.stringify({ message: 'Hello from a bridge', source: 'telegram', sender: 'stranger' }) });
  assert.equal(said.status, 200, await said.text());
  const { items } = await world.api(page, 'GET', '/v1/sessions');
  const of = (source) => items.find((one) => one.source === source);
  await world.api(page, 'PATCH', `/v1/sessions/${of('cli').id}`, { name: 'From the terminal' });
  await world.api(page, 'PATCH', `/v1/sessions/${of('bridge').id}`, { name: 'From a bridge' });
  await page.reload();
  const side = await world.column(page, 'side');
  const origin = (title) => side.locator('.item', { hasText: title }).locator('.from').first();
  for (const [title, from] of [['From the page', name], ['From the terminal', `${name} · Terminal`], ['From a bridge', 'main · Bridge']]) {
    await origin(title).waitFor();
    assert.equal(await origin(title).innerText(), from, title);
    const [box, column] = await Promise.all([origin(title).boundingBox(), side.boundingBox()]);
    assert.ok(box.width > 0 && box.x + box.width <= column.x + column.width, `${title} is in sight`);
  }
  await page.screenshot({ path: `${SHOTS}origin.png` });
  await world.closeColumn(page);
  assert.deepEqual(page.problems, []);
});

/** The agent named main of another person. */
let theirs;
/** Whatever number of conversations of other scenarios waits for its person. */
const titled = (title) => page.waitForFunction((title) => document.title.replace(/^\(\d+\) /, '') === title, title);

test('of two agents named main, each place says whose is meant', async () => {
  const me = await world.api(page, 'GET', '/v1/me');
  await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  await world.api(page, 'POST', '/v1/users', { name: 'bob', role: 'member', password: PASSWORD });
  const bob = await world.window(browser);
  await world.signIn(bob, 'bob');
  await world.api(bob, 'POST', '/v1/me/confirm', { password: PASSWORD });
  [theirs] = (await world.api(bob, 'GET', '/v1/agents')).items;
  await world.api(bob, 'PATCH', `/v1/agents/${theirs.id}`, { shared_with: [me.id], capabilities: [] });
  await world.api(page, 'PUT', `/v1/agents/${theirs.id}/acceptance`);
  await bob.context().close();
  world.model.reply = async function* () {
    yield 'At your service.';
  };
  await page.goto(world.base);
  await page.locator('mj-begin select[aria-label="Agent"]').selectOption(theirs.id);
  await page.locator('mj-begin').getByPlaceholder('Write to main (bob). Type / for commands.').fill('Good morning');
  await world.send(page, 'mj-begin form.compose');
  await page.locator('mj-message .meta b', { hasText: /^main \(bob\)$/ }).waitFor();
  const box = page.locator('mj-composer').getByPlaceholder('Write to main (bob). Type / for commands.');
  await box.waitFor();
  // Nothing can be told of such a file, and this agent has no tools for it.
  await page.locator('mj-composer input[type=file]').setInputFiles({ name: 'noise.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 1, 2, 255, 254, 0, 7]) });
  await page.getByText('“noise.bin” was not attached: main (bob) cannot read it.').waitFor();
  await world.place(page, 'audit');
  await page.locator('mj-audit tbody', { hasText: 'main (bob)' }).waitFor();
  assert.deepEqual(page.problems, []);
});

test('the title of the window says what is open', async () => {
  world.model.reply = async function* () {
    yield 'At your service.';
  };
  await page.goto(world.base);
  await titled('Majordomo');
  await page.locator('mj-begin textarea').fill('A question about tea');
  await world.send(page, 'mj-begin form.compose');
  await titled('A question about tea · Majordomo');
  await page.locator('mj-reply', { hasText: 'At your service.' }).waitFor();
  // After a reload its first words are read later than it is shown.
  await page.reload();
  await titled('A question about tea · Majordomo');
  const session = new URL(page.url()).pathname.slice(1);
  await world.api(page, 'PATCH', `/v1/sessions/${session}`, { name: 'Tea' });
  await titled('Tea · Majordomo');
  for (const [place, name] of [['agents', 'Agents'], ['permissions', 'Permissions'], ['usage', 'Usage'], ['settings', 'Settings'], ['audit', 'Audit log']]) {
    await world.place(page, place);
    await titled(`${name} · Majordomo`);
  }
  await page.goto(`${world.base}/${theirs.id}`);
  await titled('main (bob) · Majordomo');
  assert.deepEqual(page.problems, []);
});
