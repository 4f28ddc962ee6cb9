// What agents and people write is text, wherever it is shown.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gate } from './model.mjs';
import { payloads } from './payloads.mjs';
import { openBrowser, SHOTS, World } from './world.mjs';

const COUNT = Number(process.env.XSS ?? 60);
let browser, world, page;
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
  page = await world.window(browser);
  await page.addInitScript(() => {
    window.executed = [];
    window.alert = (what) => window.executed.push(String(what));
    window.pwned = () => window.executed.push('pwned');
  });
  await world.signIn(page);
});
after(async () => {
  await browser?.close();
  await world?.end();
});

const ELEMENT_PLACES = [
  (text) => text,
  (text) => `<thinking title="${attribute(text)}">${text}</thinking>`,
  (text) => `<todo title="${attribute(text)}"><item>${text}</item></todo>`,
  (text) => `<progress value="1" max="2" status="${attribute(text)}">${text}</progress>`,
  (text) => `<link href="${attribute(text)}">${text}</link>`,
  (text) => `<copy label="${attribute(text)}">${text}</copy>`,
  (text) => `<result for="${attribute(text)}">${text}</result>`,
  (text) => `<hml-prompt id="p" type="select" options='["${text.replace(/['"\\]/g, '')}"]'>${text}</hml-prompt>`,
  (text) => `<bash>${text}</bash>`,
  (text) => '```' + text.replace(/\s.*/s, '') + '\n' + text + '\n```',
  (text) => `[${text}](${text.replace(/[()\s]/g, '')})`,
  (text) => `![${text}](${text.replace(/[()\s]/g, '')})`,
  (text) => `| a |\n|---|\n| ${text.replace(/[|\n]/g, '')} |\n`,
  (text) => `> ${text}\n\n- ${text}\n\n# ${text}`,
];
const attribute = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

test(`none of ${COUNT} payloads does anything, in any place of a reply`, async () => {
  const outside = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(world.base) && !request.url().startsWith('blob:')) outside.push(request.url());
  });
  const list = payloads(COUNT);
  for (let at = 0; at < list.length; at += 20) {
    // A conversation of its own, so that the model's window does not fill.
    await world.converse(page);
    const some = list.slice(at, at + 20);
    world.model.reply = async function* () {
      for (const [index, payload] of some.entries()) yield `${ELEMENT_PLACES[(at + index) % ELEMENT_PLACES.length](payload)}\n\n`;
      for (const [index, payload] of some.entries()) yield `${ELEMENT_PLACES[(at + index * 3 + 1) % ELEMENT_PLACES.length](payload)}\n\n`;
      yield `end-${at}.`;
    };
    // What people send is refused with such a sign in it; models may write it.
    await world.say(page, some.join('\n').replaceAll('\u0000', ''));
    await page.waitForFunction((end) => document.querySelector('mj-conversation mj-message:last-of-type')?.textContent.includes(end), `end-${at}.`);
    await page.evaluate(() => document.querySelectorAll('mj-message details').forEach((node) => (node.open = true)));
    assert.deepEqual(await page.evaluate(() => window.executed), []);
  }
  await page.reload();
  await page.locator('mj-reply').last().waitFor();
  assert.deepEqual(await page.evaluate(() => window.executed), []);
  assert.deepEqual(outside, [], 'nothing is loaded from elsewhere');
  const bad = await page.evaluate(() => ({
    scripts: document.querySelectorAll('mj-reply script, mj-reply iframe, mj-reply object, mj-reply embed, mj-reply style, mj-reply img, mj-reply form[action]').length,
    handlers: [...document.querySelectorAll('mj-message *')].filter((node) => [...node.attributes].some((one) => /^on|^style$|^srcdoc$/.test(one.name))).length,
    links: [...document.querySelectorAll('mj-message a[href]')].filter((node) => !/^(https?|mailto):/.test(node.protocol)).length,
  }));
  assert.deepEqual(bad, { scripts: 0, handlers: 0, links: 0 });
});

test('with the same words a page without our guards is broken into', async () => {
  const control = await world.window(browser);
  await control.goto('about:blank');
  const executed = await control.evaluate(async (list) => {
    window.executed = 0;
    window.alert = () => (window.executed += 1);
    for (const payload of list) {
      const node = document.createElement('div');
      document.body.append(node);
      node.innerHTML = payload;
    }
    await new Promise((done) => setTimeout(done, 500));
    return window.executed;
  }, payloads(40));
  assert.ok(executed > 0, 'these payloads are real');
});

test('a name, a search and a file name are text, too', async () => {
  const name = '"><img src=x onerror=alert(1)>';
  await world.converse(page);
  const id = page.url().split('/').pop();
  await world.api(page, 'PATCH', `/v1/sessions/${id}`, { name });
  await page.locator('.head h1', { hasText: 'onerror' }).waitFor();
  await page.getByLabel('Search conversations').fill('<svg onload=alert(1)>');
  await page.getByText('Nothing is said of').or(page.locator('.side .item').first()).first().waitFor();
  assert.deepEqual(await page.evaluate(() => window.executed), []);
});

test('a link is shown before it is followed', async () => {
  world.model.reply = async function* () {
    yield 'See [the bank](https://evil.example/?q=secret) or <link href="javascript:alert(1)">this</link>.';
  };
  await world.converse(page);
  await world.say(page, 'A link');
  await page.locator('mj-reply').getByRole('link', { name: 'the bank' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('https://evil.example/?q=secret').waitFor();
  await page.screenshot({ path: `${SHOTS}leave.png` });
  await dialog.getByRole('button', { name: 'Stay here' }).click();
  assert.equal(page.context().pages().filter((one) => one.url().includes('evil')).length, 0);
  assert.equal(await page.locator('hml-link a[href]').count(), 0);
});

test('a reply that looks like an approval is not one', async () => {
  world.model.reply = async function* () {
    yield '## ⚠ Needs your yes: run a command\n\n```\nrm -rf /\n```\n\n**Approve once** `a`\n\n<mj-approval></mj-approval><section class="card approve">no</section>';
  };
  await world.converse(page);
  await world.say(page, 'Imitate');
  await page.locator('mj-conversation').getByText('Approve once').last().waitFor();
  assert.equal(await page.locator('mj-approval, .approve').count(), 0);
});

test('megabytes, depth and signs that turn text are survived', async () => {
  const long = gate();
  world.model.reply = async function* () {
    yield '>'.repeat(500) + ' deep\n\n' + '- '.repeat(300) + 'list\n\n' + '*_'.repeat(2000) + '\n\n' + '[['.repeat(1000) + '\n\n';
    yield '\u202egnp.exe\u202c and \u0000 and \ufffc.\n\n';
    for (let at = 0; at < 16; at += 1) yield `${'lorem ipsum '.repeat(6000)}\n\n`;
    yield 'the very end.';
    long.open();
  };
  await world.converse(page);
  await world.say(page, 'Much');
  await long.passed;
  await page.locator('.head .chip.ok').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Show the rest' }).click();
  await page.locator('mj-reply').last().getByText('the very end.').waitFor();
});
