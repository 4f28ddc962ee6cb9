// Deciding: approvals, questions, prompts of every kind, and being called.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, beforeEach, test } from 'node:test';
import { gate } from './model.mjs';
import { openBrowser, PASSWORD, SHOTS, World } from './world.mjs';

let browser, world, page;
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
  page = await world.window(browser);
  await page.addInitScript(() => {
    window.called = [];
    window.Notification = class {
      static permission = 'default';
      static requestPermission = async () => (window.Notification.permission = 'granted');
      constructor(title, options) {
        window.called.push([title, options.body]);
      }
    };
    Object.defineProperty(document, 'hidden', { get: () => window.away === true });
  });
  await world.signIn(page);
  const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
  const rules = [{ tool: 'get_current_time', action: 'ask' }];
  await world.api(page, 'PATCH', `/v1/agents/${main.id}`, { capabilities: ['current_time'], tool_rules: rules });
});
after(async () => {
  await browser?.close();
  await world?.end();
});
beforeEach(async () => {
  page.problems.length = 0;
  await world.converse(page);
});

/** The agent wants to know the time there, and says what came of it. */
function wantsTime(timezone) {
  world.model.reply = async function* (asked) {
    const last = asked.messages.at(-1);
    if (last.role === 'tool') yield /"datetime"/.test(last.content) ? `Known: ${asked.messages.length}.` : `Refused: ${asked.messages.length}.`;
    else yield { call: { name: 'get_current_time', timezone } };
  };
}

/** Keys count when it has been in view for a second; its buttons say so. */
const heard = () => world.readRequest(page);
/** By its key, or with a finger. */
const decide = async (key, button) => {
  await heard();
  if (!(await world.hasKeyboard(page))) return page.locator('mj-approval').getByRole('button', { name: new RegExp(`^${button}`) }).tap();
  await page.locator('.scroll').focus();
  await page.keyboard.press(key);
};

test('an approval shows exactly what is asked and why, and takes a key for a yes and one for a no', async () => {
  wantsTime('Europe/Lisbon');
  await world.say(page, 'What time is it there?');
  const card = page.locator('mj-approval section.approve');
  await card.getByText('Approve looking up the time?').waitFor();
  await card.locator('dt:has-text("timezone") + dd', { hasText: 'Europe/Lisbon' }).waitFor();
  await page.locator('mj-call', { hasText: 'needs your approval' }).waitFor();
  await card.getByText('The settings of this agent ask before this tool is used.').waitFor();
  await card.getByText(/expires in \d+/).waitFor();
  // What, to what, where, why, and for how long: in this order.
  assert.deepEqual(await card.locator('dt').allInnerTexts(), ['Tool', 'timezone', 'Where', 'Why asked', 'How long']);
  await card.getByText('On this server. No network.').waitFor();
  assert.equal(await card.locator('dt:has-text("How long") + dd div').count(), 3, 'once, for this conversation, always');
  await world.inTray(page, (tray) => tray.getByText('Approve looking up the time?').waitFor());
  await page.locator('mj-tabs .dot.needs').first().waitFor();
  assert.match(await page.title(), /^\(1\) /);
  await page.screenshot({ path: `${SHOTS}approval.png` });
  await page.reload();
  await card.waitFor();
  // A letter that is typed is a letter.
  await page.getByLabel('Message', { exact: true }).pressSequentially('a');
  assert.equal(await card.count(), 1);
  await page.getByLabel('Message', { exact: true }).fill('');
  await decide('a', 'Approve once');
  await page.locator('mj-conversation').getByText('Known: ').last().waitFor();
  await page.locator('mj-tray section').waitFor({ state: 'detached' });
  await world.say(page, 'And now?');
  await card.waitFor();
  await decide('d', 'Deny');
  await page.locator('mj-conversation').getByText('Refused: ').last().waitFor();
  assert.deepEqual(page.problems, []);
});

