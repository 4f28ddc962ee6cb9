// Everything besides talking: conversations in their list, files, agents, people, keys, settings, usage, audit.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { openBrowser, PASSWORD, SHOTS, World } from './world.mjs';

let browser, world, page;
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
  page = await world.window(browser);
  page.on('dialog', (dialog) => void dialog.accept());
  await world.signIn(page);
});
after(async () => {
  await browser?.close();
  await world?.end();
});
beforeEach(() => {
  page.problems.length = 0;
  world.model.reply = async function* () {
    yield 'The tomatoes are sown in March.';
  };
});

const place = (name) => world.place(page, name);
const confirm = async () => {
  const dialog = page.locator('mj-confirm dialog');
  await dialog.getByLabel('Password').fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Continue' }).click();
};

test('a conversation is renamed, found by its contents, archived, restored', async () => {
  await world.converse(page);
  await world.say(page, 'When do I sow?');
  await page.locator('mj-conversation').getByText('sown in March').last().waitFor();
  await world.column(page, 'side');
  const item = page.locator('.side .list .item').first();
  await item.hover();
  await item.getByLabel(/^Actions for/).click();
  await item.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Name of the conversation').fill('Garden');
  await page.keyboard.press('Enter');
  await page.locator('.head h1', { hasText: 'Garden' }).waitFor();
  await page.getByLabel('Search conversations').fill('tomatoes');
  await page.locator('.side .item .p', { hasText: 'tomatoes' }).waitFor();
  await page.getByLabel('Search conversations').fill('nothingofthesort');
  await page.getByText('No conversation mentions').waitFor();
  await page.getByLabel('Search conversations').fill('');
  await page.locator('.side .list .item', { hasText: 'Garden' }).hover();
  await page.getByLabel('Actions for Garden').click();
  await page.getByRole('button', { name: 'Archive', exact: true }).first().click();
  await page.locator('.side .list .item', { hasText: 'Garden' }).waitFor({ state: 'detached' });
  await page.locator('.head h1', { hasText: 'Garden' }).waitFor({ state: 'detached' });
  await world.column(page, 'side');
  await page.locator('.archived').click();
  await page.locator('.side .item', { hasText: 'Garden' }).hover();
  await page.getByLabel('Actions for Garden').click();
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.locator('.archived').click();
  await page.locator('.side .list .item', { hasText: 'Garden' }).waitFor();
  assert.deepEqual(page.problems, []);
});

test('what is archived or deleted elsewhere says so where it is open, and nobody talks to an agent that is gone', async () => {
  await world.converse(page);
  const id = page.url().split('/').pop();
  await world.api(page, 'PATCH', `/v1/sessions/${id}`, { name: 'Put away' });
  await page.locator('.head h1', { hasText: 'Put away' }).waitFor();
  await world.api(page, 'POST', `/v1/sessions/${id}/archive`);
  await page.getByText('This conversation is archived.').waitFor();
  await page.locator('.head h1', { hasText: 'Put away' }).waitFor();
  await page.reload();
  await page.getByText('This conversation is archived.').waitFor();
  await page.locator('.head h1', { hasText: 'Put away' }).waitFor();
  await page.locator('.closed').getByRole('button', { name: 'Restore' }).click();
  await page.locator('.closed').waitFor({ state: 'detached' });
  await world.say(page, 'When do I sow?');
  await page.locator('mj-reply', { hasText: 'sown in March' }).waitFor();
  await world.api(page, 'DELETE', `/v1/sessions/${id}`);
  await page.getByText('This conversation was deleted.').waitFor();
  assert.equal(await page.locator('mj-composer').count(), 0);
  const agent = await world.api(page, 'POST', '/v1/agents', { name: 'short-lived' });
  await place('agents');
  const listed = page.locator('mj-agents header', { hasText: 'short-lived' });
  await listed.waitFor();
  await world.api(page, 'DELETE', `/v1/agents/${agent.id}`);
  await listed.getByRole('button', { name: 'Start conversation' }).click();
  await page.locator('mj-begin textarea[placeholder*=short-lived]').waitFor();
  await world.say(page, 'Are you there?');
  await page.getByRole('alert').getByText(/there is no such agent/i).waitFor();
  await page.locator('mj-begin textarea:not([placeholder*=short-lived])').waitFor();
  assert.equal(await page.locator('mj-begin textarea').inputValue(), 'Are you there?', 'what was written stays');
  await place('usage');
  await page.getByRole('alert').waitFor({ state: 'detached' });
  assert.deepEqual(page.problems, []);
});

