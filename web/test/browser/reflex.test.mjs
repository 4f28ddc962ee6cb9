// Presses that were meant for something else: a second approval where the first one was, and links by other buttons.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { openBrowser, SHOTS, World } from './world.mjs';

let browser, world, page;
/** What was decided by this window: its bodies, in order. */
const decided = [];
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
  page = await world.window(browser);
  page.on('request', (request) => {
    if (request.method() === 'POST' && /\/v1\/approvals\//.test(request.url())) decided.push(request.postDataJSON().decision);
  });
  await world.signIn(page);
  const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
  const rules = [{ tool: 'get_current_time', action: 'ask' }];
  await world.api(page, 'PATCH', `/v1/agents/${main.id}`, { capabilities: ['current_time'], tool_rules: rules });
});
after(async () => {
  await browser?.close();
  await world?.end();
});
beforeEach(async () => {
  page.problems.length = 0;
  decided.length = 0;
  await world.converse(page);
});

/** The agent asks for one thing after the other. */
function wants(...zones) {
  world.model.reply = async function* (asked) {
    const known = asked.messages.slice(asked.messages.findLastIndex((one) => one.role === 'user')).filter((one) => one.role === 'tool').length;
    if (known < zones.length) yield { call: { name: 'get_current_time', timezone: zones[known] } };
    else yield `Asked ${known} times.`;
  };
}

const card = (zone) => page.locator('mj-approval', { hasText: zone });
const yes = (zone) => card(zone).getByRole('button', { name: /^Approve once/ });
/** Playwright clicks only what is enabled; where it is matters here, and when. */
const ready = (zone) => world.readRequest(page, card(zone));
const press = async (x, y, how) => ((await world.hasKeyboard(page)) ? page.mouse.click(x, y, how) : page.touchscreen.tap(x, y));
const middle = async (locator) => {
  const { x, y, width, height } = await locator.boundingBox();
  return [x + width / 2, y + height / 2];
};

for (const filler of [0, 30]) {
  test(`a double press approves the first request and not the one that comes after it, ${filler ? 'at the end of a long conversation' : 'on an empty page'}`, async () => {
    if (filler) {
      world.model.reply = async function* () {
        yield 'A line of words.\n\n'.repeat(filler);
      };
      await world.say(page, 'Talk');
      await page.locator('mj-reply', { hasText: 'A line of words.' }).waitFor();
      await page.locator('.head .chip.ok').waitFor({ state: 'detached' });
    }
    wants('Europe/Lisbon', 'Europe/Madrid', 'Europe/Paris');
    await world.say(page, 'What time is it there?');
    await ready('Europe/Lisbon');
    const places = [];
    for (const [at, [zone, next]] of [['Europe/Lisbon', 'Europe/Madrid'], ['Europe/Madrid', 'Europe/Paris']].entries()) {
      // While it was read it may have moved away from the last one's place, and out of view.
      await yes(zone).scrollIntoViewIfNeeded();
      const place = await middle(yes(zone));
      places.push(await card(zone).locator('.row').boundingBox());
      await press(...place);
      await card(next).waitFor();
      // As fast as a hand that has not seen it: by mouse or finger, and by key.
      await press(...place, { clickCount: 2 });
      await page.locator('.scroll').focus();
      await page.keyboard.press('a');
      await page.keyboard.press('d');
      await page.screenshot({ path: `${SHOTS}reflex-${filler}-${at}.png` });
      // It does not take the last one's place, wherever a reader who is not at it scrolls to then.
      const apart = ([zone, before]) => {
        const now = [...document.querySelectorAll('mj-approval')].find((one) => one.innerText.includes(zone))?.querySelector('.row').getBoundingClientRect();
        return now && (now.top >= before.y + before.height || now.bottom <= before.y);
      };
      await page.waitForFunction(apart, [next, places.at(-1)], { timeout: 10_000 });
      await ready(next);
      assert.equal(decided.length, at + 1, 'nothing was decided that was not read');
    }
    // Who has had the time to read it decides it, by key as well.
    await page.locator('.scroll').focus();
    await page.keyboard.press('a');
    await page.locator('mj-conversation').getByText('Asked 3 times.').last().waitFor();
    assert.deepEqual(decided, ['approve', 'approve', 'approve']);
    assert.deepEqual(page.problems, []);
  });
}

