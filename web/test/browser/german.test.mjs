// On a German page no line of the server stays English, and no name or word of a person becomes German.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, PASSWORD, SHOTS, SIZES, World } from './world.mjs';

let browser, world;
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
});
after(async () => {
  await browser?.close();
  await world?.end();
});

/** What of an answer or a refusal is English: two words and more between spans of code and signs, without how commands are written. */
function englishOf(text) {
  const plain = text.replaceAll(/^(`{3,})[\s\S]*?^\1$/gm, '').replaceAll(/`[^`]*`/g, '\n').replaceAll('**', '\n');
  const pieces = plain.split(/[\n·,;:()—]|\. |\?/).map((piece) => piece.trim().replace(/\.$/, ''));
  return pieces.filter((piece) => /[A-Za-z]{2} [A-Za-z]{2}/.test(piece) && !/^[/"$[]/.test(piece));
}

/** Types a command and gives what the server said and what the page shows. */
async function command(page, line) {
  const close = page.locator('section.help header button');
  if (await close.isVisible()) await close.click();
  await page.locator('form.compose textarea').fill(line);
  const answered = page.waitForResponse((response) => response.url().endsWith('/v1/commands'));
  await world.send(page);
  const response = await answered;
  const answer = await response.json();
  const selector = response.ok() ? 'section.help mj-said' : 'form.compose .told[role=alert]';
  const shown = await page.waitForFunction((selector) => document.querySelector(selector)?.innerText.trim(), selector);
  return { said: answer.text ?? answer.detail, text: await shown.jsonValue() };
}

for (const [size, options] of Object.entries(SIZES)) {
  test(`${size}: what commands answer is in German, and what people wrote stays`, async () => {
    const page = await world.window(browser, options);
    await world.signIn(page);
    const made = await world.api(page, 'POST', '/v1/agents', { name: `Research ${size}`, capabilities: ['current_time'] });
    const prompt = await world.api(page, 'POST', '/v1/saved-prompts', { name: `greet_${size}`, content: 'Hello {{who}}', description: 'text' });
    const ability = await world.api(page, 'POST', '/v1/abilities', { name: `tidy_${size}`, type: 'process', content: 'Be tidy.', description: 'history', tags: [] });
    await world.converse(page);
    await world.api(page, 'PATCH', '/v1/me', { language: 'de' });
    try {
      await page.reload();
      await page.locator('html[lang=de]').waitFor({ state: 'attached' });
      await page.locator('form.compose textarea').waitFor();
      const english = [];
      const lines = ['/help', '/help all', '/help session', '/help agent', '/help trust', '/help zzzz', '/model', '/agent', '/agent list', '/agent show', '/session', '/session list', '/session list archived=true', '/session rename', '/ability list', `/ability show tidy_${size}`, '/ability create x', '/ability', '/session dance', '/session list archived=often', '/session rename "a', '/agent configure main colour=red', '/agent configure main limits=3', '/agent configure main {', '/help (', '/help category=dances', '/sesion', '/zzzzzz', '/trust x', '/clear all'];
      for (const line of lines) {
        const { said, text } = await command(page, line);
        english.push(...englishOf(said).filter((piece) => text.includes(piece)).map((piece) => `${line}: ${piece}`));
        if (['/help', '/model', '/session list', '/session dance'].includes(line)) await page.screenshot({ path: `${SHOTS}german-${size}${line.replaceAll(/\W+/g, '-')}.png` });
        if (line === '/help all') for (const kept of [`/greet_${size} WHO`, 'text', 'history']) assert.ok(text.includes(kept), kept);
        if (line === '/session list') assert.doesNotMatch(text, /\b(idle|messages?)\b/);
        if (line === '/agent list') assert.ok(text.includes(`Research ${size}`), text);
      }
      assert.deepEqual(english, []);
      assert.deepEqual(page.problems, []);
    } finally {
      await world.api(page, 'PATCH', '/v1/me', { language: 'en' });
      await world.api(page, 'DELETE', `/v1/agents/${made.id}`);
      await world.api(page, 'DELETE', `/v1/saved-prompts/${prompt.id}`);
      await world.api(page, 'DELETE', `/v1/abilities/${ability.id}`);
      await page.context().close();
    }
  });

  test(`${size}: the activity tells of another agent in German, and capabilities and keys are told in German`, async () => {
    const page = await world.window(browser, options);
    await world.signIn(page);
    const agent = await world.api(page, 'POST', '/v1/agents', { name: `chef-${size}`, capabilities: ['colleagues'] });
    const { id } = await world.api(page, 'POST', '/v1/sessions', { agent_id: agent.id });
    await world.api(page, 'PATCH', '/v1/me', { language: 'de' });
    try {
      world.model.reply = async function* (asked) {
        const last = asked.messages.at(-1);
        if (last.role === 'tool') yield 'Fertig.';
        else if (JSON.stringify(last).includes('Zähle')) yield 'Eins, zwei, drei.';
        else yield { call: { name: 'spawn_agent', instructions: 'Du zählst.', task: 'Zähle bis drei.' } };
      };
      await page.goto(`${world.base}/${id}`);
      await page.locator('html[lang=de]').waitFor({ state: 'attached' });
      await page.locator('form.compose textarea').fill('Frag jemanden.');
      await world.send(page);
      await page.locator('mj-reply').getByText('Fertig.').waitFor();
      await world.part(page, 'Verlauf');
      const feed = page.locator('mj-activity');
      for (const title of ['Unteragent gestartet', 'Der andere Agent ist mit seiner Aufgabe fertig', 'Antwort fertig']) await feed.getByText(title).first().waitFor();
      await page.screenshot({ path: `${SHOTS}german-${size}-errand.png` });
      const titles = await feed.locator('.ev > div').evaluateAll((all) => all.map((one) => one.firstChild.textContent));
      assert.deepEqual(titles.filter((title) => /\b(the|started|ended|reply|changed|errand|complete|message|done|used)\b/i.test(title)), []);
      await world.closeColumn(page);

      await page.goto(`${world.base}/capabilities`);
      await page.locator('.capability').first().waitFor();
      const { items } = await world.api(page, 'GET', '/v1/capabilities');
      const shown = await page.locator('.capability').evaluateAll((all) => all.map((one) => one.textContent).join('\n'));
      const told = items.flatMap((one) => [one.description, ...one.tools.map((tool) => tool.description)]);
      assert.ok(told.length > 30);
      assert.deepEqual(told.filter((text) => shown.includes(text)), []);

      await page.goto(`${world.base}/${agent.id}`);
      await page.locator('mj-agent-tools li').first().waitFor({ state: 'attached' });
      const listed = await page.locator('mj-agent-tools').textContent();
      assert.ok(listed.includes('Listet die Agenten auf'), listed);
      assert.deepEqual(told.filter((text) => listed.includes(text)), []);

      await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
      await world.api(page, 'POST', '/v1/api-keys', { name: `Schlüssel ${size}`, scope: 'chat' });
      await page.goto('about:blank');
      await page.goto(`${world.base}/settings#keys`);
      const keys = page.locator('mj-keys');
      await keys.locator('td').filter({ hasText: 'an Unterhaltungen teilnehmen' }).first().waitFor();
      const words = await keys.evaluate((all) => all.textContent);
      assert.doesNotMatch(words, /\b(full|chat|read)\b/);
      assert.deepEqual(page.problems, []);
    } finally {
      await world.api(page, 'PATCH', '/v1/me', { language: 'en' });
      await page.context().close();
    }
  });
}
