// For everybody: by keyboard alone, for screen readers, on a phone, in both themes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { openBrowser, SHOTS, World } from './world.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PLACES = ['agents', 'capabilities', 'permissions', 'people', 'usage', 'audit', 'settings'];
const SETTINGS = ['Appearance', 'Models', 'Keys', 'Logins', 'Data'];
let browser, world, page;
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
  page = await world.window(browser, { bypassCSP: true });
  await world.signIn(page);
});
after(async () => {
  await browser?.close();
  await world?.end();
});

const REPLY = 'Some **words** and `code`.\n\n<todo title="Plan"><item status="completed">One</item><item status="in_progress">Two</item></todo>\n<progress value="1" max="2">Half</progress>\n<copy label="Code">abc</copy>\n\n```python\nprint(1)\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nSeat <hml-prompt id="s">Which seat?</hml-prompt> colour <hml-prompt id="c" type="radio" options=\'["red","blue"]\'>Which colour?</hml-prompt>.\n<ask options="tea, coffee">What may I bring?</ask>';

async function axe() {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target} ${node.any[0]?.message ?? ''}`).slice(0, 4).join(' | ')}`);
}

test('axe finds nothing, in both themes, in every view', async () => {
  world.model.reply = async function* () {
    yield { thinking: 'Hm.' };
    yield REPLY;
  };
  await world.converse(page);
  await world.say(page, 'Show me');
  await page.locator('mj-question').waitFor();
  const conversation = page.url();
  for (const theme of ['light', 'dark']) {
    await page.evaluate((theme) => localStorage.setItem('majordomo-theme', JSON.stringify(theme)), theme);
    await page.reload();
    await page.locator('mj-question').waitFor();
    assert.deepEqual(await axe(), [], `conversation, ${theme}`);
    for (const part of ['Todos', 'Files', 'Prompt', 'Log', 'Activity']) {
      await page.getByRole('tab', { name: part }).click();
      await page.waitForTimeout(150);
      assert.deepEqual(await axe(), [], `${part}, ${theme}`);
      await page.screenshot({ path: `${SHOTS}aside-${part.toLowerCase()}-${theme}.png` });
    }
    for (const place of PLACES) {
      await page.locator(`.nav a[data-place=${place}]`).click();
      await page.locator('main h1').first().waitFor();
      await page.waitForTimeout(250);
      assert.deepEqual(await axe(), [], `${place}, ${theme}`);
      await page.screenshot({ path: `${SHOTS}${place}-${theme}.png` });
    }
    for (const section of SETTINGS) {
      await page.locator('.sections').getByText(section).click();
      await page.locator('main h1', { hasText: section }).waitFor();
      assert.deepEqual(await axe(), [], `${section}, ${theme}`);
    }
    await page.locator('.nav a[data-place=agents]').click();
    await page.locator('mj-agents a', { hasText: 'Edit' }).first().click();
    await page.locator('mj-agent-preview .tree li').first().waitFor();
    assert.deepEqual(await axe(), [], `an agent, ${theme}`);
    await page.screenshot({ path: `${SHOTS}agent-${theme}.png` });
    await page.goto(conversation);
  }
});

test('the whole flow works with the keyboard alone', async () => {
  world.model.reply = async function* () {
    yield 'By keyboard. <ask options="tea, coffee">What?</ask>';
  };
  await page.goto(world.base);
  await page.locator('.welcome').waitFor();
  await page.locator('mj-side .item').first().waitFor();
  const before = page.url();
  await page.keyboard.press('n');
  await page.waitForURL((url) => url.href !== before);
  await page.locator('mj-composer textarea').waitFor();
  await page.waitForFunction(() => document.activeElement?.localName === 'textarea');
  await page.keyboard.type('Hello there');
  await page.keyboard.press('Enter');
  const option = page.locator('mj-question').getByRole('button', { name: 'tea' });
  await option.waitFor();
  for (let at = 0; at < 60; at += 1) {
    if (await option.evaluate((node) => node === document.activeElement)) break;
    await page.keyboard.press('Shift+Tab');
  }
  world.model.reply = async function* () {
    yield 'Tea it is.';
  };
  await page.keyboard.press('Enter');
  await page.locator('mj-conversation').getByText('Tea it is.').last().waitFor();
  await page.locator('.scroll').focus();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('New session').waitFor();
  await page.screenshot({ path: `${SHOTS}shortcuts.png` });
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('usage');
  await page.screenshot({ path: `${SHOTS}palette.png` });
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
  await page.keyboard.press('j');
  await page.waitForURL(/session_/);
});

test('on a phone the columns are drawers and nothing is wider than the screen', async () => {
  const phone = await world.window(browser, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await world.signIn(phone);
  world.model.reply = async function* () {
    yield REPLY;
  };
  await phone.locator('.welcome .agent').first().click();
  await phone.getByLabel('Message', { exact: true }).waitFor();
  await world.say(phone, 'On the phone');
  await phone.locator('mj-question').waitFor();
  await phone.screenshot({ path: `${SHOTS}phone.png` });
  const width = await phone.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `${width}`);
  await phone.getByLabel('Sessions and places').click();
  await phone.locator('.side').getByText('Settings').waitFor();
  await phone.screenshot({ path: `${SHOTS}phone-side.png` });
  await phone.locator('.side').getByText('Settings').click();
  await phone.getByRole('heading', { name: 'Settings' }).waitFor();
  await phone.goBack();
  await phone.getByLabel('What is going on').first().click();
  await phone.getByRole('tab', { name: 'Todos' }).click();
  await phone.screenshot({ path: `${SHOTS}phone-aside.png` });
  await phone.context().close();
});