test('a link to a conversation leads there, and unread ones are marked', async () => {
  const agents = await world.api(page, 'GET', '/v1/agents');
  const session = await world.api(page, 'POST', '/v1/sessions', { agent_id: agents.items[0].id, name: 'Elsewhere' });
  await world.api(page, 'POST', `/v1/sessions/${session.id}/messages`, { content: 'Hello from elsewhere' });
  await page.locator('.item.unread', { hasText: 'Elsewhere' }).waitFor({ state: 'attached' });
  await page.goto(`${world.base}/${session.id}`);
  await page.locator('mj-conversation').getByText('Hello from elsewhere').last().waitFor();
  await page.locator('.item.on:not(.unread)', { hasText: 'Elsewhere' }).waitFor({ state: 'attached' });
});

test('files are brought, read, taken and deleted', async () => {
  await world.converse(page);
  await world.part(page, 'Files');
  const file = join(world.data, 'notes.md');
  writeFileSync(file, '# Notes\nwater the tomatoes');
  await page.locator('mj-files input[type=file]').setInputFiles(file);
  await page.locator('mj-files').getByRole('button', { name: 'notes.md', exact: true }).click();
  await page.locator('mj-files pre', { hasText: 'water the tomatoes' }).waitFor();
  await page.screenshot({ path: `${SHOTS}files.png` });
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByLabel('Download notes.md').click()]);
  assert.match(readFileSync(await download.path(), 'utf8'), /water the tomatoes/);
  await page.getByLabel('Delete notes.md').click();
  await page.getByText('No files yet.').waitFor();
  await world.part(page, 'Activity');
  assert.deepEqual(page.problems, []);
});

test('no file takes the place of another, however many there are and however they come', async () => {
  const agent = await world.api(page, 'POST', '/v1/agents', { name: `filing ${SHOTS.length}`, capabilities: ['session_file_system'] });
  const { id } = await world.api(page, 'POST', '/v1/sessions', { agent_id: agent.id });
  const put = (name) => page.evaluate(([id, name]) => fetch(`/v1/sessions/${id}/files/${name}`, { method: 'PUT', body: 'old' }).then((answer) => answer.status), [id, name]);
  const read = (name) => page.evaluate(([id, name]) => fetch(`/v1/sessions/${id}/files/${encodeURIComponent(name)}`).then((answer) => answer.text()), [id, name]);
  for (let at = 0; at < 101; at += 1) assert.equal(await put(`f${String(at).padStart(3, '0')}.txt`), 201);
  const file = (name, text) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  await page.goto(`${world.base}/${id}`);
  await page.locator('mj-composer').waitFor();
  // The name of one that is not on the first page of the list.
  await page.getByLabel('Attach files').setInputFiles(file('f100.txt', 'new'));
  await page.locator('.uploads .chip', { hasText: 'saved in Files' }).locator('.x').waitFor();
  assert.deepEqual([await read('f100.txt'), await read('f100 (2).txt')], ['old', 'new']);
  // Two of one name at once.
  await page.getByLabel('Attach files').setInputFiles([file('twin.txt', 'one'), file('twin.txt', 'two')]);
  await page.locator('.uploads .chip', { hasText: 'saved in Files' }).nth(2).locator('.x').waitFor();
  assert.deepEqual([await read('twin.txt'), await read('twin (2).txt')].sort(), ['one', 'two']);
  // Among the files themselves, in a folder, too.
  await world.part(page, 'Files');
  const files = page.locator('mj-files');
  await files.locator('li').nth(103).waitFor();
  assert.equal(await files.locator('li').count(), 104);
  await files.locator('input[type=file]').setInputFiles(file('twin.txt', 'three'));
  await files.getByRole('button', { name: 'twin (3).txt', exact: true }).waitFor();
  assert.deepEqual([await read('twin.txt'), await read('twin (2).txt'), await read('twin (3).txt')].sort(), ['one', 'three', 'two']);
  assert.equal(await put('letters/a.txt'), 201);
  await world.part(page, 'Activity');
  await world.part(page, 'Files');
  await files.getByRole('button', { name: 'letters', exact: true }).click();
  await files.locator('input[type=file]').setInputFiles(file('a.txt', 'new'));
  await files.getByRole('button', { name: 'a (2).txt', exact: true }).waitFor();
  await world.part(page, 'Activity');
  await world.closeColumn(page);
  assert.deepEqual(page.problems, []);
});

