// Finding and keeping: folders, pins, several at once, undo, search, links, files, prompts, tabs, invitations.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, beforeEach, test } from 'node:test';
import { openBrowser, PASSWORD, SHOTS, World } from './world.mjs';

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

const side = () => page.locator('mj-side');
const item = (name) => side().locator('.item', { hasText: name });
const act = async (name, action) => {
  await item(name).first().hover();
  await item(name).first().getByRole('button', { name: /^Actions for/ }).click();
  await side().locator('.menu').getByRole('button', { name: action, exact: true }).click();
};

/** A conversation of this name, in which these words were said. */
async function talk(name, words = 'Hello') {
  await world.converse(page);
  const id = new URL(page.url()).pathname.slice(1);
  await world.say(page, words);
  await page.locator('mj-conversation mj-reply').first().getByText(/Fine|nuts/).waitFor();
  await world.api(page, 'PATCH', `/v1/sessions/${id}`, { name });
  await item(name).first().waitFor();
  return id;
}

test('a server without an owner says where its set-up link is', async () => {
  const visitor = await world.window(browser);
  await visitor.goto(world.base);
  await visitor.getByRole('heading', { name: 'Set up this server' }).waitFor();
  await visitor.getByText('setup-link').first().waitFor();
  await visitor.screenshot({ path: `${SHOTS}keep-no-owner.png` });
  assert.deepEqual(visitor.problems, []);
  world.found();
  page = await world.window(browser, { permissions: ['clipboard-read', 'clipboard-write'], locale: 'en-GB', acceptDownloads: true });
  await world.signIn(page);
});

