// The first minute: from the set-up link to a streamed answer, from a clean profile.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, PASSWORD, SHOTS, World } from './world.mjs';

const PDF = new URL('../../../crates/documents/tests/files/made/english-typst.pdf', import.meta.url).pathname;

let browser, world;
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
});
after(async () => {
  await browser?.close();
  await world?.end();
});

test('a newcomer gets from the set-up link to a streamed answer', async () => {
  world.model.reply = async function* () {
    yield 'Welcome ';
    yield 'to **your** house.';
  };
  const page = await world.window(browser);
  await page.goto(world.setupLink);
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  assert.ok(!page.url().includes(world.setupLink.split('#')[1]), 'the secret leaves the address');
  await page.screenshot({ path: `${SHOTS}setup.png` });
  await page.getByLabel('Name').fill('ada');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Set up a model' }).waitFor();
  await page.screenshot({ path: `${SHOTS}model.png` });
  await page.getByRole('button', { name: /scripted/ }).first().click();
  await page.getByRole('heading', { name: /Good to see you, ada/ }).waitFor();
  await page.screenshot({ path: `${SHOTS}welcome.png` });
  await page.getByLabel('Message', { exact: true }).waitFor();
  await world.say(page, 'Hello');
  await page.locator('mj-reply strong', { hasText: 'your' }).waitFor();
  assert.equal(await page.locator('mj-reply').innerText(), 'Welcome to your house.');
  assert.deepEqual(page.problems, []);
  world.founded = true;
});

