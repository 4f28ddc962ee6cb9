// Talking: words as they come, elements, calls, questions, stopping, steering, forks, drafts.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { leftOut } from './fixtures/left-out.mjs';
import { gate } from './model.mjs';
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
beforeEach(async () => {
  page.problems.length = 0;
  await world.converse(page);
});

/** What is seen while it comes, and after loading the page again, is the same. */
async function sameAfterReload(selector) {
  await page.locator('.head .chip.ok').waitFor({ state: 'detached' });
  await page.locator('mj-activity').getByText('Reply completed').last().waitFor({ state: 'attached' });
  const seen = await page.locator(selector).allInnerTexts();
  await page.reload();
  await page.locator(selector).first().waitFor();
  const same = ([selector, seen]) => JSON.stringify([...document.querySelectorAll(selector)].map((node) => node.innerText)) === JSON.stringify(seen);
  await page.waitForFunction(same, [selector, seen], { timeout: 20_000 }).catch(() => undefined);
  assert.deepEqual(await page.locator(selector).allInnerTexts(), seen);
}

const SHOW = `The fastest train leaves at **7:25** and arrives at *11:48*.

<thinking title="Thinking">Night trains stopped in 2020.</thinking>
<todo title="Plan"><item status="completed">Look up trains to Badajoz</item><item status="in_progress">Compare with the coach</item><item>Put the best into your calendar</item></todo>
<progress value="2" max="4">Halfway</progress>

| Way | Arrives | Costs |
|---|---|---|
| Train | 11:48 | 62 |
| Coach | 8:30 | 21 |

- first one
- second, see <link href="https://example.org/fares">the fares</link> here

\`\`\`python
def fare(a, b):
    return 62  # in euros
\`\`\`

<copy label="Booking code">LIS-2026-11-20</copy>
Which seat do you like? <hml-prompt id="seat" type="text">Which seat do you like?</hml-prompt> and the class <hml-prompt id="class" type="select" options='["second","first"]'>Which class?</hml-prompt> please.

@system(get_current_time, {timezone: "Europe/Lisbon"})

While you decide, the coach is slower.`;

test('everything a reply can hold grows while it comes and is the same afterwards', async () => {
  let asked = 0;
  world.model.reply = async function* () {
    asked += 1;
    if (asked > 1) return yield 'That was all.';
    yield { thinking: 'Let me think about trains.' };
    for (let at = 0; at < SHOW.length; at += 7) yield SHOW.slice(at, at + 7);
  };
  await world.say(page, 'Find me a way to be in Lisbon on Friday by noon.');
  await page.locator('mj-conversation').getByText('That was all.').last().waitFor();
  assert.equal(await page.locator('hml-todo li').count(), 3);
  assert.equal(await page.locator('mj-reply table tr').count(), 3);
  assert.equal(await page.locator('mj-reply mj-call').count(), 1);
  assert.equal(await page.locator('p hml-prompt, li hml-link').count(), 3, 'they stand in the middle of their lines');
  await page.locator('.code .c-keyword').first().waitFor();
  await page.locator('.scroll').evaluate((node) => (node.scrollTop = 0));
  await page.screenshot({ path: `${SHOTS}talk-light.png` });
  await page.evaluate(() => (document.documentElement.dataset.theme = 'dark'));
  await page.screenshot({ path: `${SHOTS}talk-dark.png` });
  await sameAfterReload('mj-message');
  const html = await page.locator('mj-reply').first().innerText();
  assert.ok(!html.includes('@system') && !html.includes('<todo'), 'markup is not shown');
  assert.deepEqual(page.problems, []);
});

test('a prompt is answered in its place', async () => {
  world.model.reply = async function* () {
    yield 'Seat? <hml-prompt id="seat">Which seat?</hml-prompt> Colour <hml-prompt id="c" type="radio" options=\'["red","blue"]\'>Which colour?</hml-prompt> Fine.';
  };
  await world.say(page, 'Ask me');
  await page.getByLabel('Which seat?', { exact: true }).fill('by the window');
  await page.keyboard.press('Enter');
  await page.locator('.prompt.answered', { hasText: 'by the window' }).waitFor();
  await page.getByLabel('blue').check();
  await page.getByRole('button', { name: 'Answer: Which colour?' }).click();
  await page.locator('.prompt.answered', { hasText: 'blue' }).waitFor();
  await sameAfterReload('.prompt.answered');
  assert.deepEqual(page.problems, []);
});

