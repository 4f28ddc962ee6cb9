// The page on a telephone, with several conversations open.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, PASSWORD, SHOTS, World } from './world.mjs';

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

test('a request that is higher than the screen begins at its title, and its buttons count once they have been seen', async () => {
  await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  const { id } = await world.api(page, 'POST', '/v1/agents', { name: 'handy', capabilities: ['sandbox'] });
  const session = await world.api(page, 'POST', '/v1/sessions', { agent_id: id });
  world.model.reply = async function* (asked) {
    if (asked.messages.at(-1).role === 'tool') yield 'Not done.';
    else yield { call: { name: 'bash', command: Array.from({ length: 40 }, (_, line) => `echo line ${line}`).join('\n') } };
  };
  await page.goto(`${world.base}/${session.id}`);
  await page.locator('mj-try').waitFor();
  await world.say(page, 'Print many lines');
  const [scroll, card] = [page.locator('mj-conversation .scroll'), page.locator('mj-approval')];
  const [head, deny] = [card.locator('header'), card.getByRole('button', { name: /^Deny/ })];
  /** Whether all of it is in the part of the screen that scrolls. */
  const inView = async (part) => {
    const [view, box] = [await scroll.boundingBox(), await part.boundingBox()];
    return box.y >= view.y - 1 && box.y + box.height <= view.y + view.height + 1;
  };
  const isShown = (selector) =>
    page.waitForFunction((selector) => {
      const [view, box] = [document.querySelector('mj-conversation .scroll'), document.querySelector(selector)].map((node) => node?.getBoundingClientRect());
      return box && box.top >= view.top - 1 && box.bottom <= view.bottom + 1;
    }, selector);
  await isShown('mj-approval header');
  await card.locator('button.primary:disabled').waitFor({ state: 'attached' });
  assert.equal(await inView(deny), false, 'the card is higher than the screen');
  await page.screenshot({ path: `${SHOTS}phone-request.png` });
  // A new word of the conversation, or a change of its size, does not take its reader away from there.
  await page.setViewportSize({ width: WIDTH, height: HEIGHT - 120 });
  await isShown('mj-approval header');
  await page.setViewportSize({ width: WIDTH, height: HEIGHT });
  assert.equal(await inView(head), true);
  await page.getByRole('button', { name: 'Go to the end' }).tap();
  await isShown('mj-approval .row');
  await card.locator('button.primary:enabled').waitFor();
  await page.screenshot({ path: `${SHOTS}phone-request-foot.png` });
  await deny.tap();
  await page.locator('mj-reply', { hasText: 'Not done.' }).waitFor();
  // Also where the page is opened at it.
  await world.say(page, 'Once more');
  await card.waitFor();
  await page.reload();
  await isShown('mj-approval header');
  await world.readRequest(page);
  await deny.tap();
  await page.locator('mj-reply', { hasText: 'Not done.' }).nth(1).waitFor();
  assert.deepEqual(page.problems, []);
});

/** Two named conversations, open in two tabs. */
async function twoOpen() {
  world.model.reply = async function* () {
    yield 'Some words of an answer.';
  };
  const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
  const ids = [];
  for (const name of ['Garden', 'Kitchen']) {
    const { id } = await world.api(page, 'POST', '/v1/sessions', { agent_id: main.id, name });
    await page.goto(`${world.base}/${id}`);
    await page.locator('.tab.on', { hasText: name }).waitFor();
    ids.push(id);
  }
  return ids;
}

