// By which name a person knows what is open, and which of two agents of one name is meant.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, PASSWORD, World } from './world.mjs';

let browser, world, page, theirs;
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
  page = await world.window(browser);
  await world.signIn(page);
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
});
after(async () => {
  await browser?.close();
  await world?.end();
});

const titled = (title) => page.waitForFunction((title) => document.title === title, title);

test('of two agents named main, each place says whose is meant', async () => {
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