test('no key decides what was not in view', async () => {
  world.model.reply = async function* () {
    yield 'A line of words.\n\n'.repeat(60);
  };
  await world.say(page, 'Talk');
  await page.locator('mj-reply', { hasText: 'A line of words.' }).waitFor();
  await page.locator('.head .chip.ok').waitFor({ state: 'detached' });
  wants('Europe/Lisbon');
  const session = page.url().split('/').pop();
  // The reader is far above when the request comes.
  await page.locator('.scroll').evaluate((scroll) => scroll.scrollBy(0, -9000));
  await page.getByRole('button', { name: /Go to the end|New messages below/ }).waitFor();
  void world.api(page, 'POST', `/v1/sessions/${session}/messages`, { content: 'What time is it there?' });
  await card('Europe/Lisbon').waitFor();
  await page.locator('.scroll').focus();
  await page.keyboard.press('a');
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1500)));
  await page.keyboard.press('a');
  await page.keyboard.press('d');
  assert.equal(await yes('Europe/Lisbon').isDisabled(), true);
  assert.deepEqual(decided, []);
  await page.getByRole('button', { name: /Go to the end|New messages below/ }).click();
  await ready('Europe/Lisbon');
  await page.locator('.scroll').focus();
  await page.keyboard.press('a');
  await page.locator('mj-conversation').getByText('Asked 1 times.').last().waitFor();
  assert.deepEqual(decided, ['approve']);
});

test('what was scrolled to its end counts, wherever between two pixels the view ends', async () => {
  wants('Europe/Lisbon');
  await world.say(page, 'What time is it there?');
  for (const part of [0, 0.25, 0.5, 0.75]) {
    // Read anew, in a view that is higher by this part of a pixel, and too low for all of the request at once: its buttons are cut.
    await page.reload();
    await card('Europe/Lisbon').locator('.row').waitFor();
    await page.locator('.scroll').evaluate((scroll, part) => {
      const [header, row] = ['header', '.row'].map((name) => scroll.querySelector(`mj-approval ${name}`).getBoundingClientRect());
      scroll.style.flex = 'none';
      scroll.style.height = `${Math.floor(row.bottom - header.top) - 20 + part}px`;
    }, part);
    await ready('Europe/Lisbon');
  }
  await page.locator('.scroll').focus();
  await page.keyboard.press('d');
  await page.locator('mj-conversation').getByText('Asked 1 times.').last().waitFor();
  assert.deepEqual(decided, ['deny']);
});

test('a link is asked about whatever button it is pressed with', async () => {
  world.model.reply = async function* () {
    yield 'See [the bank](https://evil.example/?q=secret) or <link href="https://evil.example/?q=other">the map</link>.';
  };
  await world.say(page, 'Links');
  const opened = [];
  page.context().on('page', (one) => opened.push(one.url()));
  const asked = page.getByRole('dialog');
  for (const name of ['the bank', 'the map']) {
    const link = page.locator('mj-reply').getByRole('link', { name });
    await link.waitFor();
    for (const how of [{ button: 'middle' }, { modifiers: ['Control'] }, { modifiers: ['Shift'] }, {}]) {
      await link.click(how);
      await asked.getByText('https://evil.example/').waitFor();
      await asked.getByRole('button', { name: 'Stay here' }).click();
    }
    const dragged = await link.evaluate((anchor) => anchor.dispatchEvent(new DragEvent('dragstart', { bubbles: true, cancelable: true })));
    assert.equal(dragged, false, 'a link is not carried to another window');
  }
  assert.deepEqual(opened, [], 'no window was opened');
  // Who says so goes there.
  await page.locator('mj-reply').getByRole('link', { name: 'the bank' }).click({ button: 'middle' });
  const [away] = await Promise.all([page.context().waitForEvent('page'), asked.getByRole('link', { name: 'Open the link' }).click()]);
  await away.close();
});

