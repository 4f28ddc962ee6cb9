// Words that would break into a lesser page do nothing, wherever words are shown: `make xss` tries them all.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FILES, KINDS } from './fixtures/files.mjs';
import { payloads } from './fixtures/payloads.mjs';
import { shorterWithout } from './fixtures/left-out.mjs';
import { openBrowser, PASSWORD, SIZE, World } from './world.mjs';

const COUNT = Number(process.env.XSS ?? 20);
const LIST = payloads(COUNT);
/** So many names are on the page at once. */
const NAMES = 50;
/** On a telephone a file goes another way through the page; the other places are the same there, in a drawer. */
const atDesk = SIZE === 'phone' ? () => undefined : test;
let browser, world, page;
const outside = [];

before(async () => {
  shorterWithout('XSS', 'hostile replies on the page: a few, not more than a thousand', 'make xss');
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
  page = await world.window(browser);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.addInitScript(() => {
    window.executed = [];
    for (const name of ['alert', 'pwned', 'msgbox']) window[name] = (what) => window.executed.push(String(what));
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(world.base) && !request.url().startsWith('blob:')) outside.push(request.url());
  });
  await world.signIn(page);
});
after(async () => {
  await browser?.close();
  await world?.end();
});

const attribute = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
const REPLIES = [
  (text) => text,
  (text) => `<thinking title="${attribute(text)}">${text}</thinking>`,
  (text) => `<todo title="${attribute(text)}"><item>${text}</item></todo>`,
  (text) => `<progress value="1" max="2" status="${attribute(text)}">${text}</progress>`,
  (text) => `<link href="${attribute(text)}">${text}</link>`,
  (text) => `<copy label="${attribute(text)}">${text}</copy>`,
  (text) => `<result for="${attribute(text)}" status="${attribute(text)}">${text}</result>`,
  (text) => `<hml-prompt id="p" type="select" default="${attribute(text)}" options='["${text.replace(/['"\\]/g, '')}"]'>${text}</hml-prompt>`,
  (text) => `<bash>${text}</bash>`,
  (text) => '```' + text.replace(/\s.*/s, '') + '\n' + text + '\n```',
  (text) => `[${text}](${text.replace(/[()\s]/g, '')})\n\n[^1] and [a][b]\n\n[^1]: ${text}\n\n[b]: <${text.replace(/[<>\n]/g, '')}> "${text.replace(/["\n]/g, '')}"`,
  (text) => `![${text}](${text.replace(/[()\s]/g, '')})\n\n$${text.replaceAll('\n', ' ')}$ and \\(\\text{${text.replaceAll('\n', ' ')}}\\)\n\n$$\\href{${text.replaceAll('\n', ' ')}}{x}$$`,
  (text) => `| a |\n|---|\n| ${text.replace(/[|\n]/g, '')} |\n`,
  (text) => `> ${text}\n\n- ${text}\n\n# ${text}`,
];
/** What people send is refused with such a sign in it; models may write it. */
const sendable = (text) => text.replaceAll('\u0000', '');

/** Nothing ran, nothing was fetched, and nothing of what could do either became a node. */
async function harmless(where) {
  await page.evaluate(() => document.querySelectorAll('details').forEach((node) => (node.open = true)));
  const found = await page.evaluate(() => ({
    executed: window.executed,
    nodes: document.querySelectorAll('body script, iframe, object, embed, base, body style, mj-reply img, form[action], marquee, video').length,
    // Formulas are set by us: nothing else is in them, and nothing leads away from them.
    formulas: [...document.querySelectorAll('math')].filter((node) => !node.parentElement.matches('mj-reply .math') || [node, ...node.querySelectorAll('*')].some((one) => one.namespaceURI !== 'http://www.w3.org/1998/Math/MathML' || one.hasAttribute('href'))).length,
    handlers: [...document.querySelectorAll('body *')].filter((node) => [...node.attributes].some((one) => /^on|^srcdoc$/.test(one.name))).length,
    links: [...document.querySelectorAll('a[href], area[href]')].filter((node) => !/^(https?|mailto|blob):$/.test(node.protocol)).length,
  }));
  assert.deepEqual(found, { executed: [], nodes: 0, formulas: 0, handlers: 0, links: 0 }, where);
  assert.deepEqual(outside, [], where);
}

