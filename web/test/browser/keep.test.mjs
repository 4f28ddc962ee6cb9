// Finding and keeping: folders, pins, several at once, undo, search, versions, links, files, paper, prompts, tabs, invitations;
// at a desk and on a telephone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, beforeEach, describe, test } from 'node:test';
import { openBrowser, PASSWORD, SHOTS, World } from './world.mjs';

const SIZES = {
  desk: {},
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

for (const [size, options] of Object.entries(SIZES)) describe(size, () => keeping(size, options));

function keeping(size, options) {
  let browser, world, page;
  before(async () => {
    [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  });
  after(async () => {
    await browser?.close();
    await world?.end();
  });
  beforeEach(() => {
    if (page) page.problems.length = 0;
    world.model.reply = async function* (request) {
      const told = JSON.stringify(request?.messages ?? '');
      yield told.includes('no nuts') ? 'No nuts then.' : 'Fine.';
    };
  });

  const shot = (name, of = page) => of.screenshot({ path: `${SHOTS}keep-${name}-${size}.png` });
  const side = () => page.locator('mj-side');
  const item = (name) => side().locator('.item', { hasText: name });
  /** On a telephone the list is a drawer. */
  const openSide = async () => {
    if (size === 'phone' && (await page.locator('.open-side').count()) === 0) await page.getByRole('button', { name: 'Conversations and pages' }).click();
  };
  const closeSide = async () => {
    if (size === 'phone' && (await page.locator('.open-side').count()) > 0) await page.locator('.veil').click({ position: { x: 370, y: 400 } });
  };
  const act = async (name, action, of = item(name).first()) => {
    await openSide();
    await of.hover();
    await of.getByRole('button', { name: /^Actions for/ }).click();
    await side().locator('.menu').getByRole('button', { name: action, exact: true }).click();
  };
  /** What a browser says of requests that cannot leave is no fault of the page. */
  const online = async (is) => {
    await page.context().setOffline(!is);
    if (!is) return;
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    page.problems = page.problems.filter((problem) => !problem.includes('ERR_INTERNET_DISCONNECTED'));
  };
  const search = async (words) => {
    await openSide();
    await side().getByLabel('Search conversations').fill(words);
  };
  const say = async (words) => {
    await closeSide();
    await world.say(page, words);
  };

  /** A conversation of this name, in which these words were said. */
  async function talk(name, words = 'Hello') {
    await closeSide();
    await world.converse(page);
    const id = new URL(page.url()).pathname.slice(1);
    await say(words);
    await page.locator('mj-conversation mj-reply').first().getByText(/Fine|nuts/).first().waitFor();
    await world.api(page, 'PATCH', `/v1/sessions/${id}`, { name });
    await item(name).first().waitFor({ state: 'attached' });
    return id;
  }

  test('a server without an owner says where its set-up link is', async () => {
    const visitor = await world.window(browser, options);
    await visitor.goto(world.base);
    await visitor.getByRole('heading', { name: 'Set up this server' }).waitFor();
    await visitor.getByText('setup-link').first().waitFor();
    await shot('no-owner', visitor);
    assert.deepEqual(visitor.problems, []);
    world.found();
    page = await world.window(browser, { permissions: ['clipboard-read', 'clipboard-write'], locale: 'en-GB', acceptDownloads: true, ...options });
    await world.signIn(page);
  });

  test('a folder has instructions that the agent is told, and a conversation is in at most one', async () => {
    await talk('Soup');
    await openSide();
    await side().getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Kitchen');
    await page.getByLabel('Instructions').fill('We eat no nuts.');
    await shot('folder');
    await page.getByRole('button', { name: 'Save folder' }).click();
    await side().locator('.folder', { hasText: 'Kitchen' }).waitFor();
    await act('Soup', 'Move to…');
    await side().locator('.menu').getByRole('button', { name: 'Kitchen' }).click();
    await side().locator('.folder .name', { hasText: 'Kitchen' }).click();
    await side().locator('.folder ul .item', { hasText: 'Soup' }).waitFor();
    await say('And now?');
    await page.locator('mj-reply').getByText('No nuts then.').waitFor();
    await shot('side');
    assert.deepEqual(page.problems, []);
  });

  test('two windows change one folder, and the second is told', async () => {
    const [folder] = (await world.api(page, 'GET', '/v1/folders')).items;
    const head = side().locator('.folder', { hasText: 'Kitchen' });
    await openSide();
    await head.locator('.top').hover();
    await head.getByRole('button', { name: 'Actions for Kitchen' }).click();
    await side().getByRole('button', { name: 'Edit folder' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Pantry');
    await world.api(page, 'PATCH', `/v1/folders/${folder.id}`, { name: 'Cellar' });
    await page.getByRole('button', { name: 'Save folder' }).click();
    await page.getByRole('alert').getByText('It is called “Cellar” there now').waitFor();
    assert.equal((await world.api(page, 'GET', `/v1/folders/${folder.id}`)).name, 'Cellar', 'nothing was lost');
    await page.getByRole('button', { name: 'Save folder' }).click();
    await side().locator('.folder', { hasText: 'Pantry' }).waitFor();
    assert.deepEqual(page.problems, []);
  });

  test('a folder has files, which the agent reads in each of its conversations', async () => {
    world.model.reply = async function* (request) {
      yield JSON.stringify(request?.messages ?? '').includes('behind the clock') ? 'Behind the clock.' : 'I do not know.';
    };
    const edit = async () => {
      const head = side().locator('.folder', { hasText: 'Pantry' });
      await openSide();
      await head.locator('.top').hover();
      await head.getByRole('button', { name: 'Actions for Pantry' }).click();
      await side().getByRole('button', { name: 'Edit folder' }).click();
    };
    await edit();
    const files = page.locator('mj-folder-files');
    await files.locator('input[type=file]').setInputFiles([{ name: 'house.txt', mimeType: 'text/plain', buffer: Buffer.from('The cellar key hangs behind the clock.') }]);
    await files.locator('li', { hasText: 'house.txt' }).waitFor();
    assert.equal(await files.getByText('made by you').count(), 0, 'others wrote it unless its person says otherwise');
    await shot('folder-files');
    await page.getByRole('button', { name: 'Save folder' }).click();
    await files.waitFor({ state: 'detached' });
    await openSide();
    await side().locator('.folder ul .item', { hasText: 'Soup' }).locator('a').click();
    await say('Where is the key?');
    await page.locator('mj-reply').getByText('Behind the clock.').waitFor();
    await edit();
    await files.getByRole('button', { name: 'Remove house.txt' }).click();
    await files.locator('li').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save folder' }).click();
    await files.waitFor({ state: 'detached' });
    await say('And now?');
    await page.locator('mj-reply').getByText('I do not know.').waitFor();
    assert.deepEqual(page.problems, []);
  });

  test('a conversation is pinned, in its folder all the same, deleted in one step, and taken back', async () => {
    await talk('Bread');
    await talk('Butter');
    await act('Bread', 'Pin');
    await side().getByRole('heading', { name: 'Pinned' }).waitFor();
    await act('Bread', 'Move to…');
    await side().locator('.menu').getByRole('button', { name: 'Pantry' }).click();
    const inFolder = side().locator('.folder ul .item', { hasText: 'Bread' });
    await inFolder.waitFor();
    assert.equal(await item('Bread').count(), 2, 'above and in its folder');
    await act('Bread', 'Rename', inFolder);
    assert.equal(await side().locator('input[name=name]').count(), 1, 'one of them is renamed');
    await side().locator('input[name=name]').press('Escape');
    await act('Bread', 'Delete');
    await item('Bread').first().waitFor({ state: 'detached' });
    await act('Butter', 'Delete');
    // The second deletion leaves the way back of the first.
    const undo = (name) => page.locator('.undo', { hasText: `“${name}” was deleted.` });
    await undo('Butter').waitFor();
    await shot('undo');
    await closeSide();
    await undo('Bread').getByRole('button', { name: 'Undo' }).click();
    await undo('Bread').waitFor({ state: 'detached' });
    await item('Bread').first().waitFor({ state: 'attached' });
    // Where the server does not answer, the way back stays.
    await online(false);
    await undo('Butter').getByRole('button', { name: 'Undo' }).click();
    await page.locator('.trouble').getByText('The server does not answer.').waitFor();
    await online(true);
    await undo('Butter').getByRole('button', { name: 'Undo' }).click();
    await item('Butter').first().waitFor({ state: 'attached' });
    await page.reload();
    await openSide();
    await item('Bread').first().locator('a').click();
    await page.locator('mj-conversation').getByText('Fine.').first().waitFor();
    assert.deepEqual(page.problems, []);
  });

  test('what was deleted elsewhere while the connection was lost is gone from the list, and a new folder is there', async () => {
    const id = await talk('Fleeting');
    const other = await page.context().newPage();
    await other.goto(world.base);
    await other.locator('mj-side .brand').waitFor({ state: 'attached' });
    // The connection of the first window alone is cut, until it may come back.
    let [down, cut] = [false, null];
    await page.routeWebSocket(/\/ws$/, (socket) => {
      if (down) return void socket.close();
      socket.connectToServer();
      cut = () => socket.close();
    });
    await page.reload();
    await item('Fleeting').first().waitFor({ state: 'attached' });
    await page.locator('.lost').waitFor({ state: 'detached' });
    down = true;
    await cut();
    await page.locator('.lost').waitFor();
    await world.api(other, 'DELETE', `/v1/sessions/${id}`);
    assert.ok((await item('Fleeting').count()) > 0, 'it has not heard of it');
    down = false;
    await page.locator('.lost').waitFor({ state: 'detached' });
    await item('Fleeting').first().waitFor({ state: 'detached' });
    // The other window of this browser makes a folder.
    if (size === 'phone') await other.getByRole('button', { name: 'Conversations and pages' }).click();
    await other.locator('mj-side').getByRole('button', { name: 'New folder' }).click();
    await other.getByLabel('Name', { exact: true }).fill('From elsewhere');
    await other.getByRole('button', { name: 'Save folder' }).click();
    await side().locator('.folder', { hasText: 'From elsewhere' }).waitFor({ state: 'attached' });
    await other.close();
  });

  test('folders, pins and prompts of another device are seen at once', async () => {
    const id = await talk('Pinned there');
    const device = await world.window(browser, SIZES[size]);
    await world.signIn(device);
    await page.goto(`${world.base}/settings#prompts`);
    await page.getByRole('heading', { name: 'Prompts' }).waitFor();
    const { id: folder } = await world.api(device, 'POST', '/v1/folders', { name: 'From the other device', instructions: '' });
    await side().locator('.folder', { hasText: 'From the other device' }).waitFor({ state: 'attached' });
    const prompt = await world.api(device, 'POST', '/v1/saved-prompts', { name: 'from_there', content: 'Hello', description: '' });
    await page.locator('mj-prompts').getByText('/from_there').waitFor();
    await world.api(device, 'PATCH', `/v1/sessions/${id}`, { pinned: true, folder_id: folder });
    await side().locator('.folder', { hasText: 'From the other device' }).waitFor({ state: 'attached' });
    await world.api(device, 'DELETE', `/v1/saved-prompts/${prompt.id}`);
    await page.locator('mj-prompts').getByText('/from_there').waitFor({ state: 'detached' });
    await world.api(device, 'DELETE', `/v1/folders/${folder}`);
    await side().locator('.folder', { hasText: 'From the other device' }).waitFor({ state: 'detached' });
    await device.context().close();
  });

  /** Is the first of the marked words in sight? */
  const wordInSight = () =>
    page.waitForFunction(() => {
      const [range] = CSS.highlights.get('sought') ?? [];
      const scroll = document.querySelector('mj-conversation .scroll');
      if (!range || !scroll) return false;
      const [word, box] = [range.getBoundingClientRect(), scroll.getBoundingClientRect()];
      return /marmalade/i.test(String(range)) && word.height > 0 && word.top >= box.top && word.bottom <= box.bottom;
    });

  test('several are archived at once, and a search finds what is archived, marks it and opens there', async () => {
    const old = await talk('Long ago');
    const lines = (count) => Array.from({ length: count }, (_, at) => `Line ${at}`).join('\n\n');
    world.model.reply = async function* () {
      yield `Fine.\n\n${lines(120)}\n\nThe word is **marma**lade, of all things.\n\n${lines(120)}`;
    };
    await say('Tell me at length');
    await page.locator('mj-conversation mj-reply').last().getByText('Line 119').nth(1).waitFor({ state: 'attached' });
    world.model.reply = async function* () {
      yield 'Fine.';
    };
    for (let at = 0; at < 3; at += 1) await world.api(page, 'POST', `/v1/sessions/${old}/messages`, { content: `Filler ${at}\n${'line\n'.repeat(60)}` });
    await talk('Other');
    await openSide();
    await side().getByRole('button', { name: 'Select' }).click();
    await item('Long ago').getByRole('checkbox').check();
    await item('Other').getByRole('checkbox').check();
    await shot('several');
    const several = side().getByRole('toolbar', { name: 'Selected conversations' });
    await several.getByRole('button', { name: 'Archive' }).click();
    await item('Long ago').waitFor({ state: 'detached' });
    // The open one was among them: what is shown instead closes the list on a telephone, and it is opened again.
    await several.waitFor({ state: 'detached' });
    await search('lade, of');
    const found = side().locator('.item', { hasText: 'Long ago' });
    await found.locator('mark', { hasText: /lade/i }).first().waitFor();
    await found.getByText('archived').waitFor();
    await shot('search');
    await search('MARMA');
    await found.locator('mark', { hasText: 'marma' }).waitFor();
    await search('marma things');
    await found.locator('a').click();
    await page.locator('mj-message.sought', { hasText: 'Tell me' }).or(page.locator('mj-message.sought', { hasText: 'The word is' })).first().waitFor();
    await page.waitForFunction(() => {
      const [range] = CSS.highlights.get('sought') ?? [];
      const box = document.querySelector('mj-conversation .scroll')?.getBoundingClientRect();
      const word = range?.getBoundingClientRect();
      return word && box && word.height > 0 && word.top >= box.top && word.bottom <= box.bottom;
    });
    await shot('found');
    const row = side().locator('.item.on', { hasText: 'Long ago' });
    const colour = (node) => getComputedStyle(node).backgroundColor;
    assert.notEqual(await row.locator('mark').first().evaluate(colour), await row.locator('a').evaluate(colour), 'a mark is seen on the row that is open');
    await search('zebra');
    await side().getByText('No conversation mentions “zebra”.').waitFor();
    await search('');
    assert.deepEqual(page.problems, []);
  });

  test('several are pinned, moved and deleted at once, and one press takes the deletion back', async () => {
    const ids = [await talk('Plum'), await talk('Pear'), await talk('Peach')];
    const { id: folder } = await world.api(page, 'POST', '/v1/folders', { name: 'Orchard', instructions: '' });
    await side().locator('.folder', { hasText: 'Orchard' }).waitFor({ state: 'attached' });
    const several = side().getByRole('toolbar', { name: 'Selected conversations' });
    const all = async (names, action, then) => {
      await openSide();
      await side().getByRole('button', { name: 'Select' }).click();
      for (const name of names) await item(name).first().getByRole('checkbox').check();
      await several.getByText(`${names.length} selected`).waitFor();
      await several.getByRole('button', { name: action, exact: true }).click();
      if (then) await several.getByRole('button', { name: then }).click();
      await several.waitFor({ state: 'detached' });
    };
    const stored = () => Promise.all(ids.map((id) => world.api(page, 'GET', `/v1/sessions/${id}`)));
    await all(['Plum', 'Pear'], 'Pin');
    assert.deepEqual((await stored()).map((one) => Boolean(one.pinned)), [true, true, false]);
    await all(['Plum', 'Peach'], 'Move to…', 'Orchard');
    assert.deepEqual((await stored()).map((one) => one.folder_id ?? null), [folder, null, folder]);
    await side().locator('.folder .name', { hasText: 'Orchard' }).click();
    await side().locator('.folder', { hasText: 'Orchard' }).locator('ul .item', { hasText: 'Peach' }).waitFor();
    await all(['Plum', 'Pear', 'Peach'], 'Delete');
    for (const name of ['Plum', 'Pear', 'Peach']) await item(name).first().waitFor({ state: 'detached' });
    const undo = page.locator('.undo', { hasText: '3 conversations were deleted.' });
    await undo.waitFor();
    await shot('several-undo');
    await closeSide();
    await undo.getByRole('button', { name: 'Undo' }).click();
    await undo.waitFor({ state: 'detached' });
    for (const name of ['Plum', 'Pear', 'Peach']) await item(name).first().waitFor({ state: 'attached' });
    assert.deepEqual((await stored()).map((one) => [Boolean(one.pinned), one.folder_id ?? null]), [[true, folder], [true, null], [false, folder]], 'as they were');
    assert.deepEqual(page.problems, []);
  });

  test('a folder that was deleted is taken back with its conversations, archived ones too', async () => {
    const { id: folder } = await world.api(page, 'POST', '/v1/folders', { name: 'Cellar', instructions: 'Mind the steps.' });
    const ids = [await talk('Cider'), await talk('Old cider')];
    for (const id of ids) await world.api(page, 'PATCH', `/v1/sessions/${id}`, { folder_id: folder });
    await world.api(page, 'POST', `/v1/sessions/${ids[1]}/archive`);
    await act('Cellar', 'Delete folder', side().locator('.folder .top', { hasText: 'Cellar' }));
    await side().locator('.folder', { hasText: 'Cellar' }).waitFor({ state: 'detached' });
    assert.equal((await world.api(page, 'GET', `/v1/sessions/${ids[0]}`)).folder_id ?? null, null);
    const undo = page.locator('.undo', { hasText: '“Cellar” was deleted.' });
    await closeSide();
    await undo.getByRole('button', { name: 'Undo' }).click();
    await undo.waitFor({ state: 'detached' });
    await side().locator('.folder', { hasText: 'Cellar' }).waitFor({ state: 'attached' });
    const back = (await world.api(page, 'GET', '/v1/folders')).items.find((one) => one.name === 'Cellar');
    assert.equal(back.instructions, 'Mind the steps.');
    for (const id of ids) assert.equal((await world.api(page, 'GET', `/v1/sessions/${id}`)).folder_id, back.id);
    // Its files cannot come back: this is asked before.
    const upload = await page.evaluate(async () => {
      const form = new FormData();
      form.append('file', new File(['Port and sherry'], 'bottles.txt'));
      return (await fetch('/v1/uploads', { method: 'POST', body: form })).json();
    });
    await world.api(page, 'POST', `/v1/folders/${back.id}/files`, { upload_id: upload.id, own: false });
    const asked = new Promise((told) => page.once('dialog', (dialog) => void dialog.dismiss().then(() => told(dialog.message()))));
    await act('Cellar', 'Delete folder', side().locator('.folder .top', { hasText: 'Cellar' }));
    assert.match(await asked, /Delete the folder “Cellar” and its files\?/);
    assert.ok((await world.api(page, 'GET', '/v1/folders')).items.some((one) => one.id === back.id));
    assert.deepEqual(page.problems, []);
  });

  test('a saved prompt that was deleted is taken back, and of two windows that change one the second is told', async () => {
    const { id } = await world.api(page, 'POST', '/v1/saved-prompts', { name: 'shopping', content: 'What is missing?', description: 'For Saturdays' });
    await page.goto(`${world.base}/settings#prompts`);
    const card = page.locator('mj-prompts section', { hasText: '/shopping' });
    await card.getByRole('button', { name: 'Edit', exact: true }).click();
    await card.locator('textarea').fill('What do we need?');
    await world.api(page, 'PUT', `/v1/saved-prompts/${id}`, { name: 'shopping', content: 'What was forgotten?', description: '' });
    await card.getByRole('button', { name: 'Save prompt' }).click();
    await page.getByRole('alert').getByText('This prompt was changed in another window. It says “What was forgotten?” there now.').waitFor();
    const stored = async () => (await world.api(page, 'GET', '/v1/saved-prompts')).items.filter((one) => one.name === 'shopping').map((one) => [one.content, one.description]);
    assert.deepEqual(await stored(), [['What was forgotten?', '']], 'nothing was lost');
    assert.equal(await card.locator('textarea').inputValue(), 'What do we need?');
    await card.getByRole('button', { name: 'Save prompt' }).click();
    await card.locator('.plain', { hasText: 'What do we need?' }).waitFor();
    assert.deepEqual(await stored(), [['What do we need?', 'For Saturdays']]);
    await card.getByRole('button', { name: 'Delete', exact: true }).click();
    await card.waitFor({ state: 'detached' });
    const undo = page.locator('.undo', { hasText: '“/shopping” was deleted.' });
    await shot('prompt-undo');
    await undo.getByRole('button', { name: 'Undo' }).click();
    await card.waitFor();
    assert.deepEqual(await stored(), [['What do we need?', 'For Saturdays']]);
    await world.api(page, 'DELETE', `/v1/saved-prompts/${(await world.api(page, 'GET', '/v1/saved-prompts')).items.find((one) => one.name === 'shopping').id}`);
    assert.deepEqual(page.problems, []);
  });

  test('a search says that it runs, and finds more than a page', async () => {
    const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
    for (let at = 0; at < 55; at += 1) await world.api(page, 'POST', '/v1/sessions', { agent_id: main.id, name: `Turnip ${at}` });
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await page.route(/search=turnip/, async (route) => {
      await held;
      await route.continue();
    });
    await search('turnip');
    await side().getByText('Searching…').waitFor();
    assert.equal(await side().getByText('No conversation mentions').count(), 0);
    release();
    await side().locator('.item').nth(49).waitFor();
    assert.equal(await side().locator('.item').count(), 50);
    await side().getByRole('button', { name: 'Show more' }).click();
    await side().locator('.item').nth(54).waitFor();
    assert.equal(await side().getByRole('button', { name: 'Show more' }).count(), 0);
    await page.unroute(/search=turnip/);
    // All that are shown are chosen at once, and restored from the archive at once.
    await search('');
    await side().getByRole('button', { name: 'Select' }).click();
    const several = side().getByRole('toolbar', { name: 'Selected conversations' });
    await several.getByRole('button', { name: 'Select all' }).click();
    await several.getByRole('button', { name: 'Cancel' }).click();
    const ids = (await world.api(page, 'GET', '/v1/sessions?search=turnip&limit=100')).items.map((one) => one.id);
    await world.api(page, 'POST', '/v1/sessions/batch', { ids, action: 'archive' });
    await item('Turnip').first().waitFor({ state: 'detached' });
    await side().getByRole('button', { name: 'Archived conversations', exact: true }).click();
    await item('Turnip').nth(40).waitFor();
    await side().getByRole('button', { name: 'Show older archived conversations' }).click();
    await item('Turnip').nth(54).waitFor();
    await side().getByRole('button', { name: 'Select' }).click();
    for (const name of ['Turnip 3', 'Turnip 4']) await side().locator('.item', { has: page.getByText(name, { exact: true }) }).getByRole('checkbox').check();
    await several.getByRole('button', { name: 'Restore' }).click();
    await several.waitFor({ state: 'detached' });
    const restored = (await world.api(page, 'GET', '/v1/sessions?limit=100')).items.map((one) => one.name).filter((name) => name?.startsWith('Turnip'));
    assert.deepEqual(restored.sort(), ['Turnip 3', 'Turnip 4']);
    await side().getByRole('button', { name: 'Archived conversations', exact: true }).click();
    assert.deepEqual(page.problems, []);
  });

  test('versions are one entry: it keeps its name, pin and folder, and is found once', async () => {
    const first = await talk('Jam', 'I like marmalade');
    await page.locator('mj-message', { hasText: 'I like marmalade' }).hover();
    await page.locator('mj-message', { hasText: 'I like marmalade' }).getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Edit your message').fill('I like honey');
    await page.locator('form.edit').getByRole('button', { name: 'Send' }).click();
    await page.locator('mj-message', { hasText: 'I like honey' }).waitFor();
    await page.locator('mj-reply').getByText('Fine.').waitFor();
    await act('Jam', 'Move to…');
    await side().locator('.menu').getByRole('button', { name: 'Pantry' }).click();
    const inFolder = side().locator('.folder ul .item', { hasText: 'Jam' });
    await inFolder.waitFor();
    await closeSide();
    await page.getByRole('button', { name: 'Earlier version' }).click();
    await page.locator('mj-message', { hasText: 'I like marmalade' }).waitFor();
    await openSide();
    await inFolder.waitFor();
    assert.equal(await item('Jam').count(), 1);
    await act('Jam', 'Pin');
    await side().getByRole('heading', { name: 'Pinned' }).waitFor();
    const field = page.getByLabel('Message', { exact: true });
    await field.fill('half a thought');
    // What only the version says that is in no list is found, once, and opening it shows that version, with what is being written.
    await search('honey');
    await side().locator('.item mark').first().waitFor();
    assert.equal(await side().locator('.item').count(), 1);
    await side().locator('.item a').click();
    await page.locator('mj-message', { hasText: 'I like honey' }).waitFor();
    await page.waitForFunction(() => String([...(CSS.highlights.get('sought') ?? [])][0]) === 'honey');
    await page.waitForFunction(() => document.querySelector('mj-composer textarea').value === 'half a thought');
    await field.fill('');
    await search('');
    await openSide();
    const shown = async () => (await world.api(page, 'GET', '/v1/sessions?limit=100')).items.filter((one) => one.name === 'Jam');
    await side().getByRole('heading', { name: 'Pinned' }).waitFor();
    const [entry, ...others] = await shown();
    assert.deepEqual([others.length, entry.pinned, entry.id !== first], [0, true, true]);
    assert.equal(await page.locator('.tab', { hasText: 'Jam' }).count(), 1, 'one tab');
    await search('marmalade');
    await side().locator('.item mark').first().waitFor();
    await side().locator('.item', { hasText: 'Jam' }).locator('a').click();
    await wordInSight();
    await search('');
    await closeSide();
    assert.deepEqual(page.problems, []);
  });

  test('a long conversation is printed whole, and nothing is printed where it cannot be loaded', async () => {
    const id = await talk('For paper', 'The very first line');
    for (let at = 0; at < 30; at += 1) await world.api(page, 'POST', `/v1/sessions/${id}/messages`, { content: `Number ${at} of the story` });
    await page.reload();
    await page.locator('mj-message', { hasText: 'Number 29 of the story' }).waitFor();
    assert.equal(await page.getByText('The very first line').count(), 0, 'only its end is on the page');
    await page.evaluate(() => (window.print = () => (window.printed = document.querySelectorAll('mj-message').length)));
    const menu = page.locator('mj-conversation-menu');
    const print = async () => {
      await menu.getByRole('button', { name: 'Share or download this conversation' }).click();
      await menu.getByRole('button', { name: 'Print or save as PDF' }).click();
    };
    await online(false);
    await print();
    await page.locator('.trouble').getByText('Nothing was printed').waitFor();
    assert.equal(await page.evaluate(() => window.printed), undefined);
    await online(true);
    await print();
    await page.waitForFunction(() => window.printed > 0);
    assert.equal(await page.evaluate(() => window.printed), 62);
    await page.emulateMedia({ media: 'print' });
    const cut = await page.evaluate(() => [...document.querySelectorAll('.app, .main, .scroll, .msg')].filter((node) => getComputedStyle(node).overflowY !== 'visible').length);
    assert.equal(cut, 0, 'nothing scrolls on paper');
    const pdf = await page.pdf({ format: 'A4' });
    await page.emulateMedia({ media: null });
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    await page.waitForFunction(() => document.querySelectorAll('mj-message').length < 62);
    // The program reads its own paper: every message is on it.
    const upload = await page.evaluate(async (bytes) => {
      const form = new FormData();
      form.append('file', new File([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))], 'paper.pdf', { type: 'application/pdf' }));
      return (await fetch('/v1/uploads', { method: 'POST', body: form })).json();
    }, pdf.toString('base64'));
    await world.api(page, 'POST', `/v1/sessions/${id}/messages`, { content: 'Read this', attachments: [{ upload_id: upload.id }] });
    const told = JSON.stringify(world.model.requests.at(-1).messages.at(-1));
    for (const words of ['The very first line', 'Number 0 of the story', 'Number 29 of the story']) assert.ok(told.replace(/\s+/g, ' ').includes(words), words);
    assert.deepEqual(page.problems, []);
  });

  test('a conversation is downloaded, and shown to another person until the link is revoked', async () => {
    world.model.reply = async function* () {
      yield 'Fine. <hml-prompt id="eggs">How many eggs?</hml-prompt>';
    };
    const id = await talk('For others');
    assert.equal(await page.locator('hml-prompt').evaluate((prompt) => prompt.inert), false);
    const menu = page.locator('mj-conversation-menu');
    await menu.getByRole('button', { name: 'Share or download this conversation' }).click();
    const [file] = await Promise.all([page.waitForEvent('download'), menu.getByRole('link', { name: 'Download as Markdown' }).click()]);
    assert.equal(file.suggestedFilename(), 'For others.md');
    const text = readFileSync(await file.path(), 'utf8');
    assert.match(text, /# For others[\s\S]*## You · \d+ \w+ \d{4}, \d\d:\d\d[\s\S]*Hello[\s\S]*Fine\./);
    await menu.getByRole('button', { name: 'Share or download this conversation' }).click();
    const [json] = await Promise.all([page.waitForEvent('download'), menu.getByRole('link', { name: 'Download as JSON' }).click()]);
    assert.equal(json.suggestedFilename(), 'For others.json');
    const whole = JSON.parse(readFileSync(await json.path(), 'utf8'));
    assert.deepEqual([whole.session.id, whole.messages.map((one) => one.role)], [id, ['user', 'assistant']]);
    await menu.getByRole('button', { name: 'Share or download this conversation' }).click();
    await menu.getByRole('button', { name: 'Share with people of this server' }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    const url = await page.getByLabel('Link', { exact: true }).inputValue();
    await shot('share');
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await world.api(page, 'POST', `/v1/sessions/${id}/messages`, { content: 'A later secret' });

    await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
    await world.api(page, 'POST', '/v1/users', { name: 'bob', role: 'guest', password: PASSWORD });
    const bob = await world.window(browser, { ...options, locale: 'de-AT', timezoneId: 'Europe/Vienna' });
    await bob.goto(world.base);
    await bob.locator('input[name=name]').fill('bob');
    await bob.locator('input[name=password]').fill(PASSWORD);
    await bob.locator('form button').click();
    await bob.locator('.nav').waitFor({ state: 'attached' });
    const me = await world.api(bob, 'GET', '/v1/me');
    assert.deepEqual([me.language, me.time_zone], ['de-AT', 'Europe/Vienna'], 'the first sign-in takes them from the browser');
    await bob.goto(url);
    await bob.getByText(/Geteilt von ada/).waitFor();
    await bob.locator('mj-shared mj-reply').getByText('Fine.').waitFor();
    assert.equal(await bob.getByText('A later secret').count(), 0);
    await bob.locator('hml-prompt[inert] input').waitFor();
    await shot('shared', bob);
    // Why a reply failed is not what the agent said.
    world.model.reply = async function* () {
      yield { fail: 400 };
    };
    await page.goto(`${world.base}/${id}`);
    await world.say(page, 'And now?');
    await page.locator('mj-conversation .notice').waitFor();
    const failed = await world.api(page, 'POST', `/v1/sessions/${id}/links`);
    await bob.goto(`${world.base}/shared_${failed.secret}`);
    await bob.locator('mj-shared .notice').getByText('Die Antwort ist fehlgeschlagen').waitFor();
    assert.equal(await bob.locator('mj-shared mj-reply', { hasText: 'I could not' }).count(), 0);
    await shot('shared-failed', bob);
    await world.api(page, 'DELETE', `/v1/links/${failed.id}`);
    await bob.goto(url);
    await bob.getByText(/Geteilt von ada/).waitFor();
    const [link] = (await world.api(page, 'GET', `/v1/sessions/${id}/links`)).items;
    await world.api(page, 'DELETE', `/v1/links/${link.id}`);
    await bob.reload();
    await bob.getByRole('alert').getByText(/Dieser Link zeigt nichts/).waitFor();
    assert.deepEqual([...page.problems, ...bob.problems], []);
  });

  test('a prompt of one’s own is listed and sent by its name', async () => {
    await page.goto(`${world.base}/settings#prompts`);
    await page.locator('mj-prompts input[name=name]').fill('translate');
    await page.locator('mj-prompts textarea[name=content]').fill('Into Greek: {{text}}');
    await page.getByRole('button', { name: 'Save prompt' }).click();
    await page.locator('mj-prompts').getByText('/translate').first().waitFor();
    await shot('prompts');
    await page.goto(`${world.base}/settings#account`);
    await page.locator('textarea[name=about_me]').fill('I keep bees.');
    await page.getByRole('button', { name: 'Save this text' }).click();
    await page.locator('section', { has: page.locator('textarea[name=about_me]') }).getByRole('status').getByText('Saved.').waitFor();
    await world.converse(page);
    await page.getByLabel('Message', { exact: true }).fill('/tr');
    await page.locator('.completion').getByText('translate').first().waitFor();
    assert.match(await page.locator('.completion li').first().innerText(), /^\/translate/, 'what the person wrote comes first');
    assert.match(await page.locator('.completion li', { hasText: '/trust' }).innerText(), /^\/trust\s+[^A-Z]*[A-Z]?[a-z]/, 'without the number that the page fills in');
    await say('/translate good morning');
    await page.locator('.msg.user').getByText('Into Greek: good morning').waitFor();
    await page.locator('mj-reply').first().waitFor();
    assert.match(JSON.stringify(world.model.requests.at(-1).messages), /I keep bees/);
    assert.deepEqual(page.problems, []);
  });

  test('many tabs keep their names, are all in a list, and the others are closed at once', async () => {
    for (const name of ['A conversation with a rather long name', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Eighth']) {
      await world.converse(page);
      await world.api(page, 'PATCH', `/v1/sessions/${new URL(page.url()).pathname.slice(1)}`, { name });
    }
    await page.locator('.tab', { hasText: 'Eighth' }).waitFor();
    const widths = await page.locator('.tabs .tab:not(.add)').evaluateAll((tabs) => tabs.map((tab) => tab.getBoundingClientRect().width));
    assert.ok(Math.min(...widths) >= 130, `a name stays readable: ${Math.min(...widths)}`);
    await page.getByRole('button', { name: /^All open conversations/ }).click();
    await page.locator('.drop').getByRole('link', { name: 'Second' }).waitFor();
    await shot('tabs');
    await page.getByRole('button', { name: 'Close the other tabs' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.tabs .tab:not(.add)').length === 1);
    await page.locator('.tab.on', { hasText: 'Eighth' }).waitFor();
    assert.deepEqual(page.problems, []);
  });

  test('a person is invited by a link, and chooses a new password by another', async () => {
    await page.goto(`${world.base}/people`);
    await page.getByRole('button', { name: 'Create invitation' }).click();
    const asked = page.locator('mj-confirm');
    await Promise.race([asked.waitFor(), page.locator('.fresh').waitFor()]);
    if (await asked.count()) {
      await asked.getByLabel('Password').fill(PASSWORD);
      await asked.getByRole('button', { name: 'Continue' }).click();
    }
    const url = await page.locator('.fresh').getByLabel('Link').inputValue();
    await shot('invite');
    const carl = await world.window(browser, { ...options, locale: 'en-GB' });
    await carl.goto(url);
    await carl.getByText('ada invites you to this server as member.').waitFor();
    assert.ok(!carl.url().includes(url.split('#')[1]), 'the secret leaves the address');
    await carl.getByLabel('Name', { exact: true }).fill('carl');
    await carl.getByLabel('Password').fill(PASSWORD);
    await shot('join', carl);
    await carl.getByRole('button', { name: 'Create account' }).click();
    await carl.getByRole('heading', { name: /Good to see you, carl/ }).waitFor();
    const second = await world.window(browser, options);
    await second.goto(url);
    await second.getByRole('alert').getByText(/already used/).waitFor();
    await page.reload();
    await page.getByRole('row', { name: /carl/ }).getByRole('button', { name: 'New password link' }).click();
    await page.locator('.fresh', { hasText: 'New password for carl' }).waitFor();
    const reset = await page.locator('.fresh').getByLabel('Link').inputValue();
    await second.goto('about:blank');
    await second.goto(reset);
    await second.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    await second.getByLabel('Password').fill('another long password');
    await second.getByRole('button', { name: 'Save password' }).click();
    await second.getByRole('heading', { name: /Good to see you, carl/ }).waitFor();
    assert.deepEqual([...page.problems, ...carl.problems, ...second.problems], []);
  });

  test('the audit log and the usage are read in sentences and names, and saved as tables', async () => {
    await page.goto(`${world.base}/audit`);
    await page.getByText('carl signed in.').first().waitFor();
    await page.locator('mj-audit .filters select').last().selectOption({ label: 'Invitations' });
    await page.getByText('ada created an invitation or a password link.').first().waitFor();
    assert.equal(await page.getByText('carl signed in.').count(), 0);
    await shot('audit');
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download as CSV' }).click()]);
    const text = readFileSync(await file.path(), 'utf8');
    assert.match(text, /invitation\.created,ada created an invitation/);
    assert.ok(!text.includes('login.succeeded'), 'as it is filtered');
    await page.goto(`${world.base}/usage`);
    await page.getByRole('heading', { name: 'By conversation' }).waitFor();
    await page.locator('mj-usage').getByText('Soup').first().waitFor();
    await shot('usage');
    const [usage] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download as CSV' }).click()]);
    assert.match(readFileSync(await usage.path(), 'utf8'), /^\ufeff?by,key,name,requests/);
    assert.deepEqual(page.problems, []);
  });
}