test('a file that is locked, broken or not what it says is refused in words, and the conversation goes on', async () => {
  const agent = await world.api(page, 'POST', '/v1/agents', { name: `reader ${SHOTS.length}`, capabilities: [] });
  const { id } = await world.api(page, 'POST', '/v1/sessions', { agent_id: agent.id });
  await page.goto(`${world.base}/${id}`);
  await page.locator('mj-composer').waitFor();
  const locked = readFileSync(new URL('../../../crates/documents/tests/files/locked/locked-256.pdf', import.meta.url));
  const files = [
    ['locked.pdf', 'application/pdf', locked, /cannot read it\. This PDF is locked with a password\./],
    ['broken.pdf', 'application/pdf', Buffer.from('%PDF-1.7\n1 0 obj\n<< /Type /Catalog'), /cannot read it\./],
    ['broken.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', Buffer.from('PK\x03\x04 and no more'), /cannot read it\./],
    ['page.png', 'image/png', Buffer.from('<html><script>alert(1)</script></html>'), /was not uploaded\./],
    ['program.txt', 'text/plain', Buffer.concat([Buffer.from('\x7fELF'), Buffer.alloc(5_000, 0)]), /cannot read it\./],
  ];
  for (const [name, mimeType, buffer, told] of files) {
    await page.getByLabel('Attach files').setInputFiles({ name, mimeType, buffer });
    const alert = page.locator('mj-composer [role=alert]', { hasText: `“${name}”` });
    await alert.waitFor();
    assert.match(await alert.innerText(), told, name);
    assert.equal(await page.locator('.uploads .chip').count(), 0, name);
  }
  await world.say(page, 'Never mind');
  await page.locator('mj-reply', { hasText: 'sown in March' }).waitFor();
  assert.equal(await page.locator('.msg.user a').count(), 0);
  assert.deepEqual(page.problems, []);
});

