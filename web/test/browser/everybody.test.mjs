// For everybody: by keyboard alone, and on a phone. What axe finds in every view is in views.test.mjs.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, PASSWORD, SHOTS, World } from './world.mjs';

let browser, world, page;
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
  page = await world.window(browser);
  await world.signIn(page);
});
after(async () => {
  await browser?.close();
  await world?.end();
});

const REPLY = 'Some **words** and `code`.\n\n<todo title="Plan"><item status="completed">One</item><item status="in_progress">Two</item></todo>\n<progress value="1" max="2">Half</progress>\n<copy label="Code">abc</copy>\n\n```python\nprint(1)\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nSeat <hml-prompt id="s">Which seat?</hml-prompt> colour <hml-prompt id="c" type="radio" options=\'["red","blue"]\'>Which colour?</hml-prompt>.\n<ask options="tea, coffee">What may I bring?</ask>';

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
  await keys.locator('mj-composer textarea').waitFor();
  // Who goes on by keys writes nothing.
  await keys.keyboard.press('j');
  await keys.keyboard.press('k');
  assert.equal(await keys.locator('mj-composer textarea').inputValue(), '');
  await keys.keyboard.press('/');
  await keys.waitForFunction(() => document.activeElement?.localName === 'textarea');
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
  await phone.getByRole('tab', { name: 'Tasks' }).click();
  await phone.screenshot({ path: `${SHOTS}phone-aside.png` });
  await phone.context().close();
});
