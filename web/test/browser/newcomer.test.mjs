// The first five minutes of a person who has never seen the page: from the set-up link to an answer about a PDF of theirs, at a desk
// and on a telephone. Presses are counted, of fields and of buttons; what is typed or pasted is none. docs/walkthrough/first-day.md tells what it is like.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, PASSWORD, SHOTS, SIZE, World } from './world.mjs';

const PDF = new URL('../../../crates/documents/tests/files/made/english-typst.pdf', import.meta.url).pathname;
const ALONE = { MAJORDOMO_PROVIDER_TEST_WIRE: undefined, MAJORDOMO_PROVIDER_TEST_BASE_URL: undefined, MAJORDOMO_DEFAULTS_MODEL: undefined };
const KEY = 'gsk_the-right-key';
const ON_PHONE = SIZE === 'phone';
/** Who goes on with the keys of a telephone's keyboard needs no more than at a desk. No keyboard comes up by itself there: who presses
 * buttons instead taps the fields for the key and for the question as well, and Send, because Enter begins a line. */
const PRESSES = { keys: 5, buttons: ON_PHONE ? 7 : 5 };
let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

/** How people go on: from field to field with Tab and on with Enter (on a telephone with the same keys of its keyboard), or by
 * pressing whatever it is. */
const PEOPLE = {
  keys: {
    next: (page) => page.keyboard.press('Tab'),
    done: (page) => page.keyboard.press('Enter'),
  },
  buttons: {
    next: (page, label) => press(page.getByLabel(label)),
    done: (page, button) => press(page.getByRole('button', { name: button, exact: true })),
  },
};
const press = (what) => (ON_PHONE ? what.tap() : what.click());

/** It answers only what the PDF says. */
function reads(model) {
  model.reply = async function* (asked) {
    const told = JSON.stringify(asked.messages);
    yield /affixed the official seal/.test(told) ? 'The **sheriff** affixes the seal.' : 'I was told nothing of a seal.';
  };
}

/** The one that has the focus; a person presses a field first that has not. */
async function typeInto(page, field, text) {
  if (!(await field.evaluate((one) => one === document.activeElement))) await press(field);
  await page.keyboard.insertText(text);
}

/** A window that counts its presses, from the field for a name to the choice of a model. */
async function arrive(house, person) {
  const page = await house.window(browser);
  page.presses = [];
  await page.exposeFunction('pressed', (what) => page.presses.push(what));
  await page.addInitScript(() => {
    const nameOf = (pressed) => (pressed.title || pressed.ariaLabel || pressed.innerText.trim()).split('\n')[0].replace(/ default$/, '');
    addEventListener('pointerdown', (event) => window.pressed(nameOf(event.target.closest('button, label, select, a') ?? event.target)), true);
  });
  await standIn(page, house);
  await page.goto(house.setupLink);
  await page.waitForFunction(() => document.activeElement?.name === 'name');
  // What a telephone writes on the key that goes on.
  assert.deepEqual(await page.locator('form input').evaluateAll((all) => all.map((one) => one.enterKeyHint)), ['next', 'go']);
  await page.keyboard.insertText('ada');
  await person.next(page, 'Password');
  await page.keyboard.insertText(PASSWORD);
  await person.done(page, 'Create account');
  await page.getByRole('heading', { name: 'Set up a model' }).waitFor();
  return page;
}

/** Some vendors of the list answer where the scripted model is. */
async function standIn(page, house) {
  await page.route('**/v1/vendors', async (route) => {
    const answer = await route.fetch();
    const { items, ...rest } = await answer.json();
    const vendors = items.map((one) => (/groq|deepseek/.test(one.name) ? { ...one, base_url: house.model.url, preferred: ['scripted'] } : one));
    await route.fulfill({ response: answer, json: { ...rest, items: vendors } });
  });
}

async function askAboutPdf(page, person) {
  const field = page.locator('mj-begin textarea');
  await field.waitFor();
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press(page.locator('mj-begin label:has(input[type=file])'))]);
  await chooser.setFiles(PDF);
  await page.locator('mj-begin .chip', { hasText: 'english-typst.pdf' }).waitFor();
  await typeInto(page, field, 'Who affixes the seal?');
  // On a telephone the key begins a line.
  await (ON_PHONE ? PEOPLE.buttons : person).done(page, 'Send');
  await page.locator('mj-reply strong', { hasText: 'sheriff' }).waitFor();
  await page.locator('.msg.user', { hasText: 'english-typst.pdf' }).getByText(/read/).first().waitFor();
}

/** All of it, with the presses that `choose` says it needs; the program is the same at the end. */
async function walk(environment, how, choose) {
  const house = await World.begin(environment);
  try {
    reads(house.model);
    const { process } = house;
    const page = await arrive(house, PEOPLE[how]);
    const chosen = await choose(page, house, PEOPLE[how]);
    await askAboutPdf(page, PEOPLE[how]);
    await page.screenshot({ path: `${SHOTS}newcomer-answer-${how}.png` });
    const byButtons = how === 'buttons';
    const presses = [...(byButtons ? ['Password', 'Create account'] : []), ...chosen, 'Attach files', ...(ON_PHONE ? ['Message'] : []), ...(byButtons || ON_PHONE ? ['Send'] : [])];
    assert.deepEqual(page.presses, presses);
    assert.equal(house.process, process, 'the same program');
    assert.deepEqual(page.problems, []);
    return presses.length;
  } finally {
    await house.end();
  }
}

