// The first minute: from the set-up link to a streamed answer, from a clean profile.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, PASSWORD, SHOTS, World } from './world.mjs';

let browser, world;
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
});
after(async () => {
  await browser?.close();
  await world?.end();
});

test('a newcomer gets from the set-up link to a streamed answer', async () => {
  world.model.reply = async function* () {
    yield 'Welcome ';
    yield 'to **your** house.';
  };
  const page = await world.window(browser);
  await page.goto(world.setupLink);
  await page.getByRole('heading', { name: 'Welcome home' }).waitFor();
  assert.ok(!page.url().includes(world.setupLink.split('#')[1]), 'the secret leaves the address');
  await page.screenshot({ path: `${SHOTS}setup.png` });
  await page.getByLabel('Name').fill('ada');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Move in' }).click();
  await page.getByRole('heading', { name: 'Which model?' }).waitFor();
  await page.screenshot({ path: `${SHOTS}model.png` });
  await page.getByRole('button', { name: /scripted/ }).first().click();
  await page.getByRole('heading', { name: /Good to see you, ada/ }).waitFor();
  await page.screenshot({ path: `${SHOTS}welcome.png` });
  await page.locator('.welcome .agent').first().click();
  await page.getByLabel('Message', { exact: true }).waitFor();
  await page.screenshot({ path: `${SHOTS}new-session.png` });
  await world.say(page, 'Hello');
  await page.locator('mj-reply strong', { hasText: 'your' }).waitFor();
  assert.equal(await page.locator('mj-reply').innerText(), 'Welcome to your house.');
  assert.deepEqual(page.problems, []);
  world.founded = true;
});

test('who is signed out signs in again, and is told what is wrong', async () => {
  const page = await world.window(browser);
  await page.goto(world.base);
  await page.getByLabel('Name').fill('ada');
  await page.getByLabel('Password').fill('wrong password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: /Good to see you/ }).waitFor();
  assert.deepEqual(page.problems, []);
});