test('a search names its service and says why it asks, its lines stay lines, and a German page says it in German', async () => {
  await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
  await world.api(page, 'PATCH', `/v1/agents/${main.id}`, { capabilities: ['current_time', 'web_search'] });
  world.model.reply = async function* (asked) {
    if (asked.messages.at(-1).role === 'tool') yield 'Not searched.';
    else yield { call: { name: 'web_search', query: 'boots\n    for rain\u202e' } };
  };
  await world.say(page, 'Find boots');
  const card = page.locator('mj-approval section.approve');
  await card.getByText('Approve searching the web?').waitFor();
  assert.equal(await card.locator('dt:has-text("query") + dd pre').textContent(), 'boots\n    for rain⟨U+202E⟩');
  await card.getByText('On the network: the search service DuckDuckGo.').waitFor();
  await card.getByText('Web searches always need your approval, because the search service learns what is searched for.').waitFor();
  await page.screenshot({ path: `${SHOTS}approval-search.png` });
  await world.api(page, 'PATCH', '/v1/me', { language: 'de' });
  await page.reload();
  await card.getByText('Erlauben, im Web zu suchen?').waitFor();
  await card.getByText('Im Netz: der Suchdienst DuckDuckGo.').waitFor();
  await card.getByText('Websuchen brauchen immer Ihre Erlaubnis, weil der Suchdienst erfährt, wonach gesucht wird.').waitFor();
  await page.screenshot({ path: `${SHOTS}approval-search-german.png` });
  await heard();
  await card.getByRole('button', { name: /^Ablehnen/ }).click();
  await page.locator('mj-conversation').getByText('Not searched.').last().waitFor();
  await world.api(page, 'PATCH', '/v1/me', { language: 'en' });
  await page.reload();
  await page.getByLabel('Message', { exact: true }).waitFor();
  assert.deepEqual(page.problems, []);
});

