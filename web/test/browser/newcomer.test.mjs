// The first five minutes of a person who has never seen the page: from the set-up link to an answer about a PDF of theirs.
// Presses are counted; what is typed is typed, and Enter sends a form. docs/walkthrough/first-day.md tells what it is like.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, PASSWORD, SHOTS, World } from './world.mjs';

const PDF = new URL('../../../crates/documents/tests/files/made/english-typst.pdf', import.meta.url).pathname;
const ALONE = { MAJORDOMO_PROVIDER_TEST_WIRE: undefined, MAJORDOMO_PROVIDER_TEST_BASE_URL: undefined, MAJORDOMO_DEFAULTS_MODEL: undefined };
const MOST = 5;
let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

/** It answers only what the PDF says. */
function reads(model) {
  model.reply = async function* (asked) {
    const told = JSON.stringify(asked.messages);
    yield /affixed the official seal/.test(told) ? 'The **sheriff** affixes the seal.' : 'I was told nothing of a seal.';
  };
}

/** A window that counts its presses, at the field for a name. */
async function arrive(house) {
  const page = await house.window(browser);
  page.presses = [];
  await page.exposeFunction('pressed', (what) => page.presses.push(what));
  await page.addInitScript(() => addEventListener('pointerdown', (event) => window.pressed(event.target.closest('button, label, select, a')?.innerText.trim().slice(0, 40) ?? event.target.localName), true));
  await page.goto(house.setupLink);
  await page.getByLabel('Name').waitFor();
  await page.waitForFunction(() => document.activeElement?.name === 'name');
  await page.keyboard.type('ada');
  await page.keyboard.press('Tab');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Choose a model' }).waitFor();
  return page;
}

/** One of the models that were found, unless there was nothing to choose. */
async function chooseModel(page) {
  const [choice, there] = [page.locator('.choice', { hasText: 'scripted' }).first(), page.locator('mj-begin textarea')];
  await choice.or(there).first().waitFor();
  if (await choice.isVisible()) await choice.click();
  await there.waitFor();
}

async function askAboutPdf(page) {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.locator('mj-begin label:has(input[type=file])').click()]);
  await chooser.setFiles(PDF);
  await page.locator('mj-begin .chip', { hasText: 'english-typst.pdf' }).waitFor();
  // After a file was chosen, the field is pressed unless it has the focus already.
  if (!(await page.evaluate(() => document.activeElement?.localName === 'textarea'))) await page.locator('mj-begin textarea').click();
  await page.keyboard.type('Who affixes the seal?');
  await page.keyboard.press('Enter');
  await page.locator('mj-reply strong', { hasText: 'sheriff' }).waitFor();
  await page.locator('.msg.user', { hasText: 'english-typst.pdf' }).getByText(/read/).first().waitFor();
}

/** Without a restart, and with no more presses than that. */
function inTime(page, house, started) {
  assert.ok(page.presses.length <= MOST, `${page.presses.length} presses: ${page.presses.join(' · ')}`);
  assert.equal(house.process, started, 'the same program');
  assert.deepEqual(page.problems, []);
}

test(`with the key of a vendor, from the set-up link to an answer about a PDF in at most ${MOST} presses`, async () => {
  const house = await World.begin(ALONE);
  try {
    house.model.key = 'the-right-key';
    reads(house.model);
    const { process } = house;
    const page = await arrive(house);
    await page.screenshot({ path: `${SHOTS}newcomer-model.png` });
    // A list that drops down is two presses for a person.
    await page.getByLabel('Provider').selectOption('custom');
    page.presses.push('Provider', 'Another provider');
    await page.getByLabel(/^Address/).fill(house.model.url);
    await page.getByLabel(/^Key/).fill('the-right-key');
    await page.keyboard.press('Enter');
    await chooseModel(page);
    await askAboutPdf(page);
    await page.screenshot({ path: `${SHOTS}newcomer-answer.png` });
    inTime(page, house, process);
  } finally {
    await house.end();
  }
});

test(`with a local model that is found by its address, in at most ${MOST} presses`, async () => {
  const house = await World.begin((model) => ({ ...ALONE, OLLAMA_HOST: new URL(model.url).host }));
  try {
    reads(house.model);
    const { process } = house;
    const page = await arrive(house);
    await chooseModel(page);
    await page.screenshot({ path: `${SHOTS}newcomer-first-page.png` });
    await askAboutPdf(page);
    inTime(page, house, process);
  } finally {
    await house.end();
  }
});
