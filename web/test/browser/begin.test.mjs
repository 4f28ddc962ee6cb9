// What is written before it is sent: nothing of it is lost, nothing is stored too early, and nothing that others wrote becomes
// the person's own; at a desk and on a telephone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gate } from './model.mjs';
import { openBrowser, PASSWORD, SHOTS, World } from './world.mjs';

const SIZES = {
  desk: {},
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};
const LONG = 'Words that others wrote. '.repeat(100);
const NOTES = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('milk, bread') };
const DOT = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
/** An archive without entries. */
const EMPTY_ZIP = Buffer.from(`504b0506${'00'.repeat(18)}`, 'hex');
let browser, world;
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
});
after(async () => {
  await browser?.close();
  await world?.end();
});

const echo = async function* (asked) {
  yield `You said: ${String(asked.messages.at(-1).content).slice(0, 40)}`;
};

for (const [size, options] of Object.entries(SIZES)) {
  const windows = {};
  const open = async () => {
    windows.page ??= await (async () => {
      const page = await world.window(browser, options);
      page.sent = [];
      page.on('request', (request) => page.sent.push(request));
      await world.signIn(page);
      return page;
    })();
    windows.page.problems.length = 0;
    windows.page.sent.length = 0;
    world.model.reply = echo;
    return windows.page;
  };
  const first = async (page) => {
    await page.goto(world.base);
    const field = page.locator('mj-begin textarea');
    await field.waitFor();
    await field.fill('');
    return field;
  };
  const send = (page) => page.locator('form.compose button.primary').click();
  const begin = async (page, text) => {
    const field = await first(page);
    await field.fill(text);
    await send(page);
    await page.waitForURL((url) => url.pathname.includes('session_'));
    await page.locator('mj-reply').first().waitFor();
    return new URL(page.url()).pathname.slice(1);
  };
  const field = (page) => page.getByLabel('Message', { exact: true });
  const count = async (page) => (await world.api(page, 'GET', '/v1/sessions')).total;
  const said = async (page, session) => (await world.api(page, 'GET', `/v1/sessions/${session}/messages`)).items.filter((one) => one.role === 'user');
  const toPlace = (page, place) =>
    page.evaluate((place) => {
      history.pushState(null, '', `/${place}`);
      window.dispatchEvent(new Event('place'));
    }, place);
  const held = (page, url, method) => {
    const pass = gate();
    const reached = gate();
    return page
      .route(url, async (route) => {
        if (route.request().method() !== method) return route.continue();
        reached.open();
        await pass.passed;
        await route.continue();
      })
      .then(() => ({ reached: reached.passed, go: pass.open }));
  };
  /** A conversation whose agent is held in the middle of a reply. */
  const busy = async (page) => {
    const hold = gate();
    world.model.reply = async function* (asked) {
      const text = String(asked.messages.at(-1).content);
      yield `Heard ${text}.`;
      if (text === 'Hold') await hold.passed;
    };
    return { session: await begin(page, 'Hold'), hold };
  };
  const queued = (page, text) => page.locator('.outgoing', { hasText: text });

  test(`${size}: words that were not typed stay untrusted, also when they are edited`, async () => {
    const page = await open();
    const edits = () => page.sent.filter((one) => one.method() === 'POST' && one.url().endsWith('/versions')).map((one) => one.postDataJSON());
    const edit = async (more) => {
      const mine = page.locator('.msg.user').last();
      if (size === 'desk') await mine.hover();
      await mine.getByLabel('Edit', { exact: true }).click();
      const editor = page.getByLabel('Edit your message');
      await editor.press('End');
      await editor.evaluate((area, more) => (area.focus(), area.setSelectionRange(area.value.length, area.value.length), document.execCommand('insertText', false, more)), more);
      await page.locator('.edit').getByRole('button', { name: 'Send' }).click();
      await editor.waitFor({ state: 'detached' });
    };
    // At once, as a clipboard bar or a drop puts it there: no event says that it was pasted.
    const session = await begin(page, LONG);
    const [message] = await said(page, session);
    assert.equal(message.label.integrity, 'untrusted');
    if (size === 'desk') {
      await page.locator('.head mj-label .chip').waitFor();
      const line = (selector) => page.locator(selector).boundingBox().then(({ y, height }) => y + height / 2);
      assert.ok(Math.abs((await line('.head h1')) - (await line('.head mj-conversation-menu'))) < 12, 'the head is one line');
      await page.screenshot({ path: `${SHOTS}head-${size}.png` });
    }
    await edit('!');
    assert.equal(edits().at(-1).typed, false, 'an edit launders nothing');
    // A short text that grows by a paste in the editor.
    await begin(page, 'Short');
    await edit(LONG);
    assert.equal(edits().at(-1).typed, false);
    // Letter by letter, however long.
    const area = await first(page);
    await area.evaluate((area, long) => {
      area.focus();
      for (const letter of long) document.execCommand('insertText', false, letter);
    }, LONG);
    await send(page);
    await page.waitForURL((url) => url.pathname.includes('session_'));
    await page.locator('mj-reply').first().waitFor();
    const [typed] = await said(page, new URL(page.url()).pathname.slice(1));
    assert.equal(typed.label.integrity, 'trusted');
    await edit('!');
    assert.equal(edits().at(-1).typed, true);
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: what is taken back while the person writes or goes elsewhere is not lost`, async () => {
    const page = await open();
    const { session, hold } = await busy(page);
    await world.say(page, 'Milk');
    await queued(page, 'Milk').getByRole('button', { name: 'Edit' }).waitFor();
    let slow = await held(page, '**/queue/*', 'DELETE');
    await queued(page, 'Milk').getByRole('button', { name: 'Edit' }).click();
    await slow.reached;
    await field(page).fill('Meanwhile');
    slow.go();
    await queued(page, 'Milk').waitFor({ state: 'detached' });
    assert.equal(await field(page).inputValue(), 'Meanwhile\n\nMilk');
    await field(page).fill('');
    await world.say(page, 'Bread');
    await queued(page, 'Bread').getByRole('button', { name: 'Edit' }).waitFor();
    slow = await held(page, '**/queue/*', 'DELETE');
    await queued(page, 'Bread').getByRole('button', { name: 'Edit' }).click();
    await slow.reached;
    await toPlace(page, '');
    await page.locator('mj-begin textarea').waitFor();
    const back = page.waitForResponse((answer) => answer.request().method() === 'DELETE' && answer.url().includes('/queue/'));
    slow.go();
    await back;
    assert.equal(await page.locator('mj-begin textarea').inputValue(), '');
    await toPlace(page, session);
    await page.waitForFunction(() => document.querySelector('mj-composer textarea')?.value === 'Bread');
    hold.open();
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: files stay with their conversation, and come back with a message that was taken back or refused`, async () => {
    const page = await open();
    const { session, hold } = await busy(page);
    const chips = page.locator('mj-composer .uploads .chip');
    await page.locator('mj-composer input[type=file]').setInputFiles(NOTES);
    await chips.filter({ hasText: 'notes.txt' }).locator('button').waitFor();
    await page.getByText('I wrote the files and long texts of this conversation myself').waitFor();
    const other = await world.api(page, 'POST', '/v1/sessions', { agent_id: (await world.api(page, 'GET', '/v1/agents')).items[0].id });
    await toPlace(page, other.id);
    await page.locator('mj-try').waitFor();
    assert.equal(await chips.count(), 0, 'they are not of the other one');
    await toPlace(page, session);
    await chips.filter({ hasText: 'notes.txt' }).waitFor();
    const menu = page.locator('mj-composer select.models');
    const once = await menu.locator('option').evaluateAll((all) => all.map((one) => one.value).find((one) => one.startsWith('once:') && one.endsWith('scripted-vision')));
    await menu.selectOption(once);
    await world.say(page, 'Read it');
    await queued(page, 'Read it').getByText('notes.txt').waitFor();
    await page.reload();
    await queued(page, 'Read it').getByText('notes.txt').waitFor();
    await page.screenshot({ path: `${SHOTS}queued-file-${size}.png` });
    await queued(page, 'Read it').getByRole('button', { name: 'Edit' }).click();
    await chips.filter({ hasText: 'notes.txt' }).waitFor();
    assert.equal(await field(page).inputValue(), 'Read it');
    await page.waitForFunction((once) => document.querySelector('mj-composer select.models')?.value === once, once);
    // Archived by another window in the same moment: the message is refused.
    await world.api(page, 'POST', `/v1/sessions/${session}/abort`);
    hold.open();
    await page.locator('.head .chip.ok').waitFor({ state: 'detached' });
    await world.api(page, 'POST', `/v1/sessions/${session}/archive`);
    await send(page);
    const refused = queued(page, 'Read it');
    await refused.getByText('not sent').waitFor();
    await refused.getByText('notes.txt').waitFor();
    await refused.getByRole('button', { name: 'Edit message' }).click();
    await refused.waitFor({ state: 'detached' });
    await chips.filter({ hasText: 'notes.txt' }).waitFor();
    assert.equal(await field(page).inputValue(), 'Read it');
    await world.api(page, 'POST', `/v1/sessions/${session}/unarchive`);
    await page.getByText('This conversation is archived.').waitFor({ state: 'detached' });
    await send(page);
    await page.locator('.msg.user a', { hasText: 'notes.txt' }).waitFor();
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: two windows edit one queued message, and one of them gets it`, async () => {
    const page = await open();
    const { session, hold } = await busy(page);
    await world.say(page, 'Milk');
    const other = await page.context().newPage();
    other.setDefaultTimeout(60_000);
    await other.goto(`${world.base}/${session}`);
    for (const one of [page, other]) await queued(one, 'Milk').getByRole('button', { name: 'Edit' }).waitFor();
    const slow = [await held(page, '**/queue/*', 'DELETE'), await held(other, '**/queue/*', 'DELETE')];
    for (const one of [page, other]) await queued(one, 'Milk').getByRole('button', { name: 'Edit' }).click();
    await Promise.all(slow.map((one) => one.reached));
    for (const one of slow) one.go();
    await Promise.all([page, other].map((one) => queued(one, 'Milk').waitFor({ state: 'detached' })));
    const told = 'This message is no longer queued. It was answered already, or removed in another window.';
    await Promise.any([page, other].map((one) => one.getByText(told).waitFor()));
    const values = await Promise.all([page, other].map((one) => field(one).inputValue()));
    assert.deepEqual(values.sort(), ['', 'Milk']);
    hold.open();
    await page.locator('.head .chip.ok').waitFor({ state: 'detached' });
    assert.deepEqual((await said(page, session)).map((one) => one.content), ['Hold'], 'it was sent to nobody');
    await other.close();
    await field(page).fill('');
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: what cannot be sent from the first page is kept there, and no conversation is stored`, async () => {
    const page = await open();
    const area = await first(page);
    const before = await count(page);
    const tries = page.locator('.tries button');
    await tries.first().waitFor();
    await area.fill('Read this');
    await tries.first().waitFor({ state: 'detached' });
    await page.locator('mj-begin input[type=file]').setInputFiles(NOTES);
    await area.fill('');
    assert.equal(await tries.count(), 0, 'no suggestion is sent with the files');
    await area.fill('Read this');
    await page.route('**/v1/uploads', (route) => route.fulfill({ status: 413, contentType: 'application/problem+json', body: JSON.stringify({ code: 'too_large', detail: 'This file is too large (20 MB; the limit is 16 MB).' }) }));
    await send(page);
    await page.getByText(/“notes.txt” is too large \(\d+ B; the limit is 16 MB\)\./).waitFor();
    await page.unroute('**/v1/uploads');
    assert.equal(await count(page), before);
    assert.equal(await area.inputValue(), 'Read this');
    await page.locator('mj-begin .chip', { hasText: 'notes.txt' }).waitFor();
    // The person says whose the files are before there is a conversation.
    await page.locator('mj-begin').getByLabel('I wrote the files and long texts of this conversation myself').check();
    await send(page);
    await page.locator('.msg.user a', { hasText: 'notes.txt' }).waitFor();
    const session = await world.api(page, 'GET', `/v1/sessions/${new URL(page.url()).pathname.slice(1)}`);
    assert.equal(session.own_files, true);
    const [message] = await said(page, session.id);
    assert.equal(message.label.integrity, 'trusted');
    assert.equal(await count(page), before + 1);
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: a first message that the server refuses stays where it was written, and no conversation is stored`, async () => {
    const page = await open();
    const area = await first(page);
    const before = await count(page);
    const listed = await page.locator('.side .item').count();
    await area.fill('What is on it?');
    await page.locator('mj-begin input[type=file]').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: DOT });
    await send(page);
    await page.locator('mj-begin .told', { hasText: 'scripted' }).waitFor();
    assert.equal(await count(page), before);
    assert.equal(await page.locator('.side .item').count(), listed, 'nothing is left in the list');
    assert.equal(await area.inputValue(), 'What is on it?');
    await page.locator('mj-begin .chip', { hasText: 'dot.png' }).waitFor();
    // The model that sees pictures takes the same message.
    await page.locator('mj-begin').getByLabel('Model').selectOption('test/scripted-vision');
    await send(page);
    await page.locator('.msg.user img').waitFor();
    await page.locator('mj-reply').first().waitFor();
    assert.equal(await count(page), before + 1);
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: a first message that the server was too busy for is answered in one conversation, also where that cannot be deleted`, async () => {
    world.model.reply = echo;
    const page = await world.window(browser, options);
    await world.signIn(page);
    const wire = await world.between(page);
    const before = await count(page);
    const area = await first(page);
    await area.fill('Only once, please');
    wire.refuse = () => ({ status: 503, code: 'shutting_down', detail: 'The server is shutting down. Try again in a moment.' });
    await page.route('**/v1/sessions/*', (route) => (route.request().method() === 'DELETE' ? route.abort() : route.continue()));
    await send(page);
    await page.locator('mj-begin .told', { hasText: 'The server is shutting down.' }).waitFor();
    assert.equal(await area.inputValue(), 'Only once, please');
    await page.unroute('**/v1/sessions/*');
    wire.refuse = () => null;
    wire.sent.length = 0;
    await wire.cut();
    await wire.back();
    assert.deepEqual(wire.sent, [], 'nothing is sent by itself');
    await send(page);
    await page.locator('mj-reply', { hasText: 'Only once, please' }).waitFor();
    assert.deepEqual(wire.sent, ['Only once, please']);
    assert.equal(await count(page), before + 1, 'one conversation');
    const session = new URL(page.url()).pathname.slice(1);
    assert.deepEqual((await said(page, session)).map((one) => one.content), ['Only once, please']);
    // Where it can be deleted it is, and other words begin another one.
    const next = await first(page);
    await next.fill('And then');
    wire.refuse = () => ({ status: 503, code: 'shutting_down', detail: 'The server is shutting down. Try again in a moment.' });
    await send(page);
    await page.locator('mj-begin .told', { hasText: 'The server is shutting down.' }).waitFor();
    assert.equal(await count(page), before + 1);
    wire.refuse = () => null;
    await next.fill('And then this');
    await send(page);
    await page.locator('mj-reply', { hasText: 'And then this' }).waitFor();
    assert.equal(await count(page), before + 2);
    page.problems = page.problems.filter((problem) => !problem.includes('ERR_FAILED'));
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test(`${size}: while the first message is on its way the page says so, and loses neither words nor the place of its person`, async () => {
    world.model.reply = echo;
    const page = await world.window(browser, options);
    await world.signIn(page);
    const wire = await world.between(page);
    const hold = () => {
      const [pass, reached] = [gate(), gate()];
      wire.pass = () => (reached.open(), pass.passed);
      return { reached: reached.passed, go: pass.open };
    };
    const area = await first(page);
    await area.fill('Good morning');
    let slow = hold();
    await send(page);
    await slow.reached;
    await page.locator('mj-begin').getByRole('status').getByText('Sending…').waitFor();
    await page.screenshot({ path: `${SHOTS}begin-sending-${size}.png` });
    await area.press('End');
    await area.pressSequentially(' and good day');
    slow.go();
    await page.locator('mj-reply', { hasText: 'Good morning' }).waitFor();
    assert.equal(await field(page).inputValue(), 'and good day');
    assert.deepEqual((await said(page, new URL(page.url()).pathname.slice(1))).map((one) => one.content), ['Good morning']);
    await field(page).fill('');
    // Who went elsewhere stays there, and finds the conversation in a tab.
    assert.equal(await (await first(page)).inputValue(), '');
    await area.fill('Good evening');
    slow = hold();
    await send(page);
    await slow.reached;
    await toPlace(page, 'capabilities');
    await page.getByLabel('Search capabilities').waitFor();
    // Back in between: the same words are not sent twice.
    await toPlace(page, '');
    await area.waitFor();
    assert.equal(await page.locator('mj-begin button.primary').isDisabled(), true);
    await toPlace(page, 'capabilities');
    await page.getByLabel('Search capabilities').waitFor();
    slow.go();
    await page.locator('.tab', { hasText: 'Good evening' }).waitFor({ state: 'attached' });
    await page.locator('.side .item', { hasText: 'Good evening' }).first().waitFor({ state: 'attached' });
    assert.equal(new URL(page.url()).pathname, '/capabilities');
    await toPlace(page, '');
    await area.waitFor();
    assert.equal(await area.inputValue(), '');
    assert.deepEqual(wire.sent.filter((one) => one === 'Good evening').length, 1);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test(`${size}: of an agent that is left while its first test message is on its way nothing stays`, async () => {
    world.model.reply = echo;
    const page = await world.window(browser, options);
    await world.signIn(page);
    const wire = await world.between(page);
    const { id } = await world.api(page, 'POST', '/v1/agents', { name: `left-${size}` });
    await page.goto(`${world.base}/${id}`);
    await page.getByRole('button', { name: 'Test conversation' }).click();
    const chat = page.locator('mj-test-chat');
    await chat.locator('textarea').fill('Are you there?');
    const [pass, reached] = [gate(), gate()];
    wire.pass = () => (reached.open(), pass.passed);
    const made = page.waitForResponse((answer) => answer.request().method() === 'POST' && answer.url().endsWith('/v1/sessions'));
    await chat.locator('button.primary').click();
    const { id: session } = await (await made).json();
    await reached.passed;
    const left = () => page.evaluate(() => JSON.parse(localStorage.getItem('majordomo-test-chats') ?? '[]').map((one) => one.id));
    assert.deepEqual(await left(), [session], 'it is known as soon as it is there');
    await toPlace(page, '');
    await page.locator('mj-begin textarea').waitFor();
    const gone = page.waitForResponse((answer) => answer.request().method() === 'DELETE' && answer.url().endsWith(session) && answer.status() === 204);
    pass.open();
    await gone;
    assert.equal((await world.api(page, 'GET', `/v1/sessions/${session}`)).code, 'not_found');
    await page.waitForFunction(() => JSON.parse(localStorage.getItem('majordomo-test-chats') ?? '[]').length === 0);
    assert.equal(new URL(page.url()).pathname, '/');
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test(`${size}: files go to an agent whose capability brings the tools for them along`, async () => {
    const page = await open();
    await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
    const { id } = await world.api(page, 'POST', '/v1/agents', { name: `scholar-${size}`, capabilities: ['research'] });
    const area = await first(page);
    await page.reload();
    await area.waitFor();
    await page.locator('mj-begin').getByLabel('Agent', { exact: true }).selectOption(id);
    await area.fill('Read these');
    await page.locator('mj-begin input[type=file]').setInputFiles([NOTES, { name: 'things.zip', mimeType: 'application/zip', buffer: EMPTY_ZIP }]);
    await send(page);
    await page.locator('.msg.user', { hasText: 'Attached: /notes.txt, /things.zip' }).waitFor();
    const session = new URL(page.url()).pathname.slice(1);
    assert.deepEqual((await world.api(page, 'GET', `/v1/sessions/${session}/files`)).items.map((one) => one.path).sort(), ['/notes.txt', '/things.zip']);
    // In a conversation as well.
    await page.locator('mj-composer input[type=file]').setInputFiles({ ...NOTES, name: 'more.txt' });
    await page.locator('mj-composer .uploads .chip', { hasText: 'saved in Files' }).waitFor();
    await page.locator('mj-composer .uploads button').click();
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: a file that the agent cannot read is not taken, and the page says so`, async () => {
    const page = await open();
    const area = await first(page);
    const before = await count(page);
    const told = 'was not attached: main cannot read it.';
    for (const [name, buffer] of [['things.zip', EMPTY_ZIP], ['broken.pdf', Buffer.from('%PDF-1.7\nand nothing else')]]) {
      await area.fill('Read this');
      await page.locator('mj-begin input[type=file]').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
      await send(page);
      await page.locator('mj-begin .told', { hasText: `“${name}” ${told}` }).waitFor();
      assert.equal(await count(page), before);
      assert.equal(await area.inputValue(), 'Read this');
      await page.locator('mj-begin').getByLabel(`Remove ${name}`).click();
    }
    await begin(page, 'Now without');
    await page.locator('mj-composer input[type=file]').setInputFiles({ name: 'things.zip', mimeType: 'application/zip', buffer: EMPTY_ZIP });
    await page.locator('mj-composer .told', { hasText: `“things.zip” ${told}` }).waitFor();
    assert.equal(await page.locator('mj-composer .uploads .chip').count(), 0);
    const session = new URL(page.url()).pathname.slice(1);
    assert.deepEqual((await world.api(page, 'GET', `/v1/sessions/${session}/files`)).items ?? [], [], 'it lies nowhere');
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: what a command tells on the first page is whole, and keeps away from the edge`, async () => {
    const page = await open();
    const area = await first(page);
    await area.fill('/help ');
    await send(page);
    const card = page.locator('mj-begin .help');
    await card.getByText('/compact').waitFor();
    await page.screenshot({ path: `${SHOTS}help-${size}.png` });
    const room = await card.evaluate((node) => ({ hidden: node.scrollHeight - node.clientHeight, edge: node.querySelector('mj-said li').getBoundingClientRect().left - node.getBoundingClientRect().left, head: node.querySelector('mj-said :is(h1, h2, h3, .h1, .h2, .h3, p, [role=heading])').getBoundingClientRect().left - node.getBoundingClientRect().left }));
    assert.equal(room.hidden, 0);
    assert.ok(room.head >= 12, JSON.stringify(room));
    await card.getByLabel('Close').click();
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: a file that cannot be put into its conversation ends it`, async () => {
    const page = await open();
    const { id } = await world.api(page, 'POST', '/v1/agents', { name: `keeper-${size}`, capabilities: ['session_file_system'] });
    const area = await first(page);
    await page.reload();
    await area.waitFor();
    await page.locator('mj-begin').getByLabel('Agent', { exact: true }).selectOption(id);
    const before = await count(page);
    await area.fill('Read this');
    await page.locator('mj-begin input[type=file]').setInputFiles(NOTES);
    await page.route('**/files/*', (route) => (route.request().method() === 'PUT' ? route.fulfill({ status: 409, contentType: 'application/problem+json', body: JSON.stringify({ code: 'too_many_files', detail: 'There is no room.' }) }) : route.continue()));
    await send(page);
    await page.getByText('“notes.txt” was not uploaded.').waitFor();
    await page.unroute('**/files/*');
    assert.equal(await count(page), before);
    assert.equal(await area.inputValue(), 'Read this');
    await send(page);
    await page.locator('.msg.user', { hasText: 'Attached: /notes.txt' }).waitFor();
    assert.equal(await count(page), before + 1);
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: a conversation begins in the folder that is named, and the next one does not`, async () => {
    const page = await open();
    const name = `Kitchen ${size}`;
    const folder = await world.api(page, 'POST', '/v1/folders', { name });
    const other = await world.api(page, 'POST', '/v1/agents', { name: `cook-${size}` });
    await page.goto(world.base);
    await page.locator('mj-begin textarea').waitFor();
    const into = async () => {
      if (size === 'phone') await page.getByLabel('Conversations and pages').click();
      await page.locator('mj-side').getByLabel(`Actions for ${name}`).click();
      await page.locator('mj-side').getByRole('group', { name: 'Folder' }).getByRole('button', { name: 'New conversation' }).click();
      await page.locator('mj-begin .chip', { hasText: `In the folder ${name}` }).waitFor();
    };
    await into();
    await page.screenshot({ path: `${SHOTS}begin-folder-${size}.png` });
    await page.locator('mj-begin').getByLabel('Agent', { exact: true }).selectOption(other.id);
    await page.locator('mj-begin .chip', { hasText: name }).waitFor();
    await page.locator('mj-begin textarea').fill('Soup');
    page.sent.length = 0;
    await send(page);
    await page.locator('mj-reply').first().waitFor();
    const session = await world.api(page, 'GET', `/v1/sessions/${new URL(page.url()).pathname.slice(1)}`);
    assert.deepEqual([session.folder_id, session.agent_id], [folder.id, other.id]);
    const made = page.sent.filter((one) => one.method() === 'POST' && one.url().endsWith('/v1/sessions'));
    assert.equal(made.length, 1);
    assert.equal(made[0].postDataJSON().folder_id, folder.id, 'in one request');
    await toPlace(page, '');
    await page.locator('mj-begin textarea').waitFor();
    assert.equal(await page.locator('mj-begin .chip').count(), 0, 'the next one is in no folder');
    // The chip takes it out, and a folder that has gone is told of.
    await into();
    await page.locator('mj-begin').getByLabel(`Not in the folder ${name}`).click();
    assert.equal(await page.locator('mj-begin .chip').count(), 0);
    await into();
    await page.locator('mj-begin textarea').fill('Salad');
    const before = await count(page);
    await world.api(page, 'DELETE', `/v1/folders/${folder.id}`);
    await send(page);
    await page.getByText('The folder does not exist any more.').waitFor();
    assert.equal(await count(page), before);
    assert.equal(await page.locator('mj-begin textarea').inputValue(), 'Salad');
    await send(page);
    await page.locator('mj-reply', { hasText: 'Salad' }).waitFor();
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: a prompt of one's own begins a conversation, and takes files along`, async () => {
    const page = await open();
    const name = `sum_${size}`;
    await world.api(page, 'POST', '/v1/saved-prompts', { name, content: 'Sum up {{what}} in one line.' });
    const area = await first(page);
    const before = await count(page);
    await area.pressSequentially(`/sum_${size.slice(0, 2)}`);
    await page.locator('mj-begin #completion').getByText(`/${name} WHAT`).waitFor();
    await page.locator('mj-begin #completion li').first().dispatchEvent('mousedown');
    assert.equal(await area.inputValue(), `/${name} `);
    await send(page);
    await page.locator('mj-begin [role=alert]', { hasText: 'needs more words' }).waitFor();
    assert.equal(await count(page), before, 'nothing is stored for what was refused');
    await area.fill(`/${name} the list`);
    await page.locator('mj-begin input[type=file]').setInputFiles(NOTES);
    await send(page);
    await page.locator('.msg.user', { hasText: 'Sum up the list in one line.' }).getByText('notes.txt').waitFor();
    await page.locator('mj-reply').first().waitFor();
    assert.equal(await count(page), before + 1);
    // In a conversation as well, and for the model that was chosen.
    await page.locator('mj-composer input[type=file]').setInputFiles({ ...NOTES, name: 'more.txt' });
    await page.locator('mj-composer .uploads button').waitFor();
    const menu = page.locator('mj-composer select.models');
    await menu.selectOption(await menu.locator('option').evaluateAll((all) => all.map((one) => one.value).find((one) => one.startsWith('once:') && one.endsWith('scripted-vision'))));
    await world.say(page, `/${name} it all`);
    await page.locator('.msg.user', { hasText: 'Sum up it all in one line.' }).getByText('more.txt').waitFor();
    await page.locator('mj-reply').nth(1).waitFor();
    assert.equal(world.model.requests.filter((one) => one.stream).at(-1).model, 'scripted-vision');
    assert.equal(await page.locator('mj-composer .uploads').count(), 0);
    // Another command leaves the files where they are.
    await page.locator('mj-composer input[type=file]').setInputFiles(NOTES);
    await page.locator('mj-composer .uploads button').waitFor();
    await world.say(page, '/session rename Sums');
    await page.waitForFunction(() => document.querySelector('mj-composer textarea')?.value === '');
    assert.equal(await page.locator('mj-composer .uploads .chip').count(), 1);
    await page.locator('mj-composer .uploads button').click();
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: a model that was chosen is not sent to the agent of another person`, async () => {
    const page = await open();
    const name = `bea-${size}`;
    await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
    await world.api(page, 'POST', '/v1/users', { name, role: 'member', password: PASSWORD });
    const other = await world.window(browser);
    await world.signIn(other, name);
    const { id: me } = await world.api(page, 'GET', '/v1/me');
    const shared = await world.api(other, 'POST', '/v1/agents', { name: `lent-${size}`, shared_with: [me] });
    await other.context().close();
    await world.api(page, 'PUT', `/v1/agents/${shared.id}/acceptance`);
    const area = await first(page);
    const menu = page.locator('mj-begin').getByLabel('Model', { exact: true });
    const model = await menu.locator('option').evaluateAll((all) => all.map((one) => one.value).find((one) => one.endsWith('scripted-vision')));
    await menu.selectOption(model);
    await page.locator('mj-begin').getByLabel('Agent', { exact: true }).selectOption(shared.id);
    await menu.waitFor({ state: 'detached' });
    await area.fill('Hello, lent one');
    page.sent.length = 0;
    await send(page);
    await page.locator('mj-reply', { hasText: 'Hello, lent one' }).waitFor();
    const made = page.sent.find((one) => one.method() === 'POST' && one.url().endsWith('/v1/sessions')).postDataJSON();
    assert.deepEqual([made.agent_id, made.model], [shared.id, undefined]);
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: an agent is tried in a conversation that is stored for as long as it is tried`, async () => {
    const page = await open();
    const { id } = await world.api(page, 'POST', '/v1/agents', { name: `tried-${size}` });
    await page.goto(`${world.base}/${id}`);
    const before = await count(page);
    await page.getByRole('button', { name: 'Test conversation' }).click();
    const chat = page.locator('mj-test-chat');
    await chat.locator('textarea').waitFor();
    const listed = () => page.sent.filter((one) => one.method() === 'POST' && one.url().endsWith('/v1/sessions')).length;
    assert.equal(listed(), 0, 'nothing is stored before anything is said');
    await chat.locator('textarea').fill('Hello there');
    await chat.locator('button.primary').click();
    await chat.locator('mj-reply', { hasText: 'Hello there' }).waitFor();
    assert.equal(listed(), 1);
    assert.equal(await count(page), before, 'it is in no list');
    const found = await world.api(page, 'GET', '/v1/sessions?search=Hello%20there&archived=any');
    assert.ok(!JSON.stringify(found).includes(`Test of tried-${size}`), 'and in no search');
    // Another version of it is in no list either, and stays beside the editor.
    await chat.locator('.msg.user').hover();
    await chat.locator('.msg.user').getByLabel('Edit', { exact: true }).click();
    await chat.getByLabel('Edit your message').fill('Good morning');
    await chat.locator('.edit').getByRole('button', { name: 'Send' }).click();
    await chat.locator('mj-reply', { hasText: 'Good morning' }).waitFor();
    await chat.locator('.versions', { hasText: '2/2' }).waitFor();
    await page.screenshot({ path: `${SHOTS}test-chat-version-${size}.png` });
    await chat.getByLabel('Earlier version').click();
    await chat.locator('mj-reply', { hasText: 'Hello there' }).waitFor();
    assert.equal(new URL(page.url()).pathname, `/${id}`, 'the editor');
    assert.equal(await count(page), before, 'it is in no list');
    const session = await chat.locator('mj-conversation').evaluate((one) => one.session);
    const gone = page.waitForResponse((answer) => answer.request().method() === 'DELETE' && answer.url().endsWith(session));
    await chat.getByRole('button', { name: 'Start over' }).click();
    assert.equal((await gone).status(), 204);
    // Also in the middle of a reply.
    const hold = gate();
    world.model.reply = async function* () {
      yield 'Wait';
      await hold.passed;
    };
    await chat.locator('textarea').fill('Once more');
    await chat.locator('button.primary').click();
    await chat.locator('mj-reply', { hasText: 'Wait' }).waitFor();
    const again = await chat.locator('mj-conversation').evaluate((one) => one.session);
    const ended = page.waitForResponse((answer) => answer.request().method() === 'DELETE' && answer.url().endsWith(again) && answer.status() === 204);
    await toPlace(page, '');
    await ended;
    hold.open();
    assert.equal((await world.api(page, 'GET', `/v1/sessions/${again}`)).code, 'not_found');
    assert.deepEqual(page.problems, []);
  });
}
