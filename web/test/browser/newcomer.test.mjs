// The first five minutes of a person who has never seen the page: from the set-up link to an answer about a PDF of theirs.
// Presses are counted, of fields and of buttons; what is typed or pasted is none. docs/walkthrough/first-day.md tells what it is like.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, PASSWORD, SHOTS, World } from './world.mjs';

const PDF = new URL('../../../crates/documents/tests/files/made/english-typst.pdf', import.meta.url).pathname;
const ALONE = { MAJORDOMO_PROVIDER_TEST_WIRE: undefined, MAJORDOMO_PROVIDER_TEST_BASE_URL: undefined, MAJORDOMO_DEFAULTS_MODEL: undefined };
const KEY = 'gsk_the-right-key';
const MOST = 5;
let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

/** How people go on: from field to field with Tab and on with Enter, or by pressing whatever it is. */
const PEOPLE = {
  keys: {
    next: (page) => page.keyboard.press('Tab'),
    done: (page) => page.keyboard.press('Enter'),
  },
  buttons: {
    next: (page, label) => page.getByLabel(label).click(),
    done: (page, button) => page.getByRole('button', { name: button, exact: true }).click(),
  },
};

/** It answers only what the PDF says. */
function reads(model) {
  model.reply = async function* (asked) {
    const told = JSON.stringify(asked.messages);
    yield /affixed the official seal/.test(told) ? 'The **sheriff** affixes the seal.' : 'I was told nothing of a seal.';
  };
}

/** The one that has the focus; a person presses a field first that has not. */
async function typeInto(page, field, text) {
  if (!(await field.evaluate((one) => one === document.activeElement))) await field.click();
  await page.keyboard.insertText(text);
}

/** A window that counts its presses, from the field for a name to the choice of a model. */
async function arrive(house, person) {
  const page = await house.window(browser);
  page.presses = [];
  await page.exposeFunction('pressed', (what) => page.presses.push(what));
  await page.addInitScript(() => {
    const nameOf = (pressed) => (pressed.title || pressed.innerText.trim()).split('\n')[0].replace(/ default$/, '');
    addEventListener('pointerdown', (event) => window.pressed(nameOf(event.target.closest('button, label, select, a') ?? event.target)), true);
  });
  await standIn(page, house);
  await page.goto(house.setupLink);
  await page.waitForFunction(() => document.activeElement?.name === 'name');
  await page.keyboard.insertText('ada');
  await person.next(page, 'Password');
  await page.keyboard.insertText(PASSWORD);
  await person.done(page, 'Create account');
  await page.getByRole('heading', { name: 'Choose a model' }).waitFor();
  return page;
}

/** A vendor of the list answers where the scripted model is. */
async function standIn(page, house) {
  await page.route('**/v1/vendors', async (route) => {
    const answer = await route.fetch();
    const { items, ...rest } = await answer.json();
    const vendors = items.map((one) => (one.name === 'groq' ? { ...one, base_url: house.model.url, preferred: ['scripted'] } : one));
    await route.fulfill({ response: answer, json: { ...rest, items: vendors } });
  });
}

async function askAboutPdf(page, person) {
  const field = page.locator('mj-begin textarea');
  await field.waitFor();
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.locator('mj-begin label:has(input[type=file])').click()]);
  await chooser.setFiles(PDF);
  await page.locator('mj-begin .chip', { hasText: 'english-typst.pdf' }).waitFor();
  await typeInto(page, field, 'Who affixes the seal?');
  await person.done(page, 'Send');
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
    const presses = [...(how === 'buttons' ? ['Password', 'Create account'] : []), ...chosen, 'Attach files', ...(how === 'buttons' ? ['Send'] : [])];
    assert.deepEqual(page.presses, presses);
    assert.equal(house.process, process, 'the same program');
    assert.deepEqual(page.problems, []);
    return presses.length;
  } finally {
    await house.end();
  }
}

for (const how of Object.keys(PEOPLE)) {
  test(`${how}: with the key of a vendor, from the set-up link to an answer about a PDF in at most ${MOST} presses`, async () => {
    const presses = await walk(ALONE, how, async (page, house, person) => {
      house.model.key = KEY;
      await page.waitForFunction(() => document.activeElement?.name === 'api_key');
      await page.screenshot({ path: `${SHOTS}newcomer-model.png`, fullPage: true });
      await page.keyboard.insertText(KEY);
      await page.getByRole('radio', { name: 'Groq', checked: true }).waitFor({ state: 'attached' });
      await page.screenshot({ path: `${SHOTS}newcomer-key.png`, fullPage: true });
      await person.done(page, 'Test and save provider');
      return how === 'buttons' ? ['Test and save provider'] : [];
    });
    assert.ok(presses <= MOST, `${presses} presses`);
  });

  test(`${how}: with a local model that is found by its address, in at most ${MOST} presses`, async () => {
    const presses = await walk((model) => ({ ...ALONE, OLLAMA_HOST: new URL(model.url).host }), how, async (page) => {
      await page.locator('.choice', { hasText: 'scripted' }).first().click();
      await page.locator('mj-begin textarea').waitFor();
      await page.screenshot({ path: `${SHOTS}newcomer-first-page.png` });
      return ['ollama/scripted'];
    });
    assert.ok(presses <= MOST, `${presses} presses`);
  });
}

test('a key that several vendors could have given out goes to the one that is pressed, and one of another vendor not along', async () => {
  const presses = await walk(ALONE, 'keys', async (page, house) => {
    house.model.key = 'any-key';
    const [form, key] = [page.locator('mj-provider-form'), page.getByLabel(/^Key/)];
    await key.fill('sk-ant-of-another');
    await form.locator('.vendors label', { hasText: 'Groq' }).click();
    assert.equal(await key.inputValue(), '', 'the key of another vendor');
    page.presses.length = 0;
    await key.fill('any-key');
    await form.locator('.vendors label', { hasText: 'Another provider' }).click();
    assert.equal(await key.inputValue(), 'any-key');
    await page.waitForFunction(() => document.activeElement?.name === 'base_url');
    await page.keyboard.insertText(house.model.url);
    await page.keyboard.press('Enter');
    // Two models, and nothing says which is better: a person chooses.
    await page.locator('.choice', { hasText: 'custom/scripted' }).first().click();
    return ['Another provider', 'custom/scripted'];
  });
  assert.ok(presses <= MOST, `${presses} presses`);
});