atDesk(`none of ${COUNT} payloads does anything in any place of a reply, while it comes and later`, async () => {
  const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
  let reply = '';
  world.model.reply = async function* () {
    // What asks for a call is said once.
    const say = reply || 'Done.';
    reply = '';
    yield { thinking: say };
    yield say;
  };
  for (let at = 0; at < LIST.length; at += 15) {
    const some = LIST.slice(at, at + 15);
    const session = await world.api(page, 'POST', '/v1/sessions', { agent_id: main.id, name: `Batch ${at}` });
    // The first place is seen while it comes, the others as they are stored.
    await page.goto(`${world.base}/${session.id}`);
    await page.locator('mj-try').waitFor();
    for (const [index, place] of REPLIES.entries()) {
      reply = `${some.map(place).join('\n\n')}\n\n${'`'}end-${index}${'`'}`;
      if (index === 0) {
        await world.say(page, sendable(some.join('\n')));
        await page.locator('mj-message .acts').nth(1).waitFor();
      } else {
        const answer = await world.api(page, 'POST', `/v1/sessions/${session.id}/messages`, { content: sendable(some.join('\n')) });
        assert.equal(answer.outcome, 'completed', JSON.stringify(answer));
      }
    }
    await harmless(`live, batch ${at}`);
    await page.reload();
    await page.waitForFunction((count) => document.querySelectorAll('mj-message').length >= count, REPLIES.length * 2);
    await harmless(`stored, batch ${at}`);
    await world.api(page, 'POST', `/v1/sessions/${session.id}/archive`);
  }
});

atDesk(`none of ${COUNT} payloads does anything as a name, beside a reply, or in another place of the page`, async () => {
  const agents = (await world.api(page, 'GET', '/v1/agents')).items;
  const rules = [{ tool: 'list_directory', action: 'ask' }];
  const agent = await world.api(page, 'POST', '/v1/agents', { name: 'places', capabilities: ['session_file_system', 'current_time'], tool_rules: rules });
  const sessions = [];
  for (let at = 0; at < NAMES; at += 1) sessions.push(await world.api(page, 'POST', '/v1/sessions', { agent_id: agents[0].id }));
  for (let at = 0; at < LIST.length; at += NAMES) {
    const some = LIST.slice(at, at + NAMES).map(sendable);
    const all = some.join('\n');
    const plain = some.map((text) => text.replace(/\p{C}/gu, '').trim().slice(0, 190));
    for (const [index, name] of plain.entries()) await world.api(page, 'PATCH', `/v1/sessions/${sessions[index].id}`, { name });
    await world.api(page, 'PATCH', `/v1/agents/${agent.id}`, { name: plain[0], system_prompt: all });
    await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
    const key = await world.api(page, 'POST', '/v1/api-keys', { name: plain[1], scope: 'read' });
    const person = await world.api(page, 'POST', '/v1/users', { name: plain[2], role: 'guest', password: 'another horse' });
    const ability = await world.api(page, 'POST', '/v1/abilities', { name: `ability_${at}`, type: 'process', content: all.replaceAll('{{', '{ {'), description: plain[3], tags: [plain[4].replaceAll(',', '').slice(0, 30).trim()] });
    assert.ok(key.id && person.id && ability.id, JSON.stringify([key, person, ability]));
    await conversation(agent, all, plain);
    await places(agent, plain);
    await world.api(page, 'DELETE', `/v1/api-keys/${key.id}`);
    await world.api(page, 'DELETE', `/v1/users/${person.id}`);
    await world.api(page, 'DELETE', `/v1/abilities/${ability.id}`);
  }
});

