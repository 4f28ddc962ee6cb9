// A turn that is not over: it can be stopped whatever it waits for, nothing else is begun in its place, and answers can be changed until
// they are read; at a desk and on a telephone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gate } from './model.mjs';
import { openBrowser, SHOTS, World } from './world.mjs';

const SIZES = {
  desk: {},
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};
const ZONES = Intl.supportedValuesOf('timeZone');
/** An agent that must ask for the time, and one that need not. */
let browser, world, careful, free;
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
});
after(async () => {
  await browser?.close();
  await world?.end();
});

for (const [size, options] of Object.entries(SIZES)) {
  const windows = {};
  /** A new conversation with this agent. */
  const open = async (agent) => {
    windows.page ??= await (async () => {
      const page = await world.window(browser, options);
      await world.signIn(page);
      const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
      const make = async (name, action) => {
        const body = { name: `${name}-${size}`, capabilities: ['current_time'], markup: { mode: 'on' }, model: main.model, tool_rules: action ? [{ tool: 'get_current_time', action }] : [] };
        return (await world.api(page, 'POST', '/v1/agents', body)).id;
      };
      [careful, free] = [await make('careful', 'ask'), await make('free', null)];
      return page;
    })();
    const { page } = windows;
    page.problems.length = 0;
    const { id } = await world.api(page, 'POST', '/v1/sessions', { agent_id: agent() });
    await page.goto(`${world.base}/${id}`);
    await page.locator('mj-try').waitFor();
    return page;
  };
  const stop = (page) => page.getByRole('button', { name: 'Stop', exact: true });

  test(`${size}: a turn that waits for an approval can be stopped, and nothing else is begun in its place`, async () => {
    world.model.reply = async function* (asked) {
      if (asked.messages.at(-1).role === 'tool') yield 'Known.';
      else yield { call: { name: 'get_current_time', timezone: 'Europe/Lisbon' } };
    };
    const page = await open(() => careful);
    assert.equal(await stop(page).count(), 0, 'nothing runs');
    await world.say(page, 'What time is it there?');
    await page.locator('mj-approval section.approve').waitFor();
    await stop(page).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
    await page.screenshot({ path: `${SHOTS}stop-waiting-${size}.png` });
    await page.reload();
    await page.locator('mj-approval section.approve').waitFor();
    await stop(page).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
    if (size === 'desk') await page.keyboard.press('Escape');
    else await stop(page).tap();
    await page.locator('mj-approval section.approve').waitFor({ state: 'detached' });
    await stop(page).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Try again' }).first().waitFor();
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: a turn that waits for an answer can be stopped`, async () => {
    world.model.reply = async function* () {
      yield '<ask>Tea or coffee?</ask>';
    };
    const page = await open(() => free);
    await world.say(page, 'Bring me something');
    await page.locator('mj-question', { hasText: 'Tea or coffee?' }).waitFor();
    await stop(page).click();
    await stop(page).waitFor({ state: 'hidden' });
    await page.locator('mj-question section.settled').waitFor();
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: a turn of many steps can be stopped after the page was loaded again`, async () => {
    const held = gate();
    let step = 0;
    world.model.reply = async function* () {
      step += 1;
      if (step > 10) {
        yield 'At last';
        await held.passed;
        return;
      }
      for (const timezone of ZONES.slice(step * 14, step * 14 + 14)) yield { call: { name: 'get_current_time', timezone } };
    };
    const page = await open(() => free);
    await world.say(page, 'What time is it everywhere?');
    await page.locator('mj-reply', { hasText: 'At last' }).waitFor();
    const session = new URL(page.url()).pathname.slice(1);
    const { last_seq } = await world.api(page, 'GET', `/v1/sessions/${session}`);
    assert.ok(last_seq > 260, `it began before the newest events: ${last_seq}`);
    await page.reload();
    await page.locator('mj-reply', { hasText: 'At last' }).waitFor();
    await stop(page).click();
    await page.getByText('Stopped.').waitFor();
    await stop(page).waitFor({ state: 'hidden' });
    held.open();
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: an answer is shown in the words that were chosen from, and can be changed until the agent reads it`, async () => {
    let round = 0;
    world.model.reply = async function* () {
      round += 1;
      if (round > 1) return yield 'Packed.';
      yield 'Take <hml-prompt id="bag" type="radio">Which bag?<option value="s">Small</option><option value="l">Large</option></hml-prompt> with you.';
    };
    const page = await open(() => free);
    await world.say(page, 'Pack');
    await page.getByLabel('Large').check();
    await page.getByRole('button', { name: 'Answer: Which bag?' }).click();
    const answered = page.locator('.prompt.answered');
    await answered.filter({ hasText: 'Large' }).waitFor();
    await page.reload();
    await answered.filter({ hasText: 'Large' }).waitFor();
    await page.screenshot({ path: `${SHOTS}prompt-change-${size}.png` });
    await page.getByRole('button', { name: 'Change the answer: Which bag?' }).click();
    assert.equal(await page.getByLabel('Large').isChecked(), true, 'what was answered is chosen');
    await page.getByLabel('Small').check();
    await page.getByRole('button', { name: 'Answer: Which bag?' }).click();
    await answered.filter({ hasText: 'Small' }).waitFor();
    await world.say(page, 'Go on');
    await page.locator('mj-reply', { hasText: 'Packed.' }).waitFor();
    assert.match(JSON.stringify(world.model.requests.at(-1).messages), /<response>s<\/response>/);
    await page.getByRole('button', { name: 'Change the answer: Which bag?' }).waitFor({ state: 'detached' });
    // A window that does not know it yet is told in words.
    const session = new URL(page.url()).pathname.slice(1);
    const message = (await world.api(page, 'GET', `/v1/sessions/${session}/messages`)).items.find((one) => one.role === 'assistant');
    const refused = await world.api(page, 'POST', `/v1/sessions/${session}/prompts/${message.id}/bag`, { answer: 'l' });
    assert.deepEqual([refused.status, refused.code], [409, 'answer_read']);
    assert.match(refused.detail, /already read this answer/);
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: what was told to the running reply is there after the page was loaded again`, async () => {
    const held = gate();
    world.model.reply = async function* (asked) {
      if (/Shorter/.test(JSON.stringify(asked.messages.at(-1)))) return yield 'Short.';
      yield 'A long story';
      await held.passed;
    };
    const page = await open(() => free);
    await world.say(page, 'Tell me a story');
    await page.locator('mj-reply', { hasText: 'A long story' }).waitFor();
    await page.getByLabel('Message', { exact: true }).fill('Shorter, please');
    if (size === 'desk') await page.keyboard.press('Tab');
    else await page.getByRole('button', { name: 'Tell it now' }).tap();
    const told = page.locator('.outgoing', { hasText: 'Shorter, please' });
    await told.getByText('will be used in the next step').waitFor();
    await page.reload();
    await told.getByText('will be used in the next step').waitFor();
    assert.equal(await told.count(), 1);
    assert.equal(await told.getByRole('button').count(), 0, 'it cannot be taken back');
    held.open();
    await page.locator('mj-reply', { hasText: 'Short.' }).waitFor();
    await told.waitFor({ state: 'detached' });
    assert.equal(await page.locator('.msg.user', { hasText: 'Shorter, please' }).count(), 1);
    assert.deepEqual(page.problems, []);
  });

  test(`${size}: a wide diagram keeps its size on a telephone, and a chart has its numbers for those who hear it`, async () => {
    world.model.reply = async function* () {
      yield `\`\`\`mermaid\nflowchart LR\n${Array.from({ length: 9 }, (_, at) => `  n${at}[Station number ${at}] --> n${at + 1}[Station number ${at + 1}]`).join('\n')}\n\`\`\`\n\n`;
      yield '<chart kind="bar" title="Rain">Day,Rain\nMon,1234567.5\nTue,5</chart>\n\nDrawn.';
    };
    const page = await open(() => free);
    await world.say(page, 'Draw');
    await page.locator('mj-reply', { hasText: 'Drawn.' }).waitFor();
    const diagram = page.locator('svg.diagram');
    await diagram.waitFor();
    const [natural, shown, room] = await diagram.evaluate((node) => [Number(node.getAttribute('width')), node.getBoundingClientRect().width, node.closest('figure').clientWidth]);
    assert.ok(natural > room, 'it is wider than there is room');
    if (size === 'phone') assert.equal(shown, natural);
    else assert.ok(shown <= room);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true, 'only the diagram scrolls');
    assert.deepEqual(await page.locator('hml-chart td').allTextContents(), ['Mon', '1,234,567.5', 'Tue', '5']);
    await page.screenshot({ path: `${SHOTS}wide-diagram-${size}.png` });
    assert.deepEqual(page.problems, []);
  });
}

test('Esc in a message that is being edited ends the editing, and not the reply', async () => {
  const page = await world.window(browser);
  await world.signIn(page);
  await world.converse(page);
  const held = gate();
  world.model.reply = async function* () {
    yield 'It goes';
    await held.passed;
    yield ' on.';
  };
  await world.say(page, 'Tell me');
  await page.locator('mj-reply', { hasText: 'It goes' }).waitFor();
  await page.locator('.msg.user').first().hover();
  await page.locator('.msg.user').first().getByLabel('Edit', { exact: true }).click();
  await page.getByLabel('Edit your message').press('Escape');
  await page.getByLabel('Edit your message').waitFor({ state: 'detached' });
  held.open();
  await page.locator('mj-reply', { hasText: 'It goes on.' }).waitFor();
  assert.equal(await page.getByText('Stopped.').count(), 0);
  await page.context().close();
});

test('Esc in a name, a search, the list of tabs or a menu is for that, and in the message box for the reply', async () => {
  const page = await world.window(browser);
  await world.signIn(page);
  await world.converse(page);
  await world.converse(page);
  const held = gate();
  world.model.reply = async function* () {
    yield 'It goes';
    await held.passed;
    yield ' on.';
  };
  await world.say(page, 'Tell me');
  await page.locator('mj-reply', { hasText: 'It goes' }).waitFor();
  const entry = page.locator('.side .item').first();
  const actions = async () => {
    await entry.hover();
    await entry.locator('.more').click();
  };
  await actions();
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByLabel('Name of the conversation').press('Escape');
  await page.getByLabel('Name of the conversation').waitFor({ state: 'detached' });
  await actions();
  await page.keyboard.press('Escape');
  await page.locator('.side .menu').waitFor({ state: 'detached' });
  await page.getByLabel('Search conversations').fill('tell');
  await page.getByLabel('Search conversations').press('Escape');
  await page.getByRole('button', { name: /^All open conversations/ }).click();
  await page.locator('.drop').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.drop').waitFor({ state: 'detached' });
  held.open();
  await page.locator('mj-reply', { hasText: 'It goes on.' }).waitFor();
  assert.equal(await page.getByText('Stopped.').count(), 0);
  // The control: where a message is written, and where nothing is, Esc stops the reply.
  for (const where of [page.getByLabel('Message', { exact: true }), page.locator('.transcript')]) {
    const never = gate();
    world.model.reply = async function* () {
      yield 'It never ends';
      await never.passed;
    };
    await world.say(page, 'And now');
    await page.locator('mj-reply', { hasText: 'It never ends' }).last().waitFor();
    await page.locator('.head').click();
    if ((await where.count()) > 0) await where.first().press('Escape');
    else await page.keyboard.press('Escape');
    await page.locator('.btn.stop').waitFor({ state: 'hidden' });
    never.open();
  }
  await page.context().close();
});

test('Enter that is pressed twice on a bare y approves once, without a complaint', async () => {
  const page = await world.window(browser);
  await world.signIn(page);
  const { id } = await world.api(page, 'POST', '/v1/sessions', { agent_id: careful });
  await page.goto(`${world.base}/${id}`);
  await page.locator('mj-try').waitFor();
  world.model.reply = async function* (asked) {
    if (asked.messages.at(-1).role === 'tool') yield 'Known.';
    else yield { call: { name: 'get_current_time', timezone: 'Europe/Madrid' } };
  };
  await world.say(page, 'What time is it there?');
  await page.locator('mj-approval section.approve').waitFor();
  await world.readRequest(page);
  // The first answer is still on its way when the second Enter comes.
  const [sent, pressed] = [[], gate()];
  await page.route('**/v1/approvals/*', async (route) => {
    sent.push(route.request().postData());
    await pressed.passed;
    await route.continue();
  });
  const field = page.getByLabel('Message', { exact: true });
  await field.fill('y');
  await field.press('Enter');
  await field.press('Enter');
  pressed.open();
  await page.locator('mj-reply', { hasText: 'Known.' }).waitFor();
  assert.equal(sent.length, 1);
  assert.equal(await page.locator('mj-composer .told').count(), 0);
  assert.equal(await field.inputValue(), '');
  await page.context().close();
});
