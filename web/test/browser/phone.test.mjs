// The page on a telephone, with several conversations open.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, SHOTS, World } from './world.mjs';

const [WIDTH, HEIGHT] = [390, 844];
let browser, world, page;
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
  page = await world.window(browser, { viewport: { width: WIDTH, height: HEIGHT }, hasTouch: true, isMobile: true });
  await world.signIn(page);
});
after(async () => {
  await browser?.close();
  await world?.end();
});

const widths = () => page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight, window.innerWidth]);

test('many tabs are scrolled by themselves, and both drawers can be used', async () => {
  world.model.reply = async function* () {
    yield `${'A line of words.\n\n'.repeat(40)}<todo title="Trip"><item status="completed">Book</item><item>Pack</item></todo>\n\nHello.`;
  };
  const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
  for (let tabs = 1; tabs <= 5; tabs += 1) {
    const made = await world.api(page, 'POST', '/v1/sessions', { agent_id: main.id, name: `A conversation about matter ${tabs}` });
    await page.goto(`${world.base}/${made.id}`);
    await page.locator('mj-tabs .tab').nth(tabs - 1).waitFor();
    assert.deepEqual(await widths(), [WIDTH, HEIGHT, WIDTH], `with ${tabs} tabs`);
  }
  await world.say(page, 'Hello');
  await page.locator('mj-reply', { hasText: 'Hello.' }).waitFor();
  await page.locator('hml-todo .unseen').first().waitFor({ state: 'attached' });
  await page.screenshot({ path: `${SHOTS}phone-tabs.png` });
  assert.deepEqual(await widths(), [WIDTH, HEIGHT, WIDTH]);

  await page.getByRole('button', { name: 'Conversations and pages' }).tap();
  const side = page.locator('.side');
  await page.locator('.open-side').waitFor();
  await page.screenshot({ path: `${SHOTS}phone-side.png` });
  const { x, width } = await side.boundingBox();
  assert.ok(x === 0 && width < WIDTH, `the drawer leaves room to close it: ${x}, ${width}`);
  assert.deepEqual(await widths(), [WIDTH, HEIGHT, WIDTH], 'with the drawer open');
  await side.getByText('A conversation about matter 2').tap();
  await page.locator('.open-side').waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'A conversation about matter 2' }).waitFor();

  await page.getByRole('button', { name: 'Details of this conversation' }).tap();
  await page.locator('.open-aside').waitFor();
  await page.screenshot({ path: `${SHOTS}phone-aside.png` });
  const right = await page.locator('.right').boundingBox();
  assert.equal(right.x + right.width, WIDTH);
  await page.touchscreen.tap(8, HEIGHT / 2);
  await page.locator('.open-aside').waitFor({ state: 'detached' });
  assert.deepEqual(page.problems, []);
});
