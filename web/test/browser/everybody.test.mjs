// For everybody: by keyboard alone, for screen readers, on a phone, in both themes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { openBrowser, PASSWORD, SHOTS, World } from './world.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PLACES = ['agents', 'capabilities', 'permissions', 'people', 'usage', 'audit', 'settings'];
const SETTINGS = ['Appearance', 'Models', 'API keys', 'Devices', 'Data'];
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

/** Goes on with Tab, or back, until it is there. */
async function tabTo(window, target, key = 'Tab') {
  for (let at = 0; at < 80; at += 1) {
    if (await target.evaluate((node) => node === document.activeElement)) return;
    await window.keyboard.press(key);
  }
  assert.fail('it cannot be reached by keyboard');
}

test('the whole flow works with the keyboard alone', async () => {
  const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
  await world.api(page, 'PATCH', `/v1/agents/${main.id}`, { tool_rules: [{ tool: 'get_current_time', action: 'ask' }] });
  world.model.reply = async function* (asked) {
    const last = asked.messages.at(-1);
    if (last.role === 'tool') yield 'By keyboard. <ask options="tea, coffee">What?</ask>';
    else if (String(last.content).includes('completed')) yield 'Tea it is.';
    else yield { call: { name: 'get_current_time', timezone: 'Europe/Lisbon' } };
  };
  const keys = await world.window(browser);
  await keys.goto(world.base);
  await keys.getByLabel('Name').waitFor();
  await tabTo(keys, keys.getByLabel('Name'));
  await keys.keyboard.type('ada');
  await keys.keyboard.press('Tab');
  await keys.keyboard.type(PASSWORD);
  await keys.keyboard.press('Enter');
  await keys.getByRole('heading', { name: /Good to see you/ }).waitFor();
  await keys.locator('mj-begin').waitFor();
  await keys.keyboard.press('Control+k');
  await keys.getByRole('dialog').waitFor();
  await keys.keyboard.type('new conversation');
  await keys.keyboard.press('Enter');
  await keys.waitForFunction(() => document.activeElement?.localName === 'textarea');
  await keys.keyboard.type('Hello there');
  await keys.keyboard.press('Enter');
  // A request and a question take no answer, and no focus, before they have been in view for a second.
  await keys.locator('mj-approval button.primary:enabled').waitFor();
  await tabTo(keys, keys.locator('mj-approval .btn').first(), 'Shift+Tab');
  await keys.keyboard.press('a');
  const option = keys.locator('mj-question button:enabled', { hasText: 'tea' });
  await option.waitFor();
  await tabTo(keys, option, 'Shift+Tab');
  await keys.keyboard.press('Enter');
  await keys.locator('mj-conversation').getByText('Tea it is.').last().waitFor();
  await tabTo(keys, keys.locator('.scroll'), 'Shift+Tab');
  await keys.keyboard.press('?');
  await keys.getByRole('dialog').getByText('Start a new conversation').waitFor();
  await keys.screenshot({ path: `${SHOTS}shortcuts.png` });
  await keys.keyboard.press('Escape');
  await keys.keyboard.press('Control+k');
  await keys.getByRole('dialog').waitFor();
  await keys.keyboard.type('usage');
  await keys.screenshot({ path: `${SHOTS}palette.png` });
  await keys.keyboard.press('Enter');
  await keys.getByRole('heading', { name: 'Usage' }).waitFor();
  await keys.keyboard.press('j');
  await keys.waitForURL(/session_/);
  await keys.waitForFunction(() => document.activeElement?.localName === 'textarea');
  await keys.keyboard.press('Escape');
  await keys.keyboard.press('/');
  await keys.getByRole('option', { name: '/help' }).waitFor();
  await keys.keyboard.type('help');
  await keys.keyboard.press('Enter');
  await keys.getByRole('region', { name: 'Result of the command' }).waitFor();
  // A conversation is renamed and put away.
  await tabTo(keys, keys.getByLabel(/^Actions for/).first(), 'Shift+Tab');
  await keys.keyboard.press('Enter');
  await tabTo(keys, keys.getByRole('button', { name: 'Rename' }));
  await keys.keyboard.press('Enter');
  await keys.getByLabel('Name of the conversation').waitFor();
  await keys.waitForFunction(() => document.activeElement?.name === 'name');
  await keys.keyboard.type('By hand');
  await keys.keyboard.press('Enter');
  await keys.locator('.side .item', { hasText: 'By hand' }).waitFor();
  await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  await world.api(page, 'PATCH', `/v1/agents/${main.id}`, { tool_rules: [] });
  assert.deepEqual(keys.problems, []);
  await keys.context().close();
});

test('on a phone the columns are drawers and nothing is wider than the screen', async () => {
  const phone = await world.window(browser, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await world.signIn(phone);
  world.model.reply = async function* () {
    yield REPLY;
  };
  await phone.getByLabel('Message', { exact: true }).waitFor();
  await world.say(phone, 'On the phone');
  await phone.locator('mj-question').waitFor();
  await phone.screenshot({ path: `${SHOTS}phone.png` });
  const width = await phone.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `${width}`);
  await phone.getByLabel('Conversations and pages').click();
  await phone.locator('.side').getByText('Settings').waitFor();
  await phone.screenshot({ path: `${SHOTS}phone-side.png` });
  await phone.locator('.side').getByText('Settings').click();
  await phone.getByRole('heading', { name: 'Settings' }).waitFor();
  await phone.goBack();
  await phone.getByLabel('Details of this conversation').first().click();
  await phone.getByRole('tab', { name: 'Todos' }).click();
  await phone.screenshot({ path: `${SHOTS}phone-aside.png` });
  await phone.context().close();
});