/** Pastes a key where the cursor is; on a telephone its person taps the field first. Gives what they pressed. */
async function pasteKey(page, key) {
  const field = page.getByLabel(/^Key/);
  if (!ON_PHONE) await page.waitForFunction(() => document.activeElement?.name === 'api_key');
  await typeInto(page, field, key);
  return ON_PHONE ? ['Key'] : [];
}

for (const how of Object.keys(PEOPLE)) {
  const MOST = PRESSES[how];
  test(`${how}: with the key of a vendor, from the set-up link to an answer about a PDF in at most ${MOST} presses`, async () => {
    const presses = await walk(ALONE, how, async (page, house, person) => {
      house.model.key = KEY;
      await page.screenshot({ path: `${SHOTS}newcomer-model.png`, fullPage: true });
      const pasted = await pasteKey(page, KEY);
      await page.getByRole('radio', { name: 'Groq', checked: true }).waitFor({ state: 'attached' });
      await page.screenshot({ path: `${SHOTS}newcomer-key.png`, fullPage: true });
      await person.done(page, 'Test and save provider');
      return [...pasted, ...(how === 'buttons' ? ['Test and save provider'] : [])];
    });
    assert.ok(presses <= MOST, `${presses} presses`);
  });

  test(`${how}: with a key that looks like those of several vendors, in at most ${MOST} presses, and it is sent to the one that was named`, async () => {
    const presses = await walk(ALONE, how, async (page, house) => {
      house.model.key = 'sk-0123456789abcdef0123456789abcdef';
      const sent = [];
      page.on('request', (request) => request.url().includes('/v1/providers/') && sent.push(new URL(request.url()).pathname));
      const pasted = await pasteKey(page, house.model.key);
      await page.getByRole('group', { name: 'Test and save this key for' }).waitFor();
      await page.screenshot({ path: `${SHOTS}newcomer-alike.png`, fullPage: true });
      // By itself it goes nowhere.
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('Choose above whose key this is.').waitFor();
      assert.deepEqual(sent, []);
      await press(page.getByRole('button', { name: 'DeepSeek', exact: true }));
      await page.locator('mj-begin textarea').waitFor();
      assert.ok(sent.length > 0 && sent.every((one) => one.startsWith('/v1/providers/deepseek')), sent.join());
      return [...pasted, 'DeepSeek'];
    });
    assert.ok(presses <= MOST, `${presses} presses`);
  });

  test(`${how}: with a provider that is not in the list and has several models, in at most ${MOST + (ON_PHONE ? 1 : 2)} presses`, async () => {
    const presses = await walk(ALONE, how, async (page, house, person) => {
      house.model.key = null;
      const form = page.locator('mj-provider-form');
      await press(form.locator('.vendors label', { hasText: 'Another provider' }));
      await page.waitForFunction(() => document.activeElement?.name === 'base_url');
      await page.keyboard.insertText(house.model.url);
      await person.done(page, 'Test and save provider');
      // Two models, and nothing says which is better: a person chooses.
      await press(page.locator('.choice', { hasText: 'custom/scripted' }).first());
      return ['Another provider', ...(how === 'buttons' ? ['Test and save provider'] : []), 'custom/scripted'];
    });
    assert.ok(presses <= MOST + (ON_PHONE ? 1 : 2), `${presses} presses`);
  });

  test(`${how}: with a local model that is found by its address, in at most ${MOST} presses`, async () => {
    const presses = await walk((model) => ({ ...ALONE, OLLAMA_HOST: new URL(model.url).host }), how, async (page) => {
      await press(page.locator('.choice', { hasText: 'scripted' }).first());
      await page.locator('mj-begin textarea').waitFor();
      await page.screenshot({ path: `${SHOTS}newcomer-first-page.png` });
      return ['ollama/scripted'];
    });
    assert.ok(presses <= MOST, `${presses} presses`);
  });
}

test('the key of one vendor does not go along to another, and one of none of them does', async () => {
  const house = await World.begin(ALONE);
  try {
    reads(house.model);
    const page = await arrive(house, PEOPLE.keys);
    const [form, key] = [page.locator('mj-provider-form'), page.getByLabel(/^Key/)];
    const vendor = (label) => press(form.locator('.vendors label', { hasText: label }));
    await key.fill('sk-ant-of-another');
    await vendor('Groq');
    assert.equal(await key.inputValue(), '', 'the key of another vendor');
    await key.fill('any-key');
    assert.equal(await form.locator('.vendors button').count(), 0, 'its person has said whose it is');
    await vendor('Another provider');
    assert.equal(await key.inputValue(), 'any-key');
    assert.deepEqual(page.problems, []);
  } finally {
    await house.end();
  }
});