/** What is typed where messages are written, at once. */
async function types(words) {
  const field = page.getByLabel('Message', { exact: true });
  await field.focus();
  await page.keyboard.type(words);
  await world.send(page);
}

test('a typed yes approves what was read, and a quick second one approves nothing', async () => {
  wants('Europe/Lisbon', 'Europe/Madrid', 'Europe/Paris');
  await world.say(page, 'What time is it there?');
  await card('Europe/Lisbon').waitFor();
  // It has just appeared: a yes that was on its way is none.
  await types('y');
  await page.getByText('Your message was not sent yet.').waitFor();
  assert.deepEqual(decided, []);
  await page.screenshot({ path: `${SHOTS}unread-yes.png` });
  // A second later, and where the whole request was in view, the same yes is offered by the name of what it approves.
  await ready('Europe/Lisbon');
  await page.locator('mj-composer').getByRole('button', { name: 'Approve get_current_time once' }).click();
  await card('Europe/Madrid').waitFor();
  await ready('Europe/Madrid');
  await page.getByText('Type y to approve get_current_time once, or n to deny it').waitFor();
  await types('y');
  await types('y');
  await card('Europe/Paris').waitFor();
  await ready('Europe/Paris');
  assert.deepEqual(decided, ['approve', 'approve'], 'the quick second yes was for nothing');
  await page.locator('mj-composer textarea').fill('');
  await types('n');
  await page.locator('mj-conversation').getByText('Asked 3 times.').last().waitFor();
  assert.deepEqual(decided, ['approve', 'approve', 'deny']);
  assert.deepEqual(page.problems, []);
});

test('a typed yes approves nothing that was not in view', async () => {
  world.model.reply = async function* () {
    yield 'A line of words.\n\n'.repeat(60);
  };
  await world.say(page, 'Talk');
  await page.locator('mj-reply', { hasText: 'A line of words.' }).waitFor();
  await page.locator('.head .chip.ok').waitFor({ state: 'detached' });
  wants('Europe/Lisbon');
  const session = page.url().split('/').pop();
  await page.locator('.scroll').evaluate((scroll) => scroll.scrollBy(0, -9000));
  await page.getByRole('button', { name: /Go to the end|New messages below/ }).waitFor();
  void world.api(page, 'POST', `/v1/sessions/${session}/messages`, { content: 'What time is it there?' });
  await card('Europe/Lisbon').waitFor();
  await page.getByText('Read the whole request. Then type y').waitFor();
  await types('y');
  await page.locator('.unsure').getByText('Read the whole request first.').waitFor();
  assert.deepEqual(decided, []);
  await page.getByRole('button', { name: /Go to the end|New messages below/ }).click();
  await ready('Europe/Lisbon');
  await page.locator('mj-composer').getByRole('button', { name: 'Approve get_current_time once' }).click();
  await page.locator('mj-conversation').getByText('Asked 1 times.').last().waitFor();
  assert.deepEqual(decided, ['approve']);
  assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), '');
});

test('where several wait, a typed yes is asked about, for the oldest that was read', async () => {
  world.model.reply = async function* (asked) {
    const known = asked.messages.filter((one) => one.role === 'tool').length;
    if (known > 0) yield `Asked ${known} times.`;
    else for (const timezone of ['Europe/Lisbon', 'Europe/Madrid']) yield { call: { name: 'get_current_time', timezone } };
  };
  await world.say(page, 'What time is it in both?');
  await ready('Europe/Lisbon');
  await ready('Europe/Madrid');
  await page.getByText('2 requests need your approval. Type y or n to be asked about get_current_time.').waitFor();
  await types('y');
  await page.getByText('Your message was not sent yet.').waitFor();
  assert.deepEqual(decided, []);
  await page.locator('mj-composer').getByRole('button', { name: 'Approve get_current_time once' }).click();
  await card('Europe/Lisbon').waitFor({ state: 'detached' });
  await ready('Europe/Madrid');
  await types('n');
  await page.locator('mj-conversation').getByText('Asked 2 times.').last().waitFor();
  assert.deepEqual(decided, ['approve', 'deny']);
  assert.deepEqual(page.problems, []);
});
