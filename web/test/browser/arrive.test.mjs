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
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  assert.ok(!page.url().includes(world.setupLink.split('#')[1]), 'the secret leaves the address');
  await page.screenshot({ path: `${SHOTS}setup.png` });
  await page.getByLabel('Name').fill('ada');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Choose a model' }).waitFor();
  await page.screenshot({ path: `${SHOTS}model.png` });
  await page.getByRole('button', { name: /scripted/ }).first().click();
  await page.getByRole('heading', { name: /Good to see you, ada/ }).waitFor();
  await page.screenshot({ path: `${SHOTS}welcome.png` });
  await page.getByLabel('Message', { exact: true }).waitFor();
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

test('the password is changed, which ends what was signed in elsewhere', async () => {
  const [page, elsewhere] = [await world.window(browser), await world.window(browser)];
  await world.signIn(page);
  await world.signIn(elsewhere);
  await world.place(page, 'settings');
  await page.getByLabel('Current password', { exact: true }).fill(PASSWORD);
  await page.locator('mj-account input[name=new]').fill('a better horse');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Your password was changed.').waitFor();
  await elsewhere.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.getByLabel('Current password', { exact: true }).fill('a better horse');
  await page.locator('mj-account input[name=new]').fill(PASSWORD);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Your password was changed.').waitFor();
  assert.deepEqual([...page.problems, ...elsewhere.problems], []);
  for (const window of [page, elsewhere]) await window.context().close();
});

test('a guest finds what is shared with them, and nothing that would be refused', async () => {
  const page = await world.window(browser);
  await world.signIn(page);
  await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  await world.api(page, 'POST', '/v1/users', { name: 'theo', role: 'guest', password: PASSWORD });
  const guest = await world.window(browser);
  await world.signIn(guest, 'theo');
  await guest.getByText('No agent is shared with you yet.').waitFor();
  const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
  await world.api(page, 'PATCH', `/v1/agents/${main.id}`, { shared_with: ['*'] });
  await guest.reload();
  await guest.locator('mj-begin').waitFor();
  assert.deepEqual(await guest.locator('.nav a').allTextContents(), ['Agents', 'Permissions', 'Usage', 'Settings']);
  for (const place of ['permissions', 'usage', 'settings', 'agents']) {
    await world.place(guest, place);
    await guest.locator('main h1').first().waitFor();
    await guest.waitForLoadState('networkidle');
    assert.equal(await guest.getByRole('alert').count(), 0, place);
  }
  world.model.reply = async function* () {
    yield 'Welcome, guest.';
  };
  await guest.getByRole('button', { name: 'Start conversation' }).click();
  await guest.locator('mj-begin').waitFor();
  await world.say(guest, 'Hello');
  await guest.locator('mj-reply', { hasText: 'Welcome, guest.' }).waitFor();
  assert.deepEqual(guest.problems, []);
  for (const window of [page, guest]) await window.context().close();
});

/** A house in which nobody lives yet and no model is known. */
async function moveIn(page, house) {
  await page.goto(house.setupLink);
  await page.getByLabel('Name').fill('ada');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('No model was found on this server.').waitFor();
}
const ALONE = { MAJORDOMO_PROVIDER_TEST_WIRE: undefined, MAJORDOMO_PROVIDER_TEST_BASE_URL: undefined, MAJORDOMO_DEFAULTS_MODEL: undefined };

test('a pasted key is tried: a wrong one is told, with the right one its models are there', async () => {
  const house = await World.begin(ALONE);
  try {
    house.model.key = 'the-right-key';
    const page = await house.window(browser);
    await moveIn(page, house);
    await page.getByLabel('Provider').selectOption('custom');
    await page.getByLabel(/^Address/).fill(house.model.url);
    await page.getByLabel(/^Key/).fill('a-wrong-key');
    await page.getByRole('button', { name: 'Test and save provider' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel(/^Key/).fill('the-right-key');
    await page.getByRole('button', { name: 'Test and save provider' }).click();
    await page.getByText('custom works and was saved. Models found: 2.').waitFor();
    await page.locator('.choice', { hasText: 'custom/scripted' }).first().click();
    await page.getByRole('heading', { name: /Good to see you, ada/ }).waitFor();
    await house.say(page, 'Hello');
    await page.locator('mj-reply', { hasText: 'Hello.' }).waitFor();
    assert.deepEqual(page.problems, []);
  } finally {
    await house.end();
  }
});

test('whoever has no model stays with the demo, which answers', async () => {
  const house = await World.begin(ALONE);
  try {
    const page = await house.window(browser);
    await moveIn(page, house);
    await page.getByRole('button', { name: 'Use the demo model for now' }).click();
    await page.getByText('Only the built-in demo model answers.').waitFor();
    await page.getByRole('button', { name: 'Show me what you can do' }).click();
    await page.locator('mj-reply hml-todo').first().waitFor();
    await page.locator('mj-reply hml-prompt').first().waitFor();
    await page.screenshot({ path: `${SHOTS}demo.png` });
    assert.deepEqual(page.problems, []);
  } finally {
    await house.end();
  }
});