test('a question waits, is in the tray, and is answered by one of its options', async () => {
  let asked = 0;
  world.model.reply = async function* () {
    asked += 1;
    if (asked === 1) yield 'One thing. <ask options="tea, coffee">What may I bring you?</ask>';
    else yield 'Very well.';
  };
  await world.say(page, 'Bring me something');
  await world.inTray(page, (tray) => tray.getByText('What may I bring you?').waitFor());
  await page.locator('.head .chip.warn').waitFor();
  assert.match(await page.title(), /^\(1\) /);
  await page.screenshot({ path: `${SHOTS}question.png` });
  await page.locator('mj-question').getByRole('button', { name: 'tea' }).click();
  await page.locator('mj-conversation').getByText('Very well.').last().waitFor();
  await page.locator('mj-tray section').waitFor({ state: 'detached' });
  assert.deepEqual(page.problems, []);
});

test('a call is one line that opens to its arguments and its result', async () => {
  let asked = 0;
  world.model.reply = async function* () {
    asked += 1;
    if (asked === 1) yield { call: { name: 'get_current_time', timezone: 'Europe/Lisbon' } };
    else yield 'It is late.';
  };
  await world.say(page, 'What time is it?');
  await page.locator('mj-conversation').getByText('It is late.').last().waitFor();
  const call = page.locator('mj-call');
  await call.locator('summary').click();
  await call.locator('li', { hasText: /^timezone Europe\/Lisbon$/ }).first().waitFor();
  await call.getByRole('heading', { name: 'Result' }).waitFor();
  await sameAfterReload('mj-call summary b');
});

test('what a program says in the real cage is seen while it runs', async (t) => {
  await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  const { id } = await world.api(page, 'POST', '/v1/agents', { name: 'handy', capabilities: ['sandbox'], markup: { mode: 'on' } });
  const session = await world.api(page, 'POST', '/v1/sessions', { agent_id: id });
  world.model.reply = async function* (asked) {
    if (asked.messages.at(-1).role === 'tool') yield 'It is over.';
    else yield { call: { name: 'bash', command: 'n=0; while true; do n=$((n+1)); echo "line $n"; sleep 0.3; done' } };
  };
  await page.goto(`${world.base}/${session.id}`);
  await page.locator('mj-try').waitFor();
  await world.say(page, 'Count for me');
  await world.readRequest(page);
  await page.locator('mj-approval').getByRole('button', { name: /^Approve once/ }).click();
  const output = page.locator('mj-call .output');
  await output.or(page.locator('mj-reply', { hasText: 'It is over.' })).first().waitFor();
  if ((await output.count()) === 0) {
    const told = await page.locator('mj-call pre').last().textContent();
    if (/the sandbox for the program could not be started/.test(told)) return leftOut(t, `a program in the browser's session: ${told}`);
    assert.fail(told);
  }
  const lines = () => output.evaluate((node) => node.textContent.trim().split('\n').length);
  const before = await lines();
  await page.waitForFunction((before) => document.querySelector('mj-call .output').textContent.trim().split('\n').length > before, before + 1);
  assert.match(await output.textContent(), /^line 1\nline 2\n/);
  // Whoever comes in the middle is told all of it, too.
  await page.reload();
  await page.waitForFunction(() => /^line 1\nline 2\n/.test(document.querySelector('mj-call .output')?.textContent ?? ''));
  await page.screenshot({ path: `${SHOTS}output.png` });
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.locator('mj-activity').getByText('Reply stopped').waitFor({ state: 'attached' });
  // What it had said is what a person wants to read who stopped it, and stays; also after loading the page again.
  assert.match(await output.textContent(), /^line 1\nline 2\n/);
  await page.reload();
  await output.waitFor();
  assert.match(await output.textContent(), /^line 1\nline 2\n/);
  assert.match(await output.textContent(), /outcome unknown/);
  assert.deepEqual(page.problems, []);
});

test('output and errors of a program stay in the order in which they came', async (t) => {
  await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  const { id } = await world.api(page, 'POST', '/v1/agents', { name: 'orderly', capabilities: ['sandbox'], markup: { mode: 'on' } });
  const session = await world.api(page, 'POST', '/v1/sessions', { agent_id: id });
  world.model.reply = async function* (asked) {
    if (asked.messages.at(-1).role === 'tool') yield 'It is over.';
    else yield { call: { name: 'bash', command: 'echo one; sleep 0.3; echo oh >&2; sleep 0.3; echo two; sleep 0.3; echo no >&2; exit 3' } };
  };
  await page.goto(`${world.base}/${session.id}`);
  await page.locator('mj-try').waitFor();
  await world.say(page, 'Say it in turn');
  await world.readRequest(page);
  await page.locator('mj-approval').getByRole('button', { name: /^Approve once/ }).click();
  await page.locator('mj-reply', { hasText: 'It is over.' }).waitFor();
  const output = page.locator('mj-call .output');
  if ((await output.count()) === 0) {
    const told = await page.locator('mj-call pre').last().textContent();
    if (/the sandbox for the program could not be started/.test(told)) return leftOut(t, `a program in the browser's session: ${told}`);
    assert.fail(told);
  }
  const seen = async () => ({ text: await output.textContent(), errors: await output.locator('.errors').allTextContents() });
  assert.deepEqual(await seen(), { text: 'one\noh\ntwo\nno', errors: ['oh\n', 'no'] });
  // How it ended and how long it ran, which is not the time in which its person read the request.
  const state = page.locator('mj-call summary .state');
  const ended = await state.innerText();
  assert.match(ended, /^failed, exit code 3 · (\d+ ms|\d+(\.\d)? s)$/);
  await page.reload();
  await output.waitFor();
  assert.equal(await state.innerText(), ended);
  assert.deepEqual(await seen(), { text: 'one\noh\ntwo\nno', errors: ['oh\n', 'no'] });
  await page.screenshot({ path: `${SHOTS}order.png` });
  assert.deepEqual(page.problems, []);
});