test('a picture is attached by button and shown where it was said; who cannot see says so', async () => {
  await world.converse(page);
  const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
  const picture = join(world.data, 'dot.png');
  writeFileSync(picture, Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'));
  await page.getByLabel('Attach files').setInputFiles(picture);
  await page.locator('.uploads .chip', { hasText: 'dot.png' }).locator('.x').waitFor();
  await world.say(page, 'Look at this');
  await page.getByText('cannot see pictures').waitFor();
  const field = page.getByLabel('Message', { exact: true });
  const edit = page.getByRole('button', { name: 'Edit message' });
  await field.fill('Half written');
  await edit.click();
  assert.deepEqual([await field.inputValue(), await edit.count()], ['Half written', 1], 'neither text is lost');
  await field.fill('');
  await edit.click();
  assert.equal(await field.inputValue(), 'Look at this');
  await page.locator('.uploads .chip', { hasText: 'dot.png' }).waitFor();
  assert.equal(await page.locator('.uploads .chip').count(), 1, 'the picture comes back with its words');
  await world.say(page, 'And at this');
  await page.getByRole('button', { name: 'Delete unsent message' }).click();
  await page.locator('.outgoing').waitFor({ state: 'detached' });
  assert.equal(await field.inputValue(), '');
  await world.api(page, 'PATCH', `/v1/agents/${main.id}`, { model: 'test/scripted-vision' });
  await page.getByLabel('Attach files').setInputFiles(picture);
  await page.locator('.uploads .chip', { hasText: 'dot.png' }).locator('.x').waitFor();
  await world.say(page, 'Look at this');
  const shown = page.locator('img.picture');
  await shown.waitFor();
  await page.waitForFunction(() => document.querySelector('img.picture')?.naturalWidth === 1);
  await world.api(page, 'PATCH', `/v1/agents/${main.id}`, { model: null });
  assert.deepEqual(page.problems, []);
});

test('what the model gets is shown as a tree, flat, and as the exact request', async () => {
  await world.converse(page);
  await world.say(page, 'A word to look for');
  await page.locator('mj-conversation').getByText('sown in March').last().waitFor();
  await world.part(page, 'Prompt');
  await page.locator('mj-prompt-preview .tree li').first().waitFor();
  await page.screenshot({ path: `${SHOTS}prompt.png` });
  await page.locator('mj-prompt-preview select').selectOption('flat');
  await page.locator('mj-prompt-preview pre', { hasText: 'A word to look for' }).waitFor();
  await page.locator('mj-prompt-preview select').selectOption('request');
  await page.locator('mj-prompt-preview pre', { hasText: '"model"' }).waitFor();
  await world.part(page, 'Log');
  await page.locator('mj-log summary', { hasText: 'turn_ended' }).click();
  await page.locator('mj-log pre', { hasText: '"outcome": "completed"' }).waitFor();
  await world.part(page, 'Activity');
});

test('an agent is made, given capabilities with settings, saved, exported and imported', async () => {
  await place('agents');
  await page.getByLabel('Name of the new agent').fill('gardener');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'gardener' }).waitFor();
  await page.getByLabel('System prompt').fill('You know plants.');
  // What is not saved yet is shown as it would be.
  await page.locator('mj-agent-preview select').selectOption('flat');
  await page.locator('mj-agent-preview pre', { hasText: 'You know plants.' }).waitFor();
  await page.locator('mj-agent-preview select').selectOption('tree');
  await page.getByRole('checkbox', { name: /^FileSystem/ }).check();
  await page.locator('mj-agent-capabilities details summary').click();
  await page.getByRole('checkbox', { name: /^read only/ }).check();
  await page.getByRole('checkbox', { name: /^Current Time/ }).check();
  await page.getByLabel('Move Current Time up').click();
  await page.getByLabel('Permission for write_file').selectOption('ask');
  await page.getByLabel('Permission for delete_file').selectOption('deny');
  await page.getByLabel('Dollars per day').fill('2.5');
  await page.getByLabel('Model requests per reply').fill('7');
  await page.getByLabel('Model requests per reply').blur();
  await page.screenshot({ path: `${SHOTS}agent.png`, fullPage: true });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const id = page.url().split('/').pop();
  const saved = await world.api(page, 'GET', `/v1/agents/${id}`);
  assert.deepEqual(saved.capabilities, ['current_time', { id: 'session_file_system', settings: { read_only: true } }]);
  assert.deepEqual([saved.system_prompt, saved.limits.steps], ['You know plants.', 7]);
  assert.equal(saved.budget.per_day_microusd, 2_500_000);
  assert.deepEqual(saved.tool_rules, [{ tool: 'write_file', action: 'ask' }, { tool: 'delete_file', action: 'deny' }]);
  await page.locator('mj-agent-preview .tree li').first().waitFor();
  await page.getByRole('button', { name: 'Create a custom prompt tree' }).click();
  await page.getByLabel('Text of Node 1').fill('A tree that was planted');
  await page.getByLabel('Text of Node 1').blur();
  await page.locator('mj-agent-preview select').selectOption('flat');
  await page.locator('mj-agent-preview pre', { hasText: 'A tree that was planted' }).waitFor();
  await page.screenshot({ path: `${SHOTS}tree.png` });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await page.getByRole('button', { name: 'Test conversation' }).click();
  await world.say(page, 'What do you know?');
  await page.locator('mj-test-chat mj-reply', { hasText: 'sown in March' }).waitFor();
  assert.match(JSON.stringify(world.model.requests.at(-1).messages), /A tree that was planted/);
  await page.screenshot({ path: `${SHOTS}test-chat.png` });
  await page.getByRole('button', { name: 'What the model receives' }).click();
  // A chat that was a test is put away.
  await page.locator('.side .list .item', { hasText: 'Test of gardener' }).waitFor({ state: 'detached' });
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export' }).click()]);
  const file = join(world.data, 'gardener.json');
  const exported = JSON.parse(readFileSync(await download.path(), 'utf8'));
  writeFileSync(file, JSON.stringify({ ...exported, agent: { ...exported.agent, name: 'second gardener' } }));
  await place('agents');
  await page.locator('mj-agents input[type=file]').setInputFiles(file);
  await page.getByRole('heading', { name: 'second gardener' }).waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Agents', exact: true }).waitFor();
  assert.deepEqual(page.problems, []);
});