test('the default model is chosen in the settings, and a provider is added with the same form', async () => {
  const page = await world.window(browser);
  await world.signIn(page);
  await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  await page.goto(`${world.base}/settings#models`);
  const usual = page.getByLabel('Default model');
  await page.getByText('test/scripted was chosen here.').waitFor();
  assert.equal(await usual.inputValue(), 'test/scripted', 'as at the first start');
  await usual.selectOption('test/scripted-vision');
  await page.getByText('The default model was changed. It applies at once.').waitFor();
  await page.getByText('test/scripted-vision was chosen here.').waitFor();
  assert.equal((await world.api(page, 'GET', '/v1/models/default')).model, 'test/scripted-vision');

  const form = page.locator('mj-provider-form');
  const field = (name) => form.locator(`[name=${name}]`);
  const vendor = (label) => form.locator('.vendors label', { hasText: label }).click();
  const labels = await form.locator('.vendors label').allInnerTexts();
  for (const label of ['Anthropic', 'OpenAI', 'OpenRouter', 'Google Gemini', 'Mistral', 'DeepSeek', 'Groq', 'xAI', 'Ollama', 'LM Studio', 'llama.cpp', 'vLLM', 'Another provider']) assert.ok(labels.includes(label), label);
  assert.equal(await field('base_url').inputValue(), 'https://api.anthropic.com');
  assert.ok(await field('api_key').isVisible(), 'a vendor wants a key');
  await vendor('Ollama');
  assert.equal(await field('base_url').inputValue(), 'http://127.0.0.1:11434/v1');
  assert.ok(!(await field('api_key').isVisible()), 'a server at home does not');
  await page.screenshot({ path: `${SHOTS}provider-form.png` });

  await vendor('Another provider');
  assert.equal(await field('name').inputValue(), 'custom');
  await field('base_url').fill(world.model.url);
  await form.getByRole('button', { name: 'Test and save provider' }).click();
  await page.getByText('custom works and was saved. Models found: 2.').waitFor();
  const offered = page.locator('#provider-form .choice', { hasText: 'custom/scripted' }).first();
  assert.match(await offered.innerText(), /free/, 'with its price');
  await offered.click();
  await page.getByText('custom/scripted was chosen here.').waitFor();
  assert.equal(await usual.inputValue(), 'custom/scripted');

  // A second one gets a name of its own, and nothing is overwritten.
  await vendor('OpenAI');
  await vendor('Another provider');
  assert.equal(await field('name').inputValue(), 'custom-2');
  await field('name').fill('custom');
  await field('base_url').fill('http://127.0.0.1:9/v1');
  await form.getByRole('button', { name: 'Test and save provider' }).click();
  await form.getByRole('alert').filter({ hasText: 'exists already' }).waitFor();
  const stored = (await world.api(page, 'GET', '/v1/providers')).items.find((one) => one.name === 'custom');
  assert.equal(stored.base_url, world.model.url);

  // A model that is not known to see pictures is told that it does.
  const card = page.locator('section.card').filter({ has: page.locator('header', { hasText: /^custom/ }) }).first();
  await card.locator('summary').click();
  await card.getByLabel('scripted sees pictures', { exact: true }).check();
  await page.getByText('scripted is sent pictures from now on.').waitFor();
  await page.screenshot({ path: `${SHOTS}settings-models.png`, fullPage: true });
  const known = (await world.api(page, 'GET', '/v1/models')).items.find((one) => one.id === 'custom/scripted');
  assert.ok(known.abilities.includes('images'));

  // What happens without its provider is said before it is removed, and after.
  await card.getByRole('button', { name: 'Remove', exact: true }).click();
  await card.getByText('The default model custom/scripted belongs to this provider.').waitFor();
  await card.getByRole('button', { name: 'Remove provider' }).click();
  await page.getByText('The default model custom/scripted cannot be used.').waitFor();
  await usual.selectOption('');
  await page.getByText('test/scripted is set in the settings file of the server.').waitFor();
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('a price that is typed for a provider and for one model is told in the menu and counted for its answers', async () => {
  const page = await world.window(browser);
  await world.signIn(page);
  await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  await page.goto(`${world.base}/settings#models`);
  const form = page.locator('mj-provider-form');
  const field = (name) => form.locator(`[name=${name}]`);
  const save = () => form.getByRole('button', { name: 'Test and save provider' }).click();
  await form.locator('.vendors label', { hasText: 'Another provider' }).click();
  await field('name').fill('priced');
  await field('base_url').fill(world.model.url);
  await form.locator('details summary').click();
  await field('price').fill('cheap');
  await save();
  await form.getByRole('alert').filter({ hasText: 'is not a price' }).waitFor();
  await field('price').fill('3 15');
  await field('prices').fill('scripted-vision 100 500');
  await save();
  await page.getByText('priced works and was saved. Models found: 2.').waitFor();
  const card = page.locator('section.card').filter({ has: page.locator('header', { hasText: /^priced/ }) }).first();
  await card.getByText('Price in dollars per million tokens: all models: 3 15 · scripted-vision: 100 500').waitFor();
  await page.screenshot({ path: `${SHOTS}priced.png` });

  world.model.reply = async function* () {
    yield 'Not for nothing.';
  };
  await world.converse(page);
  const menu = page.getByLabel('Model', { exact: true });
  const offered = async (model) => (await menu.locator(`option[value="priced/${model}"]`).first().textContent()).trim();
  assert.match(await offered('scripted'), /\$3\.00 in, \$15\.00 out per million/);
  assert.match(await offered('scripted-vision'), /\$100\.00 in, \$500\.00 out per million/);
  await menu.selectOption('priced/scripted-vision');
  await page.locator('.head .chip', { hasText: 'scripted-vision' }).waitFor({ state: 'attached' });
  await world.say(page, 'Hello');
  await page.locator('mj-reply', { hasText: 'Not for nothing.' }).waitFor();
  // 100 tokens were read and 20 written: a cent each.
  await page.locator('.head .hint', { hasText: '$0.02' }).waitFor({ state: 'attached' });
  await world.place(page, 'usage');
  const line = page.locator('tr', { has: page.locator('td', { hasText: /^priced\/scripted-vision$/ }) });
  assert.equal(await line.locator('td').last().innerText(), '$0.02');
  // The control: what its provider says is free stays so.
  const free = page.locator('tr', { has: page.locator('td', { hasText: /^test\/scripted$/ }) });
  assert.equal(await free.locator('td').last().innerText(), '$0');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('who is signed out signs in again, and is told what is wrong', async () => {
  const page = await world.window(browser);
  await page.goto(world.base);
  await page.getByLabel('Name').fill('ada');
  await page.getByLabel('Password').fill('wrong password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: /Good to see you/ }).waitFor();
  assert.deepEqual(page.problems, []);
});

test('what was written and not sent is not there for the next person, and its person is asked before it is deleted', async () => {
  const page = await world.window(browser);
  await world.signIn(page);
  await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  await world.api(page, 'POST', '/v1/users', { name: 'next', role: 'member', password: PASSWORD });
  await world.converse(page);
  const wire = await world.between(page);
  wire.refuse = () => ({ status: 400, code: 'bad_request', detail: 'The server did not like it.' });
  await world.say(page, 'A secret that was refused');
  await page.locator('.outgoing', { hasText: 'A secret' }).getByText('not sent').waitFor();
  await page.getByLabel('Message', { exact: true }).fill('A secret in a conversation');
  await page.goto(world.base);
  await page.locator('mj-begin textarea').fill('A secret on the first page');
  await page.goto(`${world.base}/settings`);
  const out = page.getByRole('button', { name: 'Sign out', exact: true });
  const asked = [];
  page.once('dialog', (dialog) => (asked.push(dialog.message()), dialog.dismiss()));
  await out.click();
  assert.match(asked[0], /did not send or save/);
  await page.goto(world.base);
  assert.equal(await page.locator('mj-begin textarea').inputValue(), 'A secret on the first page', 'who stays keeps it');
  await page.evaluate(() => localStorage.setItem('majordomo-draft-user_of_another-new', '"theirs"'));
  await page.evaluate(() => localStorage.setItem('majordomo-theme', '"dark"'));
  await page.goto(`${world.base}/settings`);
  page.once('dialog', (dialog) => dialog.accept());
  await out.click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  const left = () => page.evaluate(() => Object.keys(localStorage).sort());
  assert.deepEqual(await left(), ['majordomo-draft-user_of_another-new', 'majordomo-theme']);
  await world.signIn(page, 'next');
  assert.equal(await page.locator('mj-begin textarea').inputValue(), '');
  assert.equal((await page.evaluate(() => JSON.stringify({ ...localStorage }))).includes('secret'), false);
  await page.locator('mj-begin textarea').fill('Mine');
  // Whose sign-in ended otherwise finds it again; another person does not.
  await page.context().clearCookies();
  await world.signIn(page);
  assert.equal(await page.locator('mj-begin textarea').inputValue(), '');
  await page.context().clearCookies();
  await world.signIn(page, 'next');
  assert.equal(await page.locator('mj-begin textarea').inputValue(), 'Mine');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('a server that is too busy to say who is here is asked again', async () => {
  const page = await world.window(browser);
  await world.signIn(page);
  const answers = [503, 429];
  await page.route('**/v1/me', (route) => (answers.length > 0 ? route.fulfill({ status: answers.shift(), json: { code: 'busy', detail: 'Busy.' } }) : route.continue()));
  await page.reload();
  await page.getByRole('heading', { name: /Good to see you/ }).or(page.getByRole('button', { name: 'Sign in' })).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Sign in' }).count(), 0);
  assert.equal(answers.length, 0);
  await page.unroute('**/v1/me');
  await page.context().clearCookies();
  await page.reload();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.context().close();
});

test('a link that is opened while another person is signed in leaves nothing of theirs in the window', async () => {
  const page = await world.window(browser);
  await world.signIn(page);
  await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  const { secret, token } = await world.api(page, 'POST', '/v1/account-links', { role: 'member', valid_hours: 24 });
  await page.locator('mj-begin textarea').fill('Of ada');
  await page.evaluate((token) => {
    history.pushState(null, '', `/join#${token}`);
    window.dispatchEvent(new Event('place'));
  }, secret ?? token);
  await page.getByLabel('Name').fill('joiner');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: /Good to see you, joiner/ }).waitFor();
  assert.equal(await page.locator('mj-begin textarea').inputValue(), '');
  assert.equal(await page.getByText('Reconnecting').count(), 0);
  await page.context().close();
});

test('the password is changed, which ends what was signed in elsewhere', async () => {
  const [page, elsewhere] = [await world.window(browser), await world.window(browser)];
  await world.signIn(page);
  await world.signIn(elsewhere);
  await world.place(page, 'settings');
  await page.getByLabel('Current password', { exact: true }).fill(PASSWORD);
  await page.locator('mj-account input[name=new]').fill('a better horse');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Your password was changed.').waitFor();
  await elsewhere.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.getByLabel('Current password', { exact: true }).fill('a better horse');
  await page.locator('mj-account input[name=new]').fill(PASSWORD);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Your password was changed.').waitFor();
  assert.deepEqual([...page.problems, ...elsewhere.problems], []);
  for (const window of [page, elsewhere]) await window.context().close();
});

test('a guest finds what is shared with them, and nothing that would be refused', async () => {
  const page = await world.window(browser);
  await world.signIn(page);
  await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  await world.api(page, 'POST', '/v1/users', { name: 'theo', role: 'guest', password: PASSWORD });
  const guest = await world.window(browser);
  await world.signIn(guest, 'theo');
  await guest.getByText('No agent is shared with you yet.').waitFor();
  const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
  await world.api(page, 'PATCH', `/v1/agents/${main.id}`, { shared_with: ['*'] });
  await guest.reload();
  await guest.locator('mj-begin').waitFor();
  assert.deepEqual(await guest.locator('.nav a').allTextContents(), ['Agents', 'Knowledge', 'Permissions', 'Usage', 'Settings']);
  for (const place of ['knowledge', 'permissions', 'usage', 'settings', 'agents']) {
    await world.place(guest, place);
    await guest.locator('main h1').first().waitFor();
    await guest.waitForLoadState('networkidle');
    assert.equal(await guest.getByRole('alert').count(), 0, place);
  }
  world.model.reply = async function* () {
    yield 'Welcome, guest.';
  };
  await guest.getByRole('button', { name: 'Start conversation' }).click();
  await guest.locator('mj-begin').waitFor();
  await world.say(guest, 'Hello');
  await guest.locator('mj-reply', { hasText: 'Welcome, guest.' }).waitFor();
  assert.deepEqual(guest.problems, []);

  // What they attach is read: on the first page and in a conversation, also where the agent works with files.
  world.model.reply = async function* (asked) {
    yield `You attached ${/english-typst( \(2\))?\.pdf/.exec(JSON.stringify(asked.messages.at(-1)))?.[0] ?? 'nothing'}.`;
  };
  await world.api(page, 'PATCH', `/v1/agents/${main.id}`, { name: 'main', capabilities: [...main.capabilities, 'session_file_system'] });
  await guest.goto(world.base);
  await guest.locator('mj-begin input[type=file]').setInputFiles(PDF);
  await guest.locator('mj-begin .chip', { hasText: 'english-typst.pdf' }).waitFor();
  await guest.locator('mj-begin textarea').fill('What does it say?');
  await guest.locator('mj-begin').getByRole('button', { name: 'Send' }).click();
  await guest.locator('mj-reply', { hasText: 'You attached english-typst.pdf.' }).waitFor();
  await guest.getByLabel('Attach files').setInputFiles(PDF);
  await guest.locator('.uploads .chip', { hasText: 'saved in Files' }).locator('.x').waitFor();
  await world.say(guest, 'And this one?');
  await guest.locator('.msg.user', { hasText: 'Attached: /english-typst (2).pdf' }).waitFor();
  await guest.locator('mj-reply', { hasText: /You attached english-typst/ }).nth(1).waitFor();
  assert.equal(await guest.getByRole('alert').count(), 0);
  assert.deepEqual(guest.problems, []);
  for (const window of [page, guest]) await window.context().close();
});

/** A house in which nobody lives yet and no model is known. */
async function moveIn(page, house) {
  await page.goto(house.setupLink);
  await page.getByLabel('Name').fill('ada');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('No model was found on this server.').waitFor();
}
const ALONE = { MAJORDOMO_PROVIDER_TEST_WIRE: undefined, MAJORDOMO_PROVIDER_TEST_BASE_URL: undefined, MAJORDOMO_DEFAULTS_MODEL: undefined };

test('a pasted key is tried: a wrong one is told, with the right one its models are there', async () => {
  const house = await World.begin(ALONE);
  try {
    house.model.key = 'the-right-key';
    const page = await house.window(browser);
    await moveIn(page, house);
    await page.locator('.vendors label', { hasText: 'Another provider' }).click();
    await page.getByLabel(/^Address/).fill(house.model.url);
    await page.getByLabel(/^Key/).fill('a-wrong-key');
    await page.getByRole('button', { name: 'Test and save provider' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel(/^Key/).fill('the-right-key');
    await page.getByRole('button', { name: 'Test and save provider' }).click();
    await page.getByText('custom works and was saved. Models found: 2.').waitFor();
    await page.locator('.choice', { hasText: 'custom/scripted' }).first().click();
    await page.getByRole('heading', { name: /Good to see you, ada/ }).waitFor();
    await house.say(page, 'Hello');
    await page.locator('mj-reply', { hasText: 'Hello.' }).waitFor();
    assert.deepEqual(page.problems, []);
  } finally {
    await house.end();
  }
});

test('whoever has no model stays with the demo, which answers', async () => {
  const house = await World.begin(ALONE);
  try {
    const page = await house.window(browser);
    await moveIn(page, house);
    await page.getByRole('button', { name: 'Use the demo model for now' }).click();
    await page.getByText('Only the built-in demo model answers.').waitFor();
    await page.getByRole('button', { name: 'Show me what you can do' }).click();
    await page.locator('mj-reply hml-todo').first().waitFor();
    await page.locator('mj-reply hml-prompt').first().waitFor();
    await page.screenshot({ path: `${SHOTS}demo.png` });
    assert.deepEqual(page.problems, []);
  } finally {
    await house.end();
  }
});