test('what is written while a turn runs waits or steers; stopping keeps what was written', async () => {
  const held = gate();
  world.model.reply = async function* () {
    yield 'A long story begins';
    await held.passed;
    yield ' and ends.';
  };
  await world.say(page, 'Tell me a story');
  await page.locator('mj-conversation').getByText('A long story begins').last().waitFor();
  await page.getByLabel('Message', { exact: true }).fill('And then?');
  await page.screenshot({ path: `${SHOTS}working.png` });
  await world.send(page);
  await page.locator('.outgoing', { hasText: 'And then?' }).getByText('queued').waitFor();
  await page.getByLabel('Message', { exact: true }).fill('Shorter, please');
  const keys = await world.hasKeyboard(page);
  if (keys) await page.keyboard.press('Tab');
  else await page.getByRole('button', { name: 'Tell it now' }).tap();
  await page.locator('.outgoing', { hasText: 'Shorter' }).getByText('will be used in the next step').waitFor();
  world.model.reply = async function* () {
    yield 'Next.';
  };
  if (keys) await page.keyboard.press('Escape');
  else await page.getByRole('button', { name: 'Stop', exact: true }).tap();
  await page.getByText('Stopped.').first().waitFor();
  held.open();
  await page.locator('mj-conversation').getByText('Next.').last().waitFor();
  assert.equal(await page.getByText('A long story begins').count() >= 1, true);
  assert.deepEqual(page.problems, []);
});

test('a failed turn says what to do and is tried again', async () => {
  world.model.reply = async function* () {
    yield { fail: 400 };
  };
  await world.say(page, 'Hello?');
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  world.model.reply = async function* () {
    yield 'Better now.';
  };
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('mj-conversation').getByText('Better now.').last().waitFor();
  assert.equal(await page.locator('.msg.user').count(), 1, 'the words are not said twice');
  // What was overcome is not shown any more: now, after loading the page again, and in what is copied.
  await page.locator('.notice').waitFor({ state: 'detached' });
  await page.reload();
  await page.locator('mj-reply', { hasText: 'Better now.' }).waitFor();
  assert.equal(await page.locator('.notice').count(), 0);
  await page.evaluate(() => (navigator.clipboard.writeText = async (text) => void (window.copied = text)));
  await page.locator('.msg:not(.user)').getByLabel('Copy message').click();
  assert.equal(await page.evaluate(() => window.copied), 'Better now.');
});

test('an empty reply says that it was empty, also later, and is asked for once more', async () => {
  world.model.reply = async function* () {};
  await world.say(page, 'Say something');
  const told = page.locator('.notice', { hasText: 'the model sent an empty reply' });
  await told.waitFor();
  assert.match(await told.innerText(), /The reply failed[^]*Retry, write it differently, allow longer replies/);
  await page.screenshot({ path: `${SHOTS}empty.png` });
  await page.reload();
  await told.waitFor();
  world.model.reply = async function* () {
    yield 'Now I do.';
  };
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('mj-conversation').getByText('Now I do.').last().waitFor();
  await told.waitFor({ state: 'detached' });
  assert.deepEqual(page.problems, []);
});