test('what is done to the tree of a prompt is set in fields, and seen at once in what the model gets', async () => {
  const { id } = await world.api(page, 'POST', '/v1/agents', { name: 'rearranged', system_prompt: 'You are tidy.', capabilities: ['current_time'] });
  await page.goto(`${world.base}/${id}`);
  await page.getByRole('button', { name: 'Create a custom prompt tree' }).click();
  await page.getByLabel('Text of Node 1').fill('The first words.');
  await page.getByLabel('Text of Node 1').blur();
  await page.locator('mj-agent-preview select').selectOption('flat');
  const inOrder = (...words) => page.waitForFunction((words) => {
    const text = document.querySelector('mj-agent-preview')?.innerText ?? '';
    return words.every((word, at) => text.includes(word) && (at === 0 || text.indexOf(words[at - 1]) < text.indexOf(word)));
  }, words);
  const preview = page.locator('mj-agent-preview pre');
  const modifiers = page.locator('mj-modifiers');
  await modifiers.getByRole('button', { name: 'Add a modifier' }).press('Enter');
  const first = modifiers.getByRole('group', { name: 'Modifier 1' });
  await first.getByRole('textbox', { name: 'Text', exact: true }).fill('Words that were put in.');
  await first.getByLabel('Where').selectOption('before');
  await inOrder('Words that were put in.', 'The first words.');
  await first.getByLabel('Where').selectOption('after');
  await inOrder('The first words.', 'Words that were put in.');
  await first.getByLabel('Use Modifier 1').uncheck();
  await preview.getByText('Words that were put in.').waitFor({ state: 'detached' });
  await first.getByLabel('Use Modifier 1').check();
  await modifiers.getByRole('button', { name: 'Add a modifier' }).press('Enter');
  const second = modifiers.getByRole('group', { name: 'Modifier 2' });
  await second.getByLabel('What it does').selectOption('tool_list');
  await preview.getByText('get_current_time').first().waitFor();
  await page.getByRole('button', { name: 'Add a node', exact: true }).click();
  await modifiers.getByRole('button', { name: 'Add a modifier' }).press('Enter');
  const third = modifiers.getByRole('group', { name: 'Modifier 3' });
  await third.getByLabel('What it does').selectOption('full_replacement');
  await third.locator('label', { has: page.locator('span', { hasText: /^Node$/ }) }).locator('select').selectOption({ label: 'Node 2' });
  await third.getByLabel('Limit in tokens').fill('5000');
  // A node that goes leaves what was aimed at it with nothing to do, which is told.
  await page.getByLabel('Remove Node 2').click();
  await page.locator('mj-agent-preview').getByText('there is no node').waitFor();
  await third.getByText('(no such node)').waitFor({ state: 'attached' });
  await modifiers.getByLabel('Move Modifier 3 up').click();
  await modifiers.getByLabel('Remove Modifier 2').click();
  await page.screenshot({ path: `${SHOTS}modifiers.png` });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const tree = (await world.api(page, 'GET', `/v1/agents/${id}`)).prompt_tree;
  const node = tree.nodes[0].id;
  assert.deepEqual(tree.modifiers.map(({ id, ...rest }) => rest), [
    { caption: 'Modifier 1', kind: 'dynamic_position', enabled: true, target_id: node, position: 'after', content: 'Words that were put in.' },
    { caption: 'Modifier 3', kind: 'full_replacement', enabled: true, target_id: tree.modifiers[1].target_id, source: 'history_of_session', context_window_size: 5000 },
  ]);
  // The same, as it is kept.
  await page.getByText('Edit as JSON').click();
  const raw = page.getByLabel(/^The whole tree/);
  const kept = JSON.parse(await raw.inputValue());
  assert.deepEqual(kept.modifiers, tree.modifiers);
  await raw.fill('{"nodes": 3}');
  await raw.blur();
  await page.getByText('This is not a prompt tree in JSON.').waitFor();
  await raw.fill(JSON.stringify({ ...kept, modifiers: [] }));
  await raw.blur();
  await modifiers.getByText('No modifiers.').waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await first.waitFor();
  await world.api(page, 'DELETE', `/v1/agents/${id}`);
  await page.goto(world.base);
  await page.getByRole('heading', { name: /Good to see you/ }).waitFor();
  assert.deepEqual(page.problems, []);
});