/** Calls, results, approvals, questions, files, failures, drafts, and everything beside the conversation. */
async function conversation(agent, all, plain) {
  const session = await world.api(page, 'POST', '/v1/sessions', { agent_id: agent.id, name: plain[5] });
  await world.api(page, 'PUT', `/v1/sessions/${session.id}/files/${encodeURIComponent(plain[6].replaceAll('/', '_'))}`, all);
  await page.goto(`${world.base}/${session.id}`);
  await page.locator('mj-try').waitFor();
  world.model.reply = async function* (asked) {
    const last = asked.messages.at(-1);
    if (last.role !== 'tool') {
      yield { call: { name: 'get_current_time', timezone: all } };
      yield { call: { name: 'list_directory', path: all } };
    } else yield `<ask options="${attribute(plain.slice(0, 8).map((text) => text.replaceAll(',', '')).join(', '))}">${all.replaceAll('</ask>', '')}</ask>`;
  };
  await world.say(page, all);
  const card = page.locator('mj-approval section.approve');
  await card.or(page.locator('mj-question')).first().waitFor();
  await harmless('an approval');
  if (await card.count()) await card.getByRole('button', { name: /^Approve once/ }).click();
  await page.locator('mj-question').waitFor();
  await harmless('a question');
  for (const part of ['Tasks', 'Files', 'Prompt', 'Log', 'Activity']) {
    await page.getByRole('tab', { name: part }).click();
    if (part === 'Files') await page.locator('mj-files .file .btn').first().click();
    if (part === 'Files') await page.locator('mj-files pre').waitFor();
    if (part === 'Prompt') await page.locator('mj-prompt-preview .tree li').first().waitFor();
    await harmless(part);
  }
  world.model.reply = async function* () {
    yield { fail: 400, message: all };
  };
  await page.locator('mj-question').getByLabel('Answer in your own words').fill(plain[7]);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await harmless('a failure');
  await page.getByLabel('Message', { exact: true }).fill(`/help ${plain[8]}`);
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Result of the command' }).or(page.locator('mj-composer .told')).first().waitFor();
  await harmless('a command');
  await page.getByLabel('Message', { exact: true }).fill(all);
  await page.getByLabel('Search conversations').fill(plain[9]);
  await page.getByText('No conversation mentions').or(page.locator('.side .list .item')).first().waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await harmless('a draft');
  await world.api(page, 'POST', `/v1/sessions/${session.id}/archive`);
}

async function places(agent, plain) {
  for (const place of ['', 'agents', agent.id, 'capabilities', 'permissions', 'people', 'usage', 'audit', 'settings#keys']) {
    await page.goto(`${world.base}/${place}`);
    await page.locator('main h1').first().waitFor();
    await page.waitForLoadState('networkidle');
    if (place === '' || place === 'agents') await page.getByText(plain[0], { exact: true }).first().waitFor();
    await harmless(place);
  }
  await page.goto(world.base);
  await page.locator('mj-side .item').first().waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('option').first().waitFor();
  await harmless('the palette');
  await page.keyboard.press('Escape');
}

test(`none of ${COUNT} payloads does anything inside of a file, whatever kind it is, or as its name`, async () => {
  const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
  // The agent says what it was told, so that the words of the file are in a reply, too.
  world.model.reply = async function* (asked) {
    const { content } = asked.messages.findLast((one) => one.role === 'user');
    yield typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('\n');
  };
  const kinds = new Set();
  for (let at = 0; at < LIST.length; at += 100) {
    const some = LIST.slice(at, at + 100).map(sendable);
    for (const [number, [ending, make]] of Object.entries(FILES).entries()) {
      const session = await world.api(page, 'POST', '/v1/sessions', { agent_id: main.id, name: `A file: ${ending} ${at}` });
      await page.goto(`${world.base}/${session.id}`);
      await page.locator('mj-try').waitFor();
      const name = `${some[number % some.length].replace(/[\p{C}/\\]/gu, '').slice(0, 100)}.${ending}`;
      await page.getByLabel('Attach files').setInputFiles({ name, mimeType: '', buffer: make([`kept words ${ending}`, ...some]) });
      await page.locator('.uploads .chip .x').waitFor();
      await harmless(`${ending}, attached`);
      kinds.add((await page.locator('.uploads .chip .hint').innerText()).split(' · ')[0]);
      await world.say(page, 'What does it say?');
      await page.locator('mj-message .acts').nth(1).waitFor();
      assert.match(JSON.stringify(world.model.requests.at(-1).messages), new RegExp(`kept words ${ending}`), `${ending} was read`);
      await harmless(`${ending}, in a reply`);
      await world.part(page, 'Prompt');
      await page.locator('mj-prompt-preview select').selectOption('flat');
      await page.locator('mj-prompt-preview pre', { hasText: `kept words ${ending}` }).first().waitFor();
      await harmless(`${ending}, in the prompt`);
      await world.part(page, 'Activity');
      await world.closeColumn(page);
      await page.reload();
      await page.locator('.msg.user p.hint a').waitFor();
      await harmless(`${ending}, stored`);
      await world.api(page, 'POST', `/v1/sessions/${session.id}/archive`);
    }
  }
  assert.equal(kinds.size, KINDS, [...kinds].join());
});