test('a long press opens the actions of a conversation, of a tab and of a message, and no text is taken for one', async () => {
  const [, kitchen] = await twoOpen();
  const at = () => new URL(page.url()).pathname.slice(1);
  const side = await world.column(page, 'side');
  const item = side.locator('.list .item', { hasText: 'Garden' });
  const [name, gist] = [await item.locator('.t').boundingBox(), await item.locator('.p').boundingBox()];
  assert.ok(gist.y >= name.y + name.height && gist.width > 150, 'what was said last stands below the name');
  await world.longPress(page, item.locator('a'), () => item.getByRole('button', { name: 'Rename' }).waitFor());
  assert.equal(at(), kitchen, 'the press was not a tap');
  await page.screenshot({ path: `${SHOTS}press-list.png` });
  await item.getByRole('button', { name: 'Pin', exact: true }).tap();
  await side.getByRole('heading', { name: 'Pinned' }).waitFor();
  await world.closeColumn(page);

  const tab = page.locator('.tab', { hasText: 'Garden' });
  await world.longPress(page, tab.locator('a'), () => page.locator('.drop').getByRole('button', { name: 'Close Garden' }).waitFor());
  assert.equal(at(), kitchen);
  await page.screenshot({ path: `${SHOTS}press-tab.png` });
  await page.locator('.drop').getByRole('button', { name: 'Close Garden' }).tap();
  await tab.waitFor({ state: 'detached' });

  await world.say(page, 'Hello');
  const reply = page.locator('mj-message', { hasText: 'Some words of an answer.' });
  await reply.getByLabel('Try again').waitFor();
  const sheet = page.locator('.acts.sheet');
  await world.longPress(page, reply.locator('.meta b'), () => sheet.waitFor());
  await page.screenshot({ path: `${SHOTS}press-message.png` });
  const before = page.url();
  await sheet.getByLabel('Try again').tap();
  await page.waitForURL((url) => url.href !== before);
  assert.equal(await sheet.count(), 0);

  // Who presses on words wants the words.
  await page.locator('mj-reply', { hasText: 'Some words' }).waitFor();
  const menus = await page.evaluate(() => {
    window.menus = [];
    window.addEventListener('contextmenu', (event) => window.menus.push(event.defaultPrevented));
    window.addEventListener('longpress', (event) => window.menus.push(event.defaultPrevented ? 'taken' : 'left'));
    return window.menus;
  });
  assert.deepEqual(menus, []);
  await world.longPress(page, page.locator('mj-reply p').first(), () => page.waitForFunction(() => window.menus.includes('left')));
  assert.ok(!(await page.evaluate(() => window.menus)).some((one) => one === true || one === 'taken'));
  assert.equal(await sheet.count(), 0);
  assert.deepEqual(page.problems, []);
});

test('a finger that moves, and one that leaves early, open no actions', async () => {
  await twoOpen();
  const side = await world.column(page, 'side');
  const { x, y } = await side.locator('.list .item', { hasText: 'Garden' }).first().boundingBox();
  const client = await page.context().newCDPSession(page);
  await page.evaluate(() => {
    window.pressed = 0;
    window.addEventListener('longpress', () => (window.pressed += 1));
  });
  const touch = (type, at) => client.send('Input.dispatchTouchEvent', { type, touchPoints: at ? [{ x: x + 40, y: at }] : [] });
  await touch('touchStart', y + 20);
  for (let by = 4; by <= 24; by += 4) await touch('touchMove', y + 20 - by);
  // Longer than a long press lasts: time itself is what is tried here.
  await page.waitForTimeout(700);
  await touch('touchEnd');
  assert.equal(await page.evaluate(() => window.pressed), 0);
  assert.equal(await side.locator('.menu').count(), 0);
  await world.closeColumn(page);
});

test('with a mouse the browser keeps its own menu', async () => {
  const desk = await world.window(browser);
  await world.signIn(desk);
  await desk.evaluate(() => {
    window.menus = [];
    window.addEventListener('contextmenu', (event) => window.menus.push(event.defaultPrevented));
  });
  await desk.locator('.side .list .item a').first().click({ button: 'right', delay: 700 });
  await desk.waitForFunction(() => window.menus.length > 0);
  assert.deepEqual(await desk.evaluate(() => window.menus), [false]);
  assert.equal(await desk.locator('.side .menu').count(), 0);
  await desk.context().close();
});