test('capabilities are listed and searched', async () => {
  await place('capabilities');
  await page.locator('.capability', { hasText: 'current_time' }).waitFor();
  await page.getByLabel('Search capabilities').fill('weather');
  await page.locator('.capability', { hasText: 'current_time' }).waitFor({ state: 'detached' });
  assert.equal(await page.locator('.capability').count(), 1);
});

test('an ability is written, tried and deleted', async () => {
  await place('capabilities');
  await page.getByRole('button', { name: 'Write an ability' }).click();
  await page.locator('mj-abilities').getByLabel(/^Name/).fill('thrift');
  await page.getByLabel('Kind').selectOption('conditional');
  await page.getByLabel(/^Condition/).fill('words("invoice")');
  await page.getByLabel('Text', { exact: true }).fill('Look for what can be saved.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('thrift was saved.').waitFor();
  await page.getByLabel('Example message').fill('An invoice came');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText('Used: the agent would receive this text. It is not switched on in this agent yet.').waitFor();
  await page.getByLabel('Example message').fill('A letter came');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText('Not used: its condition is not true.').waitFor();
  await page.getByLabel('Example message').fill('An invoice came');
  const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
  await world.api(page, 'PATCH', `/v1/agents/${main.id}`, { capabilities: [...main.capabilities, 'thrift'] });
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText('Used: the agent would receive this text.').waitFor();
  await page.screenshot({ path: `${SHOTS}abilities.png` });
  await world.api(page, 'PATCH', `/v1/agents/${main.id}`, { capabilities: main.capabilities });
  await page.getByLabel('Delete thrift').click();
  await page.getByText('thrift was deleted.').waitFor();
});

/** All of a table can be seen without moving it sideways. */
const fits = async (name) => {
  const [wide, room] = await page.getByRole('region', { name, exact: true }).evaluate((region) => [region.scrollWidth, region.clientWidth]);
  assert.ok(wide <= room, `${name}: ${wide} of ${room}`);
};

test('somebody is added after the password, gets another role, and leaves', async () => {
  await place('people');
  await page.getByLabel('Name', { exact: true }).fill('theo');
  await page.getByLabel('First password').fill('another horse');
  await page.getByRole('button', { name: 'Add' }).click();
  await confirm();
  await page.getByText('theo was added.').waitFor();
  await page.getByLabel('Role of theo').selectOption('guest');
  await page.getByText('theo now has the role guest.').waitFor();
  await fits('People');
  await page.screenshot({ path: `${SHOTS}people.png` });
  // What theo may spend is said by whoever manages the house, and told to theo.
  await page.getByLabel('Dollars per day for theo').fill('3.5');
  await page.keyboard.press('Tab');
  await page.getByText('Saved.').waitFor();
  const [theo] = (await world.api(page, 'GET', '/v1/users')).items.filter((one) => one.name === 'theo');
  assert.equal(theo.budget.house.per_day_microusd, 3_500_000);
  const guest = await world.window(browser);
  await world.signIn(guest, 'theo', 'another horse');
  await world.place(guest, 'usage');
  await guest.getByText('$0 of $3.50 today').first().waitFor();
  // An agent is shared with theo by a box, and taken back by the same.
  await world.api(page, 'POST', '/v1/agents', { name: 'ours' });
  await place('agents');
  await page.locator('mj-agents header', { hasText: 'ours' }).getByRole('link', { name: 'Edit' }).click();
  const boxes = page.locator('mj-agent-sharing');
  await boxes.getByText('Only you.').waitFor();
  await boxes.getByLabel('theo').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await guest.goto(world.base);
  await guest.getByText('Other people offer you agents: ours (ada).').waitFor();
  await guest.getByRole('link', { name: 'Review the offers' }).click();
  await guest.getByRole('button', { name: 'Accept this agent' }).click();
  await guest.getByRole('button', { name: 'Start conversation' }).waitFor();
  await guest.goto(world.base);
  await guest.locator('mj-begin textarea[placeholder*=ours]').waitFor();
  await boxes.getByLabel('All people on this server').check();
  assert.ok(await boxes.getByLabel('theo').isDisabled(), 'everybody is theo, too');
  await boxes.getByLabel('All people on this server').uncheck();
  await boxes.getByLabel('theo').uncheck();
  await boxes.getByText('Only you.').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await guest.reload();
  await guest.getByText('No agent is shared with you yet.').waitFor();
  assert.deepEqual(guest.problems, []);
  await guest.context().close();
  await place('people');
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('theo was removed.').waitFor();
});

test('a key is made, shown once and revoked; a login is ended', async () => {
  await place('settings');
  await page.locator('.sections').getByText('API keys').click();
  await page.getByLabel('Name', { exact: true }).fill('laptop');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Copy the key now.').waitFor();
  await fits('API keys');
  await page.screenshot({ path: `${SHOTS}keys.png` });
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('The key was revoked.').waitFor();
  const other = await world.window(browser);
  await world.signIn(other);
  await page.locator('.sections').getByText('Devices').click();
  await page.getByRole('button', { name: 'Sign out device' }).last().waitFor();
  await fits('Devices');
  await page.screenshot({ path: `${SHOTS}devices.png` });
  await page.getByRole('button', { name: 'Sign out device' }).last().click();
  await page.getByText('The device was signed out.').waitFor();
  await other.getByRole('button', { name: 'Sign in' }).waitFor();
  await other.context().close();
});

test('the theme, the time zone, a provider and a backup', async () => {
  await place('settings');
  await page.getByLabel('Time zone').selectOption('Europe/Lisbon');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  assert.equal((await world.api(page, 'GET', '/v1/me')).time_zone, 'Europe/Lisbon');
  await page.locator('.sections').getByText('Appearance').click();
  await page.getByRole('button', { name: 'dark' }).click();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await page.getByRole('button', { name: 'light' }).click();
  await page.locator('.sections').getByText('Models').click();
  await page.locator('.vendors label', { hasText: 'Another provider' }).click();
  await page.getByLabel(/^Name/).fill('second');
  await page.getByLabel(/^API type/).selectOption('openai');
  await page.getByLabel(/^Address/).fill(world.model.url);
  await page.getByRole('button', { name: 'Test and save provider' }).click();
  await page.getByText('second works and was saved.').waitFor();
  await page.screenshot({ path: `${SHOTS}settings-models.png` });
  await page.locator('.sections').getByText('Data').click();
  await page.getByRole('button', { name: 'Create backup now' }).click();
  await page.locator('table .chip.ok', { hasText: 'verified' }).or(page.getByText('is being created')).first().waitFor();
});

test('the page speaks the language of the person, and leaves what others say as it is', async () => {
  const { id } = await world.api(page, 'POST', '/v1/agents', { name: 'Message' });
  await place('settings');
  await page.getByLabel('Language').selectOption('de');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('.nav').getByText('Einstellungen').waitFor({ state: 'attached' });
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'de');
  await place('agents');
  await page.getByRole('heading', { name: 'Agenten', exact: true }).waitFor();
  await page.locator('mj-agents header', { hasText: 'Message' }).getByRole('button', { name: 'Unterhaltung beginnen' }).click();
  await page.getByRole('button', { name: 'Senden' }).waitFor();
  await page.getByLabel('Nachricht', { exact: true }).fill('Copy this. Settings.');
  await world.send(page);
  await page.locator('.msg.user .plain', { hasText: 'Copy this. Settings.' }).waitFor();
  await page.locator('mj-reply', { hasText: 'The tomatoes are sown in March.' }).waitFor();
  assert.equal(await page.locator('mj-message .meta b', { hasText: 'Message' }).count(), 1);
  await page.screenshot({ path: `${SHOTS}deutsch.png` });
  await place('settings');
  await page.getByLabel('Sprache').selectOption('en');
  await page.getByRole('button', { name: 'Speichern', exact: true }).click();
  await page.locator('.nav').getByText('Settings').waitFor({ state: 'attached' });
  await world.api(page, 'PATCH', `/v1/agents/${id}`, { status: 'archived' });
  assert.deepEqual(page.problems, []);
});