test('a search that fails says why in German, and what another finds is a list of links', async () => {
  const answers = [[429, ''], [200, JSON.stringify({ results: [{ title: 'Boots <b>', url: 'https://boots.example/rain', content: 'Dry feet.' }, { title: 'More boots', url: 'https://more.example/', content: '' }] })]];
  const service = createServer((_, response) => {
    const [status, text] = answers.shift();
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise((ready) => service.listen(0, '127.0.0.1', ready));
  const house = await World.begin({ MAJORDOMO_SEARCH_BACKEND: 'searxng', MAJORDOMO_SEARCH_URL: `http://127.0.0.1:${service.address().port}` });
  house.found();
  const page = await house.window(browser);
  await house.signIn(page);
  await house.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  const [main] = (await house.api(page, 'GET', '/v1/agents')).items;
  await house.api(page, 'PATCH', `/v1/agents/${main.id}`, { capabilities: ['web_search'] });
  await house.api(page, 'PATCH', '/v1/me', { language: 'de' });
  await page.reload();
  await page.getByRole('textbox', { name: 'Nachricht', exact: true }).waitFor();
  house.model.reply = async function* (asked) {
    if (asked.messages.at(-1).role === 'tool') yield 'Done.';
    else yield { call: { name: 'web_search', query: 'boots' } };
  };
  const search = async (words) => {
    await page.getByRole('textbox', { name: 'Nachricht', exact: true }).fill(words);
    await page.locator('form button.primary').first().click();
    await house.readRequest(page);
    await page.locator('mj-approval button.primary').click();
  };
  await search('Such Stiefel');
  await page.locator('mj-reply', { hasText: 'Done.' }).waitFor();
  const failed = page.locator('mj-call').first();
  await failed.locator('summary').click();
  await failed.locator('pre.errors', { hasText: 'SearXNG wurde zu oft gefragt. Warten Sie vor der nächsten Suche.' }).waitFor();
  await page.screenshot({ path: `${SHOTS}search-failed-german.png` });
  await search('Noch einmal');
  await page.locator('mj-reply', { hasText: 'Done.' }).nth(1).waitFor();
  const found = page.locator('mj-call').nth(1);
  await found.locator('summary').click();
  const sources = found.locator('ol.sources');
  assert.deepEqual(await sources.locator('a').evaluateAll((all) => all.map((one) => [one.textContent, one.href, one.rel])), [['Boots <b>', 'https://boots.example/rain', 'noopener noreferrer'], ['More boots', 'https://more.example/', 'noopener noreferrer']]);
  assert.deepEqual(await sources.locator('.host').allTextContents(), ['boots.example', 'more.example']);
  await sources.getByText('Dry feet.').waitFor();
  await page.screenshot({ path: `${SHOTS}search-sources.png` });
  // The time in which a person was asked is not the agent's.
  const session = new URL(page.url()).pathname.split('/').pop();
  const events = (await house.api(page, 'GET', `/v1/sessions/${session}/events?limit=1000`)).items;
  const at = (type) => Date.parse(events.find((one) => one.type === type).at);
  const waited = at('approval_result') - at('approval_request');
  const [, number, unit] = / (\d+(?:,\d)?) (ms|s|min)$/.exec((await page.locator('.msg:not(.user) .meta').first().innerText()).trim());
  const told = Number(number.replace(',', '.')) * { ms: 1, s: 1_000, min: 60_000 }[unit];
  // A request counts a second after it was seen, which is more than what is rounded away.
  assert.ok(waited >= 1_000, `${waited}`);
  assert.ok(told <= at('turn_ended') - at('user_message') - waited + 600, `${told} ms, without ${waited}`);
  assert.deepEqual(page.problems, []);
  await house.end();
  service.close();
});

/** What becomes of words that are sent now, as the box says it. */
const hint = (page, text) => page.locator('mj-composer form > .boxed > .row > .hint', { hasText: text });

test('while a reply is being written, the box says that typing answers its question', async () => {
  const held = gate();
  world.model.reply = async function* (asked) {
    if (JSON.stringify(asked.messages.at(-1)).includes('green')) return yield 'Green it is.';
    yield '<ask options="green, black">Which tea?</ask> I am still writing';
    await held.passed;
    yield '.';
  };
  await world.say(page, 'Bring me tea');
  await page.locator('mj-reply', { hasText: 'I am still writing' }).waitFor();
  await hint(page, 'Your message will answer “Which tea?”').waitFor();
  const box = page.getByLabel('Message', { exact: true });
  await box.fill('green');
  // The reply itself can be told something, too.
  await hint(page, (await world.hasKeyboard(page)) ? 'Tab: tell it now' : 'Tell it now').waitFor();
  assert.equal(await hint(page, 'queue').count(), 0);
  await world.send(page);
  await page.locator('mj-question').filter({ hasText: 'green' }).locator('button').first().waitFor({ state: 'detached' });
  held.open();
  await page.locator('mj-conversation').getByText('Green it is.').last().waitFor();
  assert.deepEqual(page.problems, []);
});

test('while a call runs, the box says that a bare yes approves the one beside it', async (scenario) => {
  const held = gate();
  let runs = true;
  const service = createServer((_, response) => {
    response.once('close', () => (runs = false));
    void held.passed.then(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{"results":[]}'));
  });
  await new Promise((ready) => service.listen(0, '127.0.0.1', ready));
  const house = await World.begin({ MAJORDOMO_SEARCH_BACKEND: 'searxng', MAJORDOMO_SEARCH_URL: `http://127.0.0.1:${service.address().port}` });
  scenario.after(async () => {
    await house.end();
    service.close();
  });
  house.found();
  const page = await house.window(browser);
  await house.signIn(page);
  await house.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  const { id } = await house.api(page, 'GET', '/v1/me');
  await house.api(page, 'POST', '/v1/rules', { subject: id, tool: 'web_search', action: 'allow' });
  const [main] = (await house.api(page, 'GET', '/v1/agents')).items;
  await house.api(page, 'PATCH', `/v1/agents/${main.id}`, { capabilities: ['web_search', 'current_time'], tool_rules: [{ tool: 'get_current_time', action: 'ask' }] });
  house.model.reply = async function* (asked) {
    if (asked.messages.at(-1).role === 'tool') return yield 'Both are known.';
    yield { call: { name: 'web_search', query: 'boots' } };
    yield { call: { name: 'get_current_time', timezone: 'Europe/Lisbon' } };
  };
  await house.converse(page);
  await house.say(page, 'Boots, and the time');
  await page.locator('mj-approval section').waitFor();
  await hint(page, 'Read the whole request. Then type y').or(hint(page, 'Type y to approve')).first().waitFor();
  assert.ok(runs, 'the box says so while the search is running');
  await house.readRequest(page);
  await hint(page, 'Type y to approve get_current_time once, or n to deny it').waitFor();
  assert.equal(await hint(page, 'queue').count(), 0);
  await house.say(page, 'y');
  await page.locator('mj-approval').waitFor({ state: 'detached' });
  held.open();
  await page.locator('mj-conversation').getByText('Both are known.').last().waitFor();
  assert.deepEqual(page.problems, []);
});

test('a yes for the session holds there, and nowhere else', async () => {
  wantsTime('Europe/Madrid');
  await world.say(page, 'What time is it there?');
  await heard();
  await page.getByRole('button', { name: 'Approve for this conversation' }).click();
  await page.locator('mj-conversation').getByText('Known: ').last().waitFor();
  await world.say(page, 'And now?');
  await page.locator('mj-message', { hasText: 'Known: ' }).nth(1).waitFor();
  await world.converse(page);
  await world.say(page, 'And here?');
  await heard();
  await page.locator('mj-approval').getByRole('button', { name: /^Deny/ }).click();
  await page.locator('mj-conversation').getByText('Refused: ').last().waitFor();
});

test('a yes for ever takes the password, is told among the permissions, and is taken back there', async () => {
  wantsTime('Europe/Paris');
  await world.say(page, 'What time is it there?');
  await heard();
  await page.getByRole('button', { name: 'Always approve exactly this' }).click();
  const again = page.locator('mj-confirm dialog');
  if (await again.or(page.locator('mj-reply', { hasText: 'Known: ' })).first().waitFor().then(() => again.count())) {
    await again.getByLabel('Password').fill(PASSWORD);
    await again.getByRole('button', { name: 'Continue' }).click();
  }
  await page.locator('mj-conversation').getByText('Known: ').last().waitFor();
  await world.place(page, 'permissions');
  const rule = page.locator('.rule', { hasText: 'may use get_current_time with exactly this input without asking.' });
  await rule.locator('pre', { hasText: '"timezone": "Europe/Paris"' }).waitFor();
  await page.screenshot({ path: `${SHOTS}permissions.png` });
  await rule.getByRole('button', { name: /^Revoke/ }).click();
  await page.getByText('The rule was revoked.').waitFor();
  await rule.waitFor({ state: 'detached' });
  await page.locator('mj-permissions input[name=tool]').fill('get_current_time');
  await page.locator('mj-permissions select[name=action]').selectOption('deny');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByText('All your agents may never use get_current_time.').waitFor();
  await world.converse(page);
  await world.say(page, 'And now?');
  await page.locator('mj-conversation').getByText('Refused: ').last().waitFor();
  await world.place(page, 'permissions');
  await page.getByRole('button', { name: 'Revoke: All your agents may never use get_current_time.' }).click();
  await page.getByText('The rule was revoked.').waitFor();
});

test('rules that are made and taken back elsewhere are seen where they are listed', async () => {
  wantsTime('Europe/Vienna');
  await world.say(page, 'What time is it there?');
  await page.locator('mj-approval section').waitFor();
  await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  const other = await page.context().newPage();
  other.setDefaultTimeout(60_000);
  await other.goto(`${world.base}/permissions`);
  await other.getByRole('heading', { name: 'Permissions' }).waitFor();
  await other.locator('mj-permissions input[name=tool]').fill('half_written');
  // A yes for ever, given in another window.
  await heard();
  await page.getByRole('button', { name: 'Always approve exactly this' }).click();
  const always = other.locator('.rule', { hasText: 'may use get_current_time with exactly this input without asking.' });
  await always.locator('pre', { hasText: '"timezone": "Europe/Vienna"' }).waitFor();
  // One that another program makes and takes back, of which no event tells.
  const { id } = await world.api(page, 'GET', '/v1/me');
  const made = await world.api(page, 'POST', '/v1/rules', { subject: id, tool: 'write_file', action: 'deny' });
  const never = other.locator('.rule', { hasText: 'All your agents may never use write_file.' });
  await never.waitFor();
  await world.api(page, 'DELETE', `/v1/rules/${made.id}`);
  await other.evaluate(() => window.dispatchEvent(new Event('focus')));
  await never.waitFor({ state: 'detached' });
  assert.equal(await other.locator('mj-permissions input[name=tool]').inputValue(), 'half_written');
  await always.getByRole('button', { name: /^Revoke/ }).click();
  await always.waitFor({ state: 'detached' });
  await page.locator('mj-conversation').getByText('Known: ').last().waitFor();
  await other.close();
  assert.deepEqual(page.problems, []);
});

test('a question counts down and is answered in words, or by its default', async () => {
  world.model.reply = async function* (asked) {
    const said = JSON.stringify(asked.messages.at(-1));
    if (/the blue one/.test(said)) yield 'Blue it is.';
    else if (/the green one/.test(said)) yield 'Green it is.';
    else if (/quickly/.test(said)) yield '<ask timeout="1s" default="the green one">Which one, quickly?</ask>';
    else yield '<ask timeout="600s" default="the red one" options="the red one, the yellow one">Which one?</ask>';
  };
  await world.say(page, 'Choose');
  const question = page.locator('mj-question');
  await question.getByText(/\d+:\d\d left, then your answer is “the red one”/).waitFor();
  await question.getByRole('button', { name: 'the yellow one' }).waitFor();
  await question.getByLabel('Answer in your own words').fill('the blue one');
  await page.keyboard.press('Enter');
  await page.locator('mj-conversation').getByText('Blue it is.').last().waitFor();
  await world.say(page, 'Choose quickly');
  await page.locator('mj-conversation').getByText('Green it is.').last().waitFor();
  assert.deepEqual(page.problems, []);
});

const PROMPTS = [
  ['text', '', (field) => field.getByRole('textbox').fill('some words'), 'some words'],
  ['number', 'min="1" max="9"', (field) => field.getByRole('spinbutton').fill('7'), '7'],
  ['range', 'min="0" max="10" step="5"', (field) => field.getByRole('slider').fill('10'), '10'],
  ['color', '', (field) => field.locator('input[type=color]').fill('#123456'), '#123456'],
  ['checkbox', '', (field) => field.getByRole('checkbox').check(), 'Yes'],
  ['select', 'options=\'["one","two"]\'', (field) => field.getByRole('combobox').selectOption('two'), 'two'],
  ['radio', 'options=\'["left","right"]\'', (field) => field.getByLabel('right').check(), 'right'],
  ['checkboxes', 'options=\'["a1","b2","c3"]\'', (field) => field.getByLabel('c3').check(), 'c3'],
];

/** The answer alone: without the question, which is only heard, and without what changes it. */
const answerIn = (settled) => settled.evaluate((node) => [...node.childNodes].filter((one) => one.nodeType === Node.TEXT_NODE).map((one) => one.textContent).join('').trim());

test('prompts of every kind are answered in their places', async () => {
  world.model.reply = async function* () {
    yield `Tell me. ${PROMPTS.map(([type, more]) => `<hml-prompt id="p-${type}" type="${type}" ${more}>The ${type}?</hml-prompt>`).join('\n\n')} Thanks.`;
  };
  await world.say(page, 'Ask me everything');
  await page.locator('form.prompt').nth(PROMPTS.length - 1).waitFor();
  await page.screenshot({ path: `${SHOTS}prompts.png` });
  for (const [type, , fill, answer] of PROMPTS) {
    const field = page.locator('form.prompt', { has: page.getByRole('button', { name: `Answer: The ${type}?` }) });
    await fill(field);
    await field.getByRole('button', { name: `Answer: The ${type}?` }).click();
    const settled = page.locator('.prompt.answered', { hasText: `The ${type}?` });
    await settled.waitFor();
    assert.equal(await answerIn(settled), answer);
  }
  assert.equal(await page.locator('form.prompt').count(), 0);
  assert.deepEqual(page.problems, []);
});

test('prompts inside of other elements are answered there, each beside the words it belongs to', async () => {
  world.model.reply = async function* () {
    yield '<todo title="Trip"><item status="completed">Book <hml-prompt id="seat">Which seat?</hml-prompt></item><item>Pack';
    yield ' <hml-prompt id="bag" type="radio">Which bag?<option value="s">Small</option><option value="l">Large</option></hml-prompt></item></todo>\n\n';
    yield '<result for="hotels" status="ok">Two were found. <hml-prompt id="nights" type="number" min="1" max="9">How many nights?</hml-prompt></result>\n\n';
    yield '<thinking title="Doubts">Is it far? <hml-prompt id="far" type="checkbox">Is it far?</hml-prompt></thinking>\n\n';
    yield 'See <link href="https://example.org/">the map <hml-prompt id="map">What is on it?</hml-prompt></link>. The end.';
  };
  await world.say(page, 'Ask me in places');
  await page.locator('mj-reply', { hasText: 'The end.' }).waitFor();
  const answer = async (where, question, fill, shown) => {
    const form = page.locator(`${where} form.prompt`, { has: page.getByRole('button', { name: `Answer: ${question}` }) });
    await fill(form);
    await form.getByRole('button', { name: `Answer: ${question}` }).click();
    const settled = page.locator(`${where} .prompt.answered`, { hasText: question });
    await settled.waitFor();
    assert.equal(await answerIn(settled), shown);
  };
  await page.locator('hml-todo form.prompt').nth(1).waitFor();
  await page.screenshot({ path: `${SHOTS}prompts-nested.png` });
  assert.deepEqual(await page.locator('hml-todo li > span:not(.unseen):not(.asked)').allInnerTexts(), ['Book', 'Pack']);
  await answer('hml-todo li.done', 'Which seat?', (form) => form.getByRole('textbox').fill('14A'), '14A');
  await answer('hml-todo li:not(.done)', 'Which bag?', (form) => form.getByLabel('Large').check(), 'Large');
  await answer('hml-result', 'How many nights?', (form) => form.getByRole('spinbutton').fill('3'), '3');
  await page.locator('hml-thinking summary').click();
  await answer('hml-thinking', 'Is it far?', (form) => form.getByRole('checkbox').check(), 'Yes');
  await answer('hml-link', 'What is on it?', (form) => form.getByRole('textbox').fill('a river'), 'a river');
  await page.reload();
  await page.locator('hml-todo .prompt.answered', { hasText: '14A' }).waitFor();
  assert.equal(await page.locator('mj-reply .prompt.answered').count(), 5);
  assert.equal(await page.locator('form.prompt').count(), 0);
  assert.deepEqual(page.problems, []);
});

test('who asked for it is called when an agent needs them and nobody looks', async () => {
  world.model.reply = async function* () {
    yield '<ask>Are you there?</ask>';
  };
  const session = page.url().split('/').pop();
  const ask = (answers) => world.api(page, 'POST', `/v1/sessions/${session}/messages`, { content: 'Call me', ...(answers && { answers }) });
  await page.evaluate(() => (window.away = true));
  await ask();
  await page.locator('mj-question', { hasText: 'Are you there?' }).waitFor();
  assert.deepEqual(await page.evaluate(() => window.called), [], 'nobody is called who did not ask for it');
  await world.place(page, 'settings');
  await page.locator('.sections').getByText('Appearance').click();
  await page.getByLabel('Notify me when an agent needs my answer').check();
  await page.evaluate(() => (window.away = true));
  // The first question is still open: words that do not name it would wait behind it.
  const [{ id }] = (await world.api(page, 'GET', '/v1/questions')).items.filter((one) => one.session_id === session);
  await ask({ question_id: id });
  await page.waitForFunction(() => window.called.length > 0);
  assert.match((await page.evaluate(() => window.called))[0][1], /Are you there\?|Your answer is needed/);
  await page.evaluate(() => (window.away = false));
});

test('words answer the question that was shown when they were begun, and wait where none was', async () => {
  world.model.reply = async function* (asked) {
    const said = String(asked.messages.at(-1).content);
    if (/Clean up/.test(said)) yield '<ask options="keep everything, delete everything">What may I do?</ask>';
    else yield `Heard: ${said}`;
  };
  const field = page.getByLabel('Message', { exact: true });
  await world.say(page, 'Clean up');
  await page.locator('mj-question', { hasText: 'What may I do?' }).waitFor();
  await page.getByText('Your message will answer “What may I do?”').waitFor();
  await world.say(page, '1');
  await page.locator('mj-conversation').getByText(/Heard: .*keep everything/s).last().waitFor();
  // Begun before the question was there: not an answer, and not sent without asking.
  await world.converse(page);
  await field.fill('2');
  const session = new URL(page.url()).pathname.slice(1);
  void world.api(page, 'POST', `/v1/sessions/${session}/messages`, { content: 'Clean up' });
  const question = page.locator('mj-question section:not(.settled)', { hasText: 'What may I do?' });
  await question.waitFor();
  await field.focus();
  await world.send(page);
  await page.locator('.unsure', { hasText: 'Your message was not sent yet.' }).waitFor();
  await page.getByRole('button', { name: 'Queue it as a message' }).click();
  await page.locator('.outgoing', { hasText: '2' }).waitFor();
  assert.equal(await question.count(), 1, 'nothing was answered');
  await question.getByRole('button', { name: 'keep everything' }).click();
  await page.locator('mj-reply', { hasText: 'Heard: 2' }).waitFor();
  assert.deepEqual(page.problems, []);
});

test('a bare y or n decides an approval, other words ask once more', async () => {
  wantsTime('Europe/Athens');
  const card = page.locator('mj-approval section.approve:not(.settled)');
  await world.say(page, 'What time is it there?');
  await card.waitFor();
  await world.say(page, 'and buy milk');
  const unsure = page.locator('.unsure');
  await unsure.waitFor();
  assert.equal(await card.count(), 1, 'nothing was decided');
  await unsure.getByRole('button', { name: 'Keep editing' }).click();
  const field = page.getByLabel('Message', { exact: true });
  assert.equal(await field.inputValue(), 'and buy milk');
  await field.focus();
  await world.send(page);
  await unsure.getByRole('button', { name: 'Deny get_current_time with this reason' }).click();
  await page.locator('mj-conversation').getByText('Refused: ').last().waitFor();
  assert.match(JSON.stringify(world.model.requests.at(-1).messages), /and buy milk/);
  await world.say(page, 'And now?');
  await heard();
  await world.say(page, 'y');
  await page.locator('mj-conversation').getByText('Known: ').last().waitFor();
  await world.say(page, 'Once more?');
  await heard();
  await world.say(page, 'no');
  await page.locator('mj-message', { hasText: 'Refused: ' }).nth(1).waitFor();
  assert.deepEqual(page.problems, []);
});

test('streaming can be switched off, and is a command like the others', async () => {
  let goOn;
  world.model.reply = async function* () {
    yield 'First half, ';
    await new Promise((resolve) => (goOn = resolve));
    yield 'second half.';
  };
  const field = page.getByLabel('Message', { exact: true });
  await field.fill('/str');
  await page.locator('.completion', { hasText: '/stream on|off' }).waitFor();
  await field.fill('/stream off');
  await world.send(page);
  await page.getByText('Streaming is off. Replies are shown when they are complete.').waitFor();
  await world.say(page, 'Tell me');
  await page.locator('article.msg[aria-busy=true]').waitFor();
  await page.waitForFunction(() => document.querySelector('mj-reply') !== null);
  assert.equal(await page.getByText('First half').count(), 0);
  while (!goOn) await page.evaluate(() => new Promise((next) => requestAnimationFrame(next)));
  goOn();
  await page.locator('mj-reply', { hasText: 'First half, second half.' }).waitFor();
  await world.say(page, '/stream on');
  await page.getByText('Streaming is on. Replies are shown while they are written.').waitFor();
});