test('no keyboard comes up that was not asked for', async () => {
  world.model.reply = async function* () {
    yield 'A line of words.\n\n'.repeat(60);
  };
  const typing = () => page.evaluate(() => document.activeElement?.matches('textarea, input') ?? false);
  await page.goto(world.base);
  await page.locator('mj-begin textarea').waitFor();
  await page.getByRole('button', { name: 'New conversation', exact: true }).locator('visible=true').first().tap();
  assert.equal(await typing(), false, 'a new conversation');
  await world.say(page, 'Talk');
  await page.locator('mj-reply', { hasText: 'A line of words.' }).waitFor();
  await page.evaluate(() => document.activeElement?.blur());
  await page.locator('.scroll').evaluate((scroll) => scroll.scrollBy(0, -900));
  await page.getByRole('button', { name: /Go to the end|New messages below/ }).tap();
  await page.locator('.jump').waitFor({ state: 'detached' });
  assert.equal(await typing(), false, 'the end of the conversation');
  await world.say(page, '/sessions');
  await page.locator('.open-side').waitFor();
  await page.locator('.side').getByLabel('Search conversations').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.matches('.side input') ?? false), false, 'the list of conversations');
  await world.closeColumn(page);
  assert.deepEqual(page.problems, []);
});

test('a photo that is larger than a model takes is sent smaller, and upright', async () => {
  // Of a camera that was held upright: lying, with a note to turn it.
  const made = await page.evaluate(async () => {
    const [width, height] = [2400, 1600];
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    const pen = canvas.getContext('2d');
    const noise = pen.createImageData(width, height);
    for (let at = 0; at < noise.data.length; at += 65_536) crypto.getRandomValues(noise.data.subarray(at, at + 65_536));
    pen.putImageData(noise, 0, 0);
    const blob = await new Promise((done) => canvas.toBlob(done, 'image/jpeg', 1));
    return new Promise((done) => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result.split(',')[1]);
      reader.readAsDataURL(blob);
    });
  });
  const jpeg = Buffer.from(made, 'base64');
  const turn = Buffer.from('ffe100224578696600004d4d002a00000008000101120003000000010006000000000000', 'hex');
  const photo = Buffer.concat([jpeg.subarray(0, 2), turn, jpeg.subarray(2)]);
  assert.ok(photo.length > 6_000_000, `${photo.length} bytes`);
  world.model.reply = async function* () {
    yield 'A photo.';
  };
  const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
  await world.api(page, 'PATCH', `/v1/agents/${main.id}`, { model: 'test/scripted-vision' });
  const turned = async (picture) => assert.deepEqual(await picture.evaluate(async (image) => (await image.decode(), image.naturalHeight > image.naturalWidth)), true, 'upright');
  await page.goto(world.base);
  await page.locator('mj-begin input[type=file]').setInputFiles({ name: 'photo.jpeg', mimeType: 'image/jpeg', buffer: photo });
  await page.locator('mj-begin textarea').fill('What is this?');
  await page.locator('mj-begin').getByRole('button', { name: 'Send' }).tap();
  await page.locator('mj-reply', { hasText: 'A photo.' }).waitFor();
  await turned(page.locator('img.picture').first());
  await page.getByLabel('Attach files').setInputFiles({ name: 'photo.jpeg', mimeType: 'image/jpeg', buffer: photo });
  await page.locator('.uploads .chip', { hasText: 'photo.jpg' }).locator('.x').waitFor();
  await world.say(page, 'And this?');
  await page.locator('mj-reply', { hasText: 'A photo.' }).nth(1).waitFor();
  await turned(page.locator('img.picture').nth(1));
  const sent = world.model.requests.at(-1).messages.flatMap((one) => (Array.isArray(one.content) ? one.content : [])).filter((part) => part.type === 'image_url');
  assert.equal(sent.length, 2);
  for (const { image_url } of sent) assert.ok(image_url.url.length < 5 * 1024 * 1024, 'no more than a vendor takes');
  await world.api(page, 'PATCH', `/v1/agents/${main.id}`, { model: null });
  assert.deepEqual(page.problems, []);
});