test('a budget is told where money is spent, and can be taken away again', async () => {
  await place('settings');
  await page.getByLabel('Dollars per day').fill('2');
  await page.keyboard.press('Tab');
  await page.getByText('Saved.').waitFor();
  await world.converse(page);
  await world.say(page, 'Spend something');
  await page.locator('mj-reply', { hasText: 'sown in March' }).waitFor();
  await page.locator('.head .hint', { hasText: '$0 of $2.00 today' }).waitFor();
  await place('usage');
  await page.getByText('$0 of $2.00 today').first().waitFor();
  await place('settings');
  await page.getByLabel('Dollars per day').fill('');
  await page.keyboard.press('Tab');
  await page.getByText('Saved.').waitFor();
  assert.equal((await world.api(page, 'GET', '/v1/me')).budget.own.per_day_microusd ?? null, null);
});

test('words of others are marked, until their person declares them trusted', async () => {
  await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  const { secret } = await world.api(page, 'POST', '/v1/api-keys', { name: 'bridge', scope: 'bridge', source: 'telegram' });
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const said = await fetch(`${world.base}/v1/chat`, { method: 'POST', headers, body: JSON.stringify({ message: 'Hello from a stranger', source: 'telegram', sender: 'stranger' }) });
  assert.equal(said.status, 200, await said.text());
  const session = (await world.api(page, 'GET', '/v1/sessions')).items.find((one) => one.label.integrity === 'untrusted');
  await page.goto(`${world.base}/${session.id}`);
  const words = page.locator('.msg.user', { hasText: 'Hello from a stranger' });
  assert.equal(await words.locator('.meta b').innerText(), 'stranger (telegram)', 'the words of others are not said to be yours');
  // What is sent is what is shown: everything up to the newest message here.
  const [sent] = await Promise.all([page.waitForRequest(/\/trust$/), page.getByRole('button', { name: 'Contains web or third-party text' }).click()]);
  const { items } = await world.api(page, 'GET', `/v1/sessions/${session.id}/events?limit=1000`);
  const { seq } = sent.postDataJSON();
  const newest = items.findLast((event) => event.type === 'message_complete').seq;
  assert.ok(seq >= newest && seq < items.at(-1).seq, `${seq}, but the newest message is ${newest}`);
  await page.getByRole('button', { name: 'Contains web or third-party text' }).waitFor({ state: 'detached' });
});

