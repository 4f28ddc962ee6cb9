// Writing: the first page, the choice of a model, versions of a message in place, and what waits in the queue; at a desk and
// on a telephone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gate } from './model.mjs';
import { openBrowser, PASSWORD, SHOTS, World } from './world.mjs';

const SIZES = {
  desk: {},
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};
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
  yield `You said: ${asked.messages.at(-1).content}`;
};

for (const [size, options] of Object.entries(SIZES)) {
  const windows = {};
  const open = async () => {
    windows.page ??= await (async () => {
      const page = await world.window(browser, options);
      await world.signIn(page);
      return page;
    })();
    windows.page.problems.length = 0;
    return windows.page;
  };
  const begin = async (page, text) => {
    await page.goto(world.base);
    await page.locator('mj-begin textarea').waitFor();
    await page.locator('mj-begin textarea').fill(text);
    await page.locator('mj-begin').getByRole('button', { name: 'Send' }).click();
    await page.waitForURL((url) => url.pathname.includes('session_'));
    await page.locator('mj-reply', { hasText: text }).waitFor();
  };

  test(`${size}: a conversation begins on the first page, and nothing is stored before`, async () => {
    world.model.reply = echo;
    const page = await open();
    const count = async () => (await world.api(page, 'GET', '/v1/sessions')).total;
    const before = await count();
    await page.goto(world.base);
    await page.locator('mj-begin textarea').fill('half a thought');
    await page.reload();
    await page.locator('mj-begin textarea').waitFor();
    assert.equal(await page.locator('mj-begin textarea').inputValue(), 'half a thought', 'what was written stays');
    assert.equal(await count(), before);
    await page.locator('mj-begin input[type=file]').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('milk, bread') });
    await page.locator('mj-begin .chip', { hasText: 'notes.txt' }).waitFor();
    assert.equal(await count(), before, 'files are not stored either');
    await page.screenshot({ path: `${SHOTS}begin-${size}.png` });
    await page.locator('mj-begin textarea').fill('Read this');
    await page.locator('mj-begin').getByRole('button', { name: 'Send' }).click();
    await page.locator('mj-reply', { hasText: 'Read this' }).waitFor();
    assert.equal(await count(), before + 1);
    await page.goto(world.base);
    await page.locator('mj-begin textarea').waitFor();
    assert.equal(await page.locator('mj-begin textarea').inputValue(), '');
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: a model is chosen for a conversation, and for one message`, async () => {
    world.model.reply = echo;
    const page = await open();
    await begin(page, 'First');
    // A conversation without a name is known by its first words.
    assert.equal(await page.locator('.head h1').innerText(), 'First');
    assert.match(await page.locator('.tab.on').innerText(), /^First/);
    const models = () => world.model.requests.filter((one) => one.stream).slice(-1)[0].model;
    const menu = page.locator('mj-composer select.models');
    await menu.waitFor();
    const shown = () => menu.evaluate((select) => {
      const pen = Object.assign(document.createElement('canvas').getContext('2d'), { font: getComputedStyle(select).font });
      const [name] = select.selectedOptions[0].text.split(' · ');
      return { name, room: select.clientWidth - 32 - pen.measureText(name).width };
    });
    assert.equal((await shown()).name, 'scripted', 'the name of the model comes first');
    assert.ok((await shown()).room >= 0, 'it is not cut off');
    const vision = 'scripted-vision';
    const named = (await menu.locator('option').evaluateAll((all) => all.map((one) => one.value))).filter((one) => one.endsWith(vision));
    assert.equal(named.length, 2, 'for the conversation, and for one message');
    const [always, once] = [named.find((one) => !one.startsWith('once:')), named.find((one) => one.startsWith('once:'))];
    await menu.selectOption(once);
    assert.equal(await menu.inputValue(), once);
    assert.equal((await shown()).name, vision);
    assert.ok((await shown()).room >= 0, `${JSON.stringify(await shown())} of the chosen model`);
    await world.say(page, 'Second');
    await page.locator('mj-reply', { hasText: 'Second' }).waitFor();
    assert.equal(models(), vision);
    assert.equal(await menu.inputValue(), '', 'the menu shows the model of the agent again');
    await world.say(page, 'Third');
    await page.locator('mj-reply', { hasText: 'Third' }).waitFor();
    assert.equal(models(), 'scripted', 'it was for one message');
    await menu.selectOption(always);
    await page.locator('.head .chip', { hasText: vision }).waitFor({ state: 'attached' });
    await world.say(page, 'Fourth');
    await page.locator('mj-reply', { hasText: 'Fourth' }).waitFor();
    assert.equal(models(), vision);
    // One model for the conversation, another for one message, twice: the menu shows which one answers next.
    for (const words of ['Fifth', 'Sixth']) {
      await menu.selectOption(once.replace(vision, 'scripted'));
      assert.equal(await menu.inputValue(), once.replace(vision, 'scripted'));
      await world.say(page, words);
      await page.locator('mj-reply', { hasText: words }).waitFor();
      assert.equal(models(), 'scripted');
      assert.equal(await menu.inputValue(), always, 'the model of the conversation again');
    }
    await page.reload();
    await page.locator('.head .chip', { hasText: vision }).waitFor({ state: 'attached' });
    await page.screenshot({ path: `${SHOTS}model-menu-${size}.png` });
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: among many models one is found by a part of its name`, async () => {
    world.model.reply = echo;
    const page = await open();
    await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
    await world.api(page, 'PUT', '/v1/providers/many', { wire: 'openai', base_url: world.model.url, models: Array.from({ length: 25 }, (_, at) => `planet-${at}`) });
    try {
      await begin(page, `Among many, ${size}`);
      await page.reload();
      const menu = page.locator('mj-composer select.models');
      await menu.locator('option', { hasText: 'Search the models…' }).waitFor({ state: 'attached' });
      await menu.selectOption('search:');
      const search = page.getByRole('dialog', { name: 'Search the models…' });
      await search.getByRole('combobox').fill('planet 17');
      await search.getByRole('option').first().getByText('many/planet-17').waitFor();
      assert.equal(await search.getByRole('option').count(), 1);
      await page.screenshot({ path: `${SHOTS}model-search-${size}.png` });
      await search.getByRole('option').click();
      await search.waitFor({ state: 'detached' });
      await page.locator('.head .chip', { hasText: 'planet-17' }).waitFor({ state: 'attached' });
      assert.equal(await menu.inputValue(), 'many/planet-17');
      await world.say(page, 'Which one?');
      await page.locator('mj-reply', { hasText: 'Which one?' }).waitFor();
      assert.equal(world.model.requests.filter((one) => one.stream).at(-1).model, 'planet-17');
      // The same where an answer is asked for once more.
      await page.getByLabel('Answer with another model').selectOption('search:');
      await search.getByRole('combobox').fill('planet 21');
      await search.getByRole('option').first().getByText('many/planet-21').waitFor();
      await search.getByRole('option').click();
      await page.locator('.versions', { hasText: '2/2' }).waitFor();
      await page.locator('.wrote', { hasText: 'many/planet-21' }).waitFor();
    } finally {
      await world.api(page, 'DELETE', '/v1/providers/many');
    }
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: a message is changed and an answer is given once more, in place`, async () => {
    let round = 0;
    world.model.reply = async function* (asked) {
      yield `Answer ${(round += 1)} to ${asked.messages.at(-1).content}`;
    };
    const page = await open();
    const count = async () => (await world.api(page, 'GET', '/v1/sessions')).total;
    await begin(page, 'Apples');
    const before = await count();
    const tabs = () => page.locator('.tabs .tab:not(.add)').count();
    const opened = await tabs();
    const mine = page.locator('.msg.user');
    if (size === 'desk') await mine.first().hover();
    await mine.first().getByLabel('Edit', { exact: true }).click();
    await page.getByLabel('Edit your message').fill('Pears');
    await page.screenshot({ path: `${SHOTS}edit-${size}.png` });
    await page.locator('.edit').getByRole('button', { name: 'Send' }).click();
    await page.locator('mj-reply', { hasText: 'to Pears' }).waitFor();
    await page.locator('.versions', { hasText: '2/2' }).waitFor();
    assert.equal(await mine.count(), 1);
    assert.equal(await tabs(), opened, 'the other version is in the same tab');
    await page.getByLabel('Try again').click();
    await page.locator('.versions', { hasText: '3/3' }).waitFor();
    await page.locator('mj-reply', { hasText: 'Answer 3 to Pears' }).waitFor();
    await page.screenshot({ path: `${SHOTS}versions-${size}.png` });
    await page.getByLabel('Earlier version').click();
    await page.locator('.versions', { hasText: '2/3' }).waitFor();
    await page.locator('mj-reply', { hasText: 'Answer 2 to Pears' }).waitFor();
    await page.getByLabel('Earlier version').click();
    await page.locator('mj-reply', { hasText: 'Answer 1 to Apples' }).waitFor();
    assert.equal(await count(), before, 'one entry in the list');
    // Nothing runs where the person does not look.
    const hold = gate();
    const echo = world.model.reply;
    world.model.reply = async function* () {
      yield 'Slowly';
      await hold.passed;
    };
    await world.say(page, 'And figs?');
    await page.locator('mj-reply', { hasText: 'Slowly' }).waitFor();
    await page.getByLabel('Later version').first().click();
    await page.getByText('A reply is running in the version that you see.').waitFor();
    await page.screenshot({ path: `${SHOTS}version-refused-${size}.png` });
    await page.locator('mj-reply', { hasText: 'Slowly' }).waitFor();
    hold.open();
    await page.locator('.head .chip.ok').waitFor({ state: 'detached' });
    world.model.reply = echo;
    await page.reload();
    await page.locator('mj-reply', { hasText: 'Answer 1 to Apples' }).waitFor();
    await page.locator('.versions', { hasText: '1/3' }).waitFor();
    assert.equal(await tabs(), opened, 'one tab, after all versions and a reload');
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: what is being written goes along to another version, with its files and its model`, async () => {
    world.model.reply = echo;
    const page = await open();
    await begin(page, 'Quinces');
    const field = page.getByLabel('Message', { exact: true });
    const chip = page.locator('mj-composer .chip', { hasText: 'notes.txt' });
    const menu = page.locator('mj-composer select.models');
    await field.fill('half a thought');
    await page.locator('mj-composer input[type=file]').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('milk') });
    await chip.locator('.hint').waitFor();
    const once = (await menu.locator('option').evaluateAll((all) => all.map((one) => one.value))).find((one) => one.startsWith('once:') && one.endsWith('vision'));
    await menu.selectOption(once);
    const still = async (where) => {
      assert.equal(await field.inputValue(), 'half a thought', where);
      await chip.locator('.hint').waitFor();
      assert.equal(await menu.inputValue(), once, where);
    };
    await page.getByLabel('Try again').click();
    await page.locator('.versions', { hasText: '2/2' }).waitFor();
    await still('in the new version');
    await page.getByLabel('Earlier version').click();
    await page.locator('.versions', { hasText: '1/2' }).waitFor();
    await still('in the first one again');
    // And after looking elsewhere.
    await page.locator('.nav a[data-place=agents]').evaluate((link) => link.click());
    await page.locator('mj-agents').waitFor();
    await page.goBack();
    await page.locator('.versions', { hasText: '1/2' }).waitFor();
    await still('after another page');
    await field.fill('half a thought, whole');
    await world.send(page);
    await page.locator('mj-reply', { hasText: 'half a thought, whole' }).waitFor();
    await page.locator('.msg.user', { hasText: 'notes.txt' }).waitFor();
    await chip.waitFor({ state: 'detached' });
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: a message that is being changed stays so when the conversation is left, and after a reload`, async () => {
    world.model.reply = echo;
    const page = await open();
    await begin(page, 'Medlars');
    const mine = page.locator('.msg.user');
    if (size === 'desk') await mine.first().hover();
    await mine.first().getByLabel('Edit', { exact: true }).click();
    const editor = page.getByLabel('Edit your message');
    await editor.fill('Medlars, bletted');
    await page.locator('.nav a[data-place=agents]').evaluate((link) => link.click());
    await page.locator('mj-agents').waitFor();
    await page.goBack();
    await editor.waitFor();
    assert.equal(await editor.inputValue(), 'Medlars, bletted');
    await page.reload();
    await editor.waitFor();
    assert.equal(await editor.inputValue(), 'Medlars, bletted');
    await page.locator('.edit').getByRole('button', { name: 'Cancel' }).click();
    await page.reload();
    await page.locator('mj-reply', { hasText: 'Medlars' }).waitFor();
    assert.equal(await editor.count(), 0, 'what was given up stays so');
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: while a file is uploaded it is said so, and the file can be given up`, async () => {
    world.model.reply = echo;
    const page = await open();
    await begin(page, 'Sloes');
    const held = gate();
    const asked = [];
    await page.route('**/v1/uploads', async (route) => {
      asked.push(route.request());
      await held.passed;
      await route.continue().catch(() => undefined);
    });
    const choose = (name) => page.locator('mj-composer input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('milk') });
    const send = page.locator('mj-composer').getByRole('button', { name: 'Send' });
    await choose('stuck.txt');
    await page.getByLabel('Message', { exact: true }).fill('Look');
    await page.locator('mj-composer').getByText('Uploading…').waitFor();
    assert.equal(await send.isDisabled(), true);
    await page.screenshot({ path: `${SHOTS}uploading-${size}.png` });
    const aborted = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/v1/uploads'));
    await page.getByLabel('Remove stuck.txt').click();
    await aborted;
    await page.locator('mj-composer .chip').waitFor({ state: 'detached' });
    assert.equal(await send.isDisabled(), false);
    await choose('slow.txt');
    await page.locator('mj-composer').getByText('Uploading…').waitFor();
    held.open();
    await page.locator('mj-composer .chip .hint').waitFor();
    await send.click();
    await page.locator('.msg.user', { hasText: 'slow.txt' }).waitFor();
    await page.locator('mj-reply', { hasText: 'Look' }).waitFor();
    await page.unroute('**/v1/uploads');
    assert.equal(asked.length, 2);
    assert.deepEqual(page.problems.filter((one) => !one.includes('ERR_FAILED')), []);
  });

  test(`${size}: on the first page the model and the word about files stay while its person looks elsewhere`, async () => {
    const page = await open();
    await page.goto(world.base);
    const menu = page.locator('mj-begin mj-model-menu select');
    await menu.selectOption('test/scripted-vision');
    await page.locator('mj-begin input[type=file]').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('milk') });
    const tick = page.locator('mj-begin input[type=checkbox]');
    await tick.check();
    await page.locator('.nav a[data-place=agents]').evaluate((link) => link.click());
    await page.locator('mj-agents').waitFor();
    await page.goBack();
    await menu.waitFor();
    assert.equal(await menu.inputValue(), 'test/scripted-vision');
    assert.equal(await tick.isChecked(), true);
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: what is changed of an agent stays when it is archived, and when its page is left`, async () => {
    const page = await open();
    const { id } = await world.api(page, 'POST', '/v1/agents', { name: `kept-${size}` });
    await page.goto(`${world.base}/${id}`);
    const words = page.getByLabel('Instructions (system prompt)');
    await words.fill('Answer in rhymes.');
    await page.getByRole('button', { name: 'Archive agent' }).click();
    await page.getByRole('button', { name: 'Restore agent' }).click();
    await page.getByRole('button', { name: 'Archive agent' }).waitFor();
    assert.equal(await words.inputValue(), 'Answer in rhymes.');
    await page.getByText('Back to all agents').click();
    await words.waitFor({ state: 'detached' });
    await page.goBack();
    await words.waitFor();
    assert.equal(await words.inputValue(), 'Answer in rhymes.');
    await page.getByText('You have unsaved changes.').waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await page.reload();
    await words.waitFor();
    assert.equal(await words.inputValue(), 'Answer in rhymes.');
    assert.equal(await page.getByText('You have unsaved changes.').isVisible(), false);
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: a message that is drawn before its agent is known gets the name of it`, async () => {
    world.model.reply = echo;
    const page = await world.window(browser, options);
    await world.signIn(page);
    await begin(page, 'Damsons');
    const held = gate();
    await page.route('**/v1/agents?*', async (route) => {
      await held.passed;
      await route.continue();
    });
    await page.reload();
    const answers = page.locator('mj-message .models');
    await page.locator('mj-reply', { hasText: 'Damsons' }).waitFor();
    await page.locator('mj-composer').waitFor();
    assert.equal(await answers.count(), 0);
    held.open();
    await page.getByLabel('Answer with another model').waitFor();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test(`${size}: what is being changed of a prompt is not written over from elsewhere`, async () => {
    const page = await open();
    const prompt = await world.api(page, 'POST', '/v1/saved-prompts', { name: `plum_${size}`, content: 'One', description: '' });
    await page.goto(`${world.base}/settings#prompts`);
    const card = page.locator('mj-prompts section', { hasText: `/plum_${size}` });
    await card.getByRole('button', { name: 'Edit' }).click();
    await card.getByLabel('Text').fill('Mine, half written');
    const again = page.waitForResponse((answer) => answer.url().includes('/v1/saved-prompts') && answer.request().method() === 'GET');
    await world.api(page, 'PUT', `/v1/saved-prompts/${prompt.id}`, { name: `plum_${size}`, content: 'Theirs', description: '' });
    await world.api(page, 'POST', '/v1/saved-prompts', { name: `pear_${size}`, content: 'Pear', description: '' });
    await again;
    await page.locator('mj-prompts section', { hasText: `/pear_${size}` }).waitFor();
    assert.equal(await card.getByLabel('Text').inputValue(), 'Mine, half written');
    await card.getByRole('button', { name: 'Save prompt' }).click();
    await page.getByRole('alert').getByText('It says “Theirs” there now.').waitFor();
    assert.equal(await card.getByLabel('Text').inputValue(), 'Mine, half written');
    await card.getByRole('button', { name: 'Save prompt' }).click();
    await card.getByText('Mine, half written').waitFor();
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: a reply names its model, and another model answers in its place`, async () => {
    world.model.reply = async function* (asked) {
      yield `${asked.model} answers ${asked.messages.at(-1).content}`;
    };
    const page = await open();
    await begin(page, 'Plums');
    const wrote = page.locator('.acts .wrote');
    await wrote.filter({ hasText: /^test\/scripted$/ }).waitFor();
    await page.getByLabel('Answer with another model').selectOption('test/scripted-vision');
    await page.locator('.versions', { hasText: '2/2' }).waitFor();
    await page.locator('mj-reply', { hasText: 'scripted-vision answers Plums' }).waitFor();
    await wrote.filter({ hasText: 'test/scripted-vision' }).waitFor();
    const mine = page.locator('.msg.user');
    if (size === 'desk') await mine.first().hover();
    await mine.first().getByLabel('Edit', { exact: true }).click();
    await page.getByLabel('Edit your message').fill('Figs');
    await page.locator('.edit').getByLabel('Model').selectOption('test/scripted-vision');
    await page.screenshot({ path: `${SHOTS}edit-model-${size}.png` });
    await page.locator('.edit').getByRole('button', { name: 'Send' }).click();
    await page.locator('mj-reply', { hasText: 'scripted-vision answers Figs' }).waitFor();
    await world.say(page, 'Dates');
    await page.locator('mj-reply', { hasText: /^scripted answers Dates/ }).waitFor();
    await page.reload();
    await wrote.filter({ hasText: 'test/scripted-vision' }).waitFor();
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: what waits is there after a reload, and is changed or taken back`, async () => {
    const held = gate();
    world.model.reply = async function* (asked) {
      const said = asked.messages.at(-1).content;
      yield `Heard ${said}.`;
      if (said === 'Hold') await held.passed;
    };
    const page = await open();
    await begin(page, 'Hold');
    await world.say(page, 'Milk');
    await world.say(page, 'Bread');
    await page.locator('.outgoing', { hasText: 'Bread' }).getByRole('button', { name: 'Edit' }).waitFor();
    await page.reload();
    await page.locator('.outgoing', { hasText: 'Milk' }).waitFor();
    await page.screenshot({ path: `${SHOTS}queue-${size}.png` });
    await page.locator('.outgoing', { hasText: 'Milk' }).getByRole('button', { name: 'Remove from queue' }).click();
    await page.locator('.outgoing', { hasText: 'Milk' }).waitFor({ state: 'detached' });
    await page.locator('.outgoing', { hasText: 'Bread' }).getByRole('button', { name: 'Edit' }).click();
    await page.locator('.outgoing').waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), 'Bread');
    await world.say(page, 'Butter');
    held.open();
    await page.locator('mj-reply', { hasText: 'Heard Butter.' }).waitFor();
    assert.deepEqual(await page.locator('.msg.user .body').allInnerTexts(), ['Hold', 'Butter']);
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: what the server was too busy for is not sent after it was deleted or rewritten, whatever becomes of the connection`, async () => {
    world.model.reply = echo;
    const page = await world.window(browser, options);
    await world.signIn(page);
    const wire = await world.between(page);
    await begin(page, 'Bananas');
    const unsent = (text) => page.locator('.outgoing', { hasText: text });
    const full = { status: 429, code: 'queue_full', detail: 'Too many messages wait in this conversation.' };
    const leaving = { status: 503, code: 'shutting_down', detail: 'The server is shutting down. Try again in a moment.' };
    wire.refuse = ({ content }) => (content === 'Milk' ? full : content === 'Bread' ? leaving : null);
    await world.say(page, 'Milk');
    await unsent('Milk').getByText('not sent').waitFor();
    await page.screenshot({ path: `${SHOTS}not-sent-${size}.png` });
    await unsent('Milk').getByRole('button', { name: 'Delete unsent message' }).click();
    await world.say(page, 'Bread');
    await unsent('Bread').getByRole('button', { name: 'Edit message' }).click();
    await unsent('Bread').waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), 'Bread');
    wire.refuse = () => null;
    wire.sent.length = 0;
    await wire.cut();
    await wire.back();
    await world.say(page, 'Butter');
    await page.locator('mj-reply', { hasText: 'Butter' }).waitFor();
    assert.deepEqual(wire.sent, ['Butter']);
    assert.deepEqual(await page.locator('.msg.user .body').allInnerTexts(), ['Bananas', 'Butter']);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test(`${size}: Enter ${size === 'desk' ? 'sends, and with Shift it begins a line' : 'begins a line, and a button sends'}`, async () => {
    world.model.reply = echo;
    const page = await open();
    await page.goto(world.base);
    const field = page.locator('mj-begin textarea').or(page.locator('mj-composer textarea'));
    /** Two lines, and what is left in the field when they were sent by the key, or where the key sends nothing. */
    const write = async (one, two) => {
      await field.waitFor();
      await field.fill(one);
      await field.press(size === 'desk' ? 'Shift+Enter' : 'Enter');
      await field.pressSequentially(two);
      assert.equal(await field.inputValue(), `${one}\n${two}`);
      if (size === 'desk') await field.press('Enter');
      else await page.locator('form.compose').getByRole('button', { name: 'Send' }).tap();
      await page.locator('.msg.user', { hasText: `${one}\n${two}` }).waitFor();
      await page.locator('mj-reply', { hasText: two }).waitFor();
    };
    await write('On the', 'first page');
    await write('In a', 'conversation');
    const mine = page.locator('.msg.user').last();
    if (size === 'desk') await mine.hover();
    await mine.getByLabel('Edit', { exact: true }).click();
    const editor = page.getByLabel('Edit your message');
    await editor.fill('Once more');
    await editor.press('Enter');
    if (size === 'phone') {
      assert.equal(await editor.inputValue(), 'Once more\n');
      await page.locator('.edit').getByRole('button', { name: 'Send' }).tap();
    }
    await page.locator('mj-reply', { hasText: 'Once more' }).waitFor();
    assert.equal(await page.locator('.msg.user').count(), 2);
    assert.deepEqual(page.problems, []);
  });
}