test('there is one caret while a reply is written, wherever it is, and none afterwards', async () => {
  const stages = [{ thinking: 'Let me see.' }, 'Words, ', '**bold** ones', '\n\n- one\n- two', '\n\n```js\nlet a = 1;', '\n```\n\n<todo title="Plan"><item>Look', ' it up</item></todo>', '\n\nThen'];
  const holds = Array.from({ length: stages.length + 1 }, gate);
  world.model.reply = async function* (asked) {
    if (asked.messages.at(-1).role === 'tool') {
      yield 'It is';
      await holds.at(-1).passed;
      return yield ' late.';
    }
    for (const [at, stage] of stages.entries()) {
      yield stage;
      await holds[at].passed;
    }
    yield { call: { name: 'get_current_time', timezone: 'Europe/Lisbon' } };
  };
  /** Those that are drawn: a bar of the colour of the house behind what was written last. */
  const carets = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('mj-conversation .scroll *')].filter((node) => {
        const { content, borderLeftWidth, borderLeftStyle } = getComputedStyle(node, '::after');
        return content !== 'none' && borderLeftStyle === 'solid' && borderLeftWidth === '3px' && node.getClientRects().length > 0;
      }).length,
    );
  const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
  assert.ok(main.capabilities.includes('current_time'), JSON.stringify(main.capabilities));
  await world.say(page, 'Show me');
  const shown = ['Let me see.', 'Words,', 'ones', 'two', 'let a = 1;', 'Look', 'Look it up', 'Then'];
  for (const [at, words] of shown.entries()) {
    await page.locator('mj-message:last-of-type').getByText(words).first().waitFor({ state: 'attached' });
    assert.equal(await carets(), 1, `after ${words}`);
    holds[at].open();
  }
  await page.locator('mj-reply', { hasText: 'It is' }).waitFor();
  assert.equal(await carets(), 1, 'in the second step');
  holds.at(-1).open();
  await page.locator('mj-reply', { hasText: 'late.' }).waitFor();
  await page.locator('mj-message .acts').nth(1).waitFor();
  assert.equal(await carets(), 0);
  assert.deepEqual(page.problems, []);
});

test('a reply that was cut off says so, and goes on when its person wants that', async () => {
  world.model.reply = async function* (asked) {
    if (JSON.stringify(asked.messages.at(-1)).includes('Continue')) return yield 'and this is its end.';
    yield 'A story that is cut off ';
    yield { finish: 'length' };
  };
  await world.say(page, 'A story, please');
  await page.getByText('Cut off at the length limit.').waitFor();
  await page.screenshot({ path: `${SHOTS}cut-off.png` });
  const further = page.getByRole('button', { name: 'Continue', exact: true });
  await further.click();
  await page.locator('mj-conversation').getByText('and this is its end.').last().waitFor();
  await further.waitFor({ state: 'detached' });
  assert.deepEqual(page.problems, []);
});

test('a message is edited in place, in another version of the conversation', async () => {
  world.model.reply = async function* () {
    yield 'Fine.';
  };
  await world.say(page, 'First');
  await page.locator('mj-conversation').getByText('Fine.').last().waitFor();
  await world.say(page, 'Second');
  await page.locator('.msg.user', { hasText: 'Second' }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll('mj-message').length === 4);
  const before = page.url();
  await page.locator('.msg.user', { hasText: 'Second' }).hover();
  await page.locator('.msg.user', { hasText: 'Second' }).getByLabel('Edit', { exact: true }).click();
  await page.getByLabel('Edit your message').fill('Another');
  await world.send(page, 'form.edit');
  await page.waitForURL((url) => url.href !== before);
  await page.locator('.msg.user', { hasText: 'Another' }).waitFor();
  await page.locator('.versions', { hasText: '2/2' }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll('mj-message').length === 4);
  // Its model is not asked any more when the next one speaks.
  await page.locator('mj-message').last().getByText('Fine.').waitFor();
});

test('drafts stay with their conversation, and tabs go on in the background', async () => {
  const held = gate();
  world.model.reply = async function* () {
    yield 'Beginning';
    await held.passed;
    yield ' and end of it.';
  };
  const first = page.url();
  await world.say(page, 'Begin');
  await page.locator('mj-conversation').getByText('Beginning').last().waitFor();
  await page.getByLabel('Message', { exact: true }).fill('half a thought');
  await world.converse(page);
  assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), '');
  const tab = page.locator(`mj-tabs a[href$="${new URL(first).pathname}"]`);
  await tab.locator('.dot.working').waitFor();
  held.open();
  await tab.locator('.dot.working').waitFor({ state: 'detached' });
  await tab.click();
  await page.locator('mj-conversation').getByText('Beginning and end of it.').last().waitFor();
  assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), 'half a thought');
});

test('commands are completed and obeyed', async () => {
  await page.getByLabel('Message', { exact: true }).fill('/');
  await page.getByRole('option', { name: '/clear' }).waitFor();
  await page.getByLabel('Message', { exact: true }).fill('/he');
  if (await world.hasKeyboard(page)) await page.keyboard.press('Tab');
  else await page.getByRole('option', { name: '/help' }).tap();
  assert.equal((await page.getByLabel('Message', { exact: true }).inputValue()).trim(), '/help');
  await world.send(page);
  await page.getByRole('region', { name: 'Result of the command' }).waitFor();
  const before = page.url();
  await page.getByLabel('Message', { exact: true }).fill('/clear');
  await world.send(page);
  await page.waitForURL((url) => url.href !== before);
});