test('a folder has instructions that the agent is told, and a conversation is in at most one', async () => {
  await talk('Soup');
  await side().getByRole('button', { name: 'New folder' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Kitchen');
  await page.getByLabel('Instructions').fill('We eat no nuts.');
  await page.screenshot({ path: `${SHOTS}keep-folder.png` });
  await page.getByRole('button', { name: 'Save folder' }).click();
  await side().locator('.folder', { hasText: 'Kitchen' }).waitFor();
  await act('Soup', 'Move to…');
  await side().locator('.menu').getByRole('button', { name: 'Kitchen' }).click();
  await side().locator('.folder .name', { hasText: 'Kitchen' }).click();
  await side().locator('.folder ul .item', { hasText: 'Soup' }).waitFor();
  await world.say(page, 'And now?');
  await page.locator('mj-reply').getByText('No nuts then.').waitFor();
  await page.screenshot({ path: `${SHOTS}keep-side.png` });
  assert.deepEqual(page.problems, []);
});

test('two windows change one folder, and the second is told', async () => {
  const [folder] = (await world.api(page, 'GET', '/v1/folders')).items;
  const head = side().locator('.folder', { hasText: 'Kitchen' });
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
    await head.locator('.top').hover();
    await head.getByRole('button', { name: 'Actions for Pantry' }).click();
    await side().getByRole('button', { name: 'Edit folder' }).click();
  };
  await edit();
  const files = page.locator('mj-folder-files');
  await files.locator('input[type=file]').setInputFiles([{ name: 'house.txt', mimeType: 'text/plain', buffer: Buffer.from('The cellar key hangs behind the clock.') }]);
  await files.locator('li', { hasText: 'house.txt' }).waitFor();
  assert.equal(await files.getByText('made by you').count(), 0, 'others wrote it unless its person says otherwise');
  await page.screenshot({ path: `${SHOTS}keep-folder-files.png` });
  await page.getByRole('button', { name: 'Save folder' }).click();
  await side().locator('.folder ul .item', { hasText: 'Soup' }).click();
  await world.say(page, 'Where is the key?');
  await page.locator('mj-reply').getByText('Behind the clock.').waitFor();
  await edit();
  await files.getByRole('button', { name: 'Remove house.txt' }).click();
  await files.locator('li').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Save folder' }).click();
  await world.say(page, 'And now?');
  await page.locator('mj-reply').getByText('I do not know.').waitFor();
  assert.deepEqual(page.problems, []);
});

test('a conversation is pinned, deleted in one step, and taken back', async () => {
  await talk('Bread');
  await act('Bread', 'Pin');
  await side().getByRole('heading', { name: 'Pinned' }).waitFor();
  await act('Bread', 'Delete');
  await page.locator('.undo', { hasText: '“Bread” was deleted.' }).waitFor();
  await item('Bread').first().waitFor({ state: 'detached' });
  await page.screenshot({ path: `${SHOTS}keep-undo.png` });
  await page.getByRole('button', { name: 'Undo' }).click();
  await item('Bread').first().waitFor();
  await page.reload();
  await item('Bread').first().click();
  await page.locator('mj-conversation').getByText('Fine.').first().waitFor();
  assert.deepEqual(page.problems, []);
});

test('several are archived at once, and a search finds what is archived, marks it and opens there', async () => {
  const old = await talk('Long ago', 'The word is marmalade, of all things');
  for (let at = 0; at < 3; at += 1) await world.api(page, 'POST', `/v1/sessions/${old}/messages`, { content: `Filler ${at}\n${'line\n'.repeat(60)}` });
  await talk('Other');
  await side().getByRole('button', { name: 'Select' }).click();
  await item('Long ago').getByRole('checkbox').check();
  await item('Other').getByRole('checkbox').check();
  await page.screenshot({ path: `${SHOTS}keep-several.png` });
  await side().getByRole('toolbar', { name: 'Selected conversations' }).getByRole('button', { name: 'Archive' }).click();
  await item('Long ago').waitFor({ state: 'detached' });
  await side().getByLabel('Search conversations').fill('MARMALADE');
  const found = side().locator('.item', { hasText: 'Long ago' });
  await found.locator('mark', { hasText: /marmalade/i }).waitFor();
  await found.getByText('archived').waitFor();
  await page.screenshot({ path: `${SHOTS}keep-search.png` });
  await found.locator('a').click();
  await page.locator('mj-message.sought', { hasText: 'marmalade' }).waitFor();
  const inView = () => page.locator('mj-message.sought').evaluate((node) => {
    const [box, scroll] = [node.getBoundingClientRect(), node.closest('.scroll').getBoundingClientRect()];
    return box.top >= scroll.top - 1 && box.top < scroll.bottom;
  });
  await page.waitForFunction(() => document.querySelector('mj-message.sought'));
  assert.ok(await inView(), 'the message is in sight');
  await page.screenshot({ path: `${SHOTS}keep-found.png` });
  await side().getByLabel('Search conversations').fill('');
  assert.deepEqual(page.problems, []);
});

test('a conversation is downloaded, and shown to another person until the link is revoked', async () => {
  const id = await talk('For others');
  const menu = page.locator('mj-conversation-menu');
  await menu.getByRole('button', { name: 'Share or download this conversation' }).click();
  const [file] = await Promise.all([page.waitForEvent('download'), menu.getByRole('link', { name: 'Download as Markdown' }).click()]);
  assert.equal(file.suggestedFilename(), 'For others.md');
  assert.match(readFileSync(await file.path(), 'utf8'), /# For others[\s\S]*Hello[\s\S]*Fine\./);
  await menu.getByRole('button', { name: 'Share or download this conversation' }).click();
  await menu.getByRole('button', { name: 'Share with people of this server' }).click();
  await page.getByRole('button', { name: 'Create link' }).click();
  const url = await page.getByLabel('Link', { exact: true }).inputValue();
  await page.screenshot({ path: `${SHOTS}keep-share.png` });
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await world.api(page, 'POST', `/v1/sessions/${id}/messages`, { content: 'A later secret' });

  await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  await world.api(page, 'POST', '/v1/users', { name: 'bob', role: 'guest', password: PASSWORD });
  const bob = await world.window(browser, { locale: 'de-AT', timezoneId: 'Europe/Vienna' });
  await bob.goto(world.base);
  await bob.locator('input[name=name]').fill('bob');
  await bob.locator('input[name=password]').fill(PASSWORD);
  await bob.locator('form button').click();
  await bob.locator('.nav').waitFor();
  const me = await world.api(bob, 'GET', '/v1/me');
  assert.deepEqual([me.language, me.time_zone], ['de-AT', 'Europe/Vienna'], 'the first sign-in takes them from the browser');
  await bob.goto(url);
  await bob.getByText(/Geteilt von ada/).waitFor();
  await bob.locator('mj-shared mj-reply').getByText('Fine.').waitFor();
  assert.equal(await bob.getByText('A later secret').count(), 0);
  await bob.screenshot({ path: `${SHOTS}keep-shared.png` });
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
  await page.screenshot({ path: `${SHOTS}keep-prompts.png` });
  await page.goto(`${world.base}/settings#account`);
  await page.locator('textarea[name=about_me]').fill('I keep bees.');
  await page.getByRole('button', { name: 'Update this text' }).click();
  await page.getByRole('status').getByText('Saved.').waitFor();
  await world.converse(page);
  await page.getByLabel('Message', { exact: true }).fill('/tr');
  await page.locator('.completion').getByText('translate').first().waitFor();
  await world.say(page, '/translate good morning');
  await page.locator('.msg.user').getByText('Into Greek: good morning').waitFor();
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
  await page.screenshot({ path: `${SHOTS}keep-tabs.png` });
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
  await page.screenshot({ path: `${SHOTS}keep-invite.png` });
  const carl = await world.window(browser, { locale: 'en-GB' });
  await carl.goto(url);
  await carl.getByText('ada invites you to this server as member.').waitFor();
  assert.ok(!carl.url().includes(url.split('#')[1]), 'the secret leaves the address');
  await carl.getByLabel('Name', { exact: true }).fill('carl');
  await carl.getByLabel('Password').fill(PASSWORD);
  await carl.screenshot({ path: `${SHOTS}keep-join.png` });
  await carl.getByRole('button', { name: 'Create account' }).click();
  await carl.getByRole('heading', { name: /Good to see you, carl/ }).waitFor();
  const second = await world.window(browser);
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
  await page.screenshot({ path: `${SHOTS}keep-audit.png` });
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download as CSV' }).click()]);
  const text = readFileSync(await file.path(), 'utf8');
  assert.match(text, /invitation\.created,ada created an invitation/);
  assert.ok(!text.includes('login.succeeded'), 'as it is filtered');
  await page.goto(`${world.base}/usage`);
  await page.getByRole('heading', { name: 'By conversation' }).waitFor();
  await page.locator('mj-usage').getByText('Soup').first().waitFor();
  await page.screenshot({ path: `${SHOTS}keep-usage.png` });
  const [usage] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download as CSV' }).click()]);
  assert.match(readFileSync(await usage.path(), 'utf8'), /^\ufeff?by,key,name,requests/);
  assert.deepEqual(page.problems, []);
});