test('an agent that another member shares is offered, and used once it was accepted', async () => {
  await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
  await world.api(page, 'POST', '/v1/users', { name: 'mallory', role: 'member', password: PASSWORD });
  const mallory = await world.window(browser);
  await world.signIn(mallory, 'mallory');
  const { id } = await world.api(page, 'GET', '/v1/me');
  await world.api(mallory, 'POST', '/v1/agents', { name: 'helper', shared_with: [id] });
  await mallory.context().close();
  await page.goto(world.base);
  await page.getByText('Other people offer you agents: helper (mallory).').waitFor();
  assert.equal(await page.locator('mj-begin option', { hasText: 'helper' }).count(), 0);
  await page.getByRole('link', { name: 'Review the offers' }).click();
  const card = page.locator('mj-agents section.card', { hasText: 'helper' });
  await card.getByText('mallory offers you this agent').waitFor();
  assert.equal(await card.getByRole('button', { name: 'Start conversation' }).count(), 0);
  await page.screenshot({ path: `${SHOTS}offered.png` });
  await card.getByRole('button', { name: 'Accept this agent' }).click();
  await card.getByRole('button', { name: 'Start conversation' }).waitFor();
  await card.getByRole('button', { name: 'Stop using this agent' }).click();
  await card.getByText('mallory offers you this agent').waitFor();
});

test('usage is plotted and told by agent and model; the audit says who did what', async () => {
  await place('usage');
  await page.locator('svg.plot rect').first().waitFor();
  await page.getByRole('cell', { name: 'test/scripted', exact: true }).waitFor();
  await page.screenshot({ path: `${SHOTS}usage.png` });
  // Another time: the sum, the plot and the request are of so many days.
  const time = page.locator('mj-usage .filters select');
  for (const days of [7, 90]) {
    const from = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10);
    const asked = page.waitForRequest((request) => request.url().includes('/v1/usage') && request.url().includes(from));
    await time.selectOption({ label: `${days} days` });
    await asked;
    await page.locator('mj-usage').getByText(new RegExp(`^The last ${days} days: `)).waitFor();
    await page.waitForFunction((days) => document.querySelectorAll('svg.plot rect').length === days, days);
  }
  await place('audit');
  await page.getByRole('cell', { name: / created the account/ }).first().waitFor();
});

test('signing out leaves nothing behind', async () => {
  await place('settings');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  assert.equal(await page.locator('.side').count(), 0);
});