atDesk(`none of ${COUNT} payloads does anything as a folder, a saved prompt, or in a conversation that is shared`, async () => {
  const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
  for (let at = 0; at < LIST.length; at += NAMES) {
    const some = LIST.slice(at, at + NAMES).map(sendable);
    const all = some.join('\n\n');
    const plain = some.map((text) => text.replace(/\p{C}/gu, '').trim().slice(0, 190));
    world.model.reply = async function* () {
      yield all;
    };
    const [folders, prompts] = [[], []];
    for (const name of plain.slice(0, 10)) folders.push(await world.api(page, 'POST', '/v1/folders', { name, instructions: all }));
    for (const [number, content] of some.slice(0, 10).entries()) prompts.push(await world.api(page, 'POST', '/v1/saved-prompts', { name: `p${number}`, content }));
    assert.ok([...folders, ...prompts].every((one) => one.id), JSON.stringify([...folders, ...prompts]));
    const session = await world.api(page, 'POST', '/v1/sessions', { agent_id: main.id, name: plain[0] });
    await world.api(page, 'PATCH', `/v1/sessions/${session.id}`, { folder_id: folders[0].id });
    await world.api(page, 'POST', `/v1/sessions/${session.id}/messages`, { content: all });
    const { secret } = await world.api(page, 'POST', `/v1/sessions/${session.id}/links`);
    await page.goto(`${world.base}/shared_${secret}`);
    await page.locator('mj-shared mj-reply').first().waitFor();
    await harmless('a shared conversation');
    await page.goto(`${world.base}/settings#prompts`);
    await page.locator('mj-prompts').getByText('/p0').first().waitFor();
    await harmless('saved prompts');
    await page.goto(`${world.base}/${session.id}`);
    await page.locator('mj-composer textarea').fill('/p');
    await page.locator('.completion li').first().waitFor();
    await harmless('the list of commands');
    await page.locator('mj-composer textarea').fill('');
    const folder = page.locator('.folder').first();
    await folder.locator('.name').click();
    await folder.getByLabel(/^Actions for/).first().click();
    await folder.getByRole('button', { name: 'Edit folder' }).click();
    await page.getByRole('button', { name: 'Save folder' }).waitFor();
    await harmless('folders');
    await page.getByRole('button', { name: 'Cancel' }).click();
    for (const one of folders) await world.api(page, 'DELETE', `/v1/folders/${one.id}`);
    for (const one of prompts) await world.api(page, 'DELETE', `/v1/saved-prompts/${one.id}`);
    await world.api(page, 'POST', `/v1/sessions/${session.id}/archive`);
  }
});

atDesk('with the same words a page without our guards is broken into', async () => {
  const control = await world.window(browser);
  await control.goto('about:blank');
  const executed = await control.evaluate(async (list) => {
    const ran = new Promise((done) => (window.alert = () => done(true)));
    for (const payload of list) {
      const node = document.createElement('div');
      document.body.append(node);
      node.innerHTML = payload;
    }
    return Promise.race([ran, new Promise((done) => setTimeout(() => done(false), 10_000))]);
  }, payloads(400).filter((text) => text.startsWith('<img src=x on')));
  assert.ok(executed, 'these payloads are real');
});
