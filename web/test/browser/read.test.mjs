// What agents write is read as they meant it: Markdown, formulas, diagrams, charts, results. On a desk and on a telephone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { openBrowser, SHOTS, World } from './world.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SIZES = { desk: {}, phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } };
const FENCE = '```';
let browser, world;
const pages = {};
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
  for (const [size, options] of Object.entries(SIZES)) {
    pages[size] = await world.window(browser, options);
    await world.signIn(pages[size]);
  }
});
after(async () => {
  await browser?.close();
  await world?.end();
});

/** A new conversation in which this is answered, so many letters at a time. */
async function answered(page, text, step = 40) {
  const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
  const session = await world.api(page, 'POST', '/v1/sessions', { agent_id: main.id });
  let isFirst = true;
  world.model.reply = async function* () {
    if (!isFirst) return yield 'Done.';
    isFirst = false;
    for (let at = 0; at < text.length; at += step) yield text.slice(at, at + step);
  };
  page.problems.length = 0;
  await page.goto(`${world.base}/${session.id}`);
  await page.locator('mj-try').waitFor();
  await watchShifts(page);
  await world.say(page, 'Go on');
  await page.locator('mj-message .acts').nth(1).waitFor();
  return page.locator('mj-reply').first();
}

function watchShifts(page) {
  return page.evaluate(() => {
    Object.assign(window, { shifts: 0, shifted: [] });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        window.shifts += entry.value;
        for (const { node, previousRect, currentRect } of entry.sources) window.shifted.push([entry.value.toFixed(5), node?.nodeName, node?.textContent?.slice(0, 40), previousRect.y, currentRect.y].join(' '));
      }
    }).observe({ type: 'layout-shift' });
  });
}

async function pleasing(page, where) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  for (const theme of ['light', 'dark']) {
    await page.evaluate((theme) => (document.documentElement.dataset.theme = theme), theme);
    const found = await page.evaluate(() => window.axe.run(document.querySelector('mj-conversation'), { resultTypes: ['violations'] }));
    assert.deepEqual(found.violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 200)}`), [], `${where}, ${theme}`);
    await page.screenshot({ path: `${SHOTS}read-${where}-${theme}.png` });
  }
  const [width, inner] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.equal(width, inner, `${where} is as wide as the window`);
  assert.deepEqual(page.problems, [], where);
}

const MARKDOWN = `# Plan

The variable OPENAI_API_KEY and my_file_name.py, see [provider.NAME] and array[0] and [x](y). 2 * 3 * 4 = 24.
A second line; **bold with _nested_ italic**, ~~gone~~ and https://example.com/a_b(c)?d=1. Text[^1].

1. one
   ${FENCE}js
   let a = 1;
   ${FENCE}
2. two

- [x] done
- [ ] open
  - nested

| Way | Costs |
|:--|--:|
| Train | 62 |

Raw <b>HTML</b> &amp; &ngE;

[^1]: A *note*.
`;

for (const size of Object.keys(SIZES)) {
  test(`Markdown is what it says, on a ${size}`, async () => {
    const page = pages[size];
    const reply = await answered(page, MARKDOWN, 7);
    await reply.getByText('≧̸').waitFor();
    const seen = async () => {
      assert.equal(await reply.locator('h2.h1').innerText(), 'Plan');
      assert.match(await reply.innerText(), /OPENAI_API_KEY and my_file_name\.py, see \[provider\.NAME\] and array\[0\] and x\. 2 \* 3 \* 4 = 24\./);
      assert.match(await reply.innerText(), /Raw <b>HTML<\/b> & ≧̸/);
      assert.equal(await reply.locator('ol > li').count(), 2, 'one list');
      assert.equal(await reply.locator('ol pre code').innerText(), 'let a = 1;\n');
      assert.equal(await reply.locator('input[type=checkbox]').count(), 2);
      const left = (selector) => reply.locator(selector).evaluate((node) => node.getBoundingClientRect().left);
      assert.ok((await left('li > ul > li')) > (await left('li:has(> ul) > input')) + 30, 'a list in a task is indented below it');
      assert.equal(await reply.locator('td').nth(1).evaluate((cell) => getComputedStyle(cell).textAlign), 'right');
      assert.deepEqual(await reply.locator('a[href]').evaluateAll((links) => links.map((link) => link.getAttribute('href'))), ['https://example.com/a_b(c)?d=1']);
    };
    await seen();
    await reply.locator('code .c-keyword').waitFor();
    const live = await reply.evaluate((node) => node.innerHTML);
    await pleasing(page, `markdown-${size}`);
    await page.reload();
    await reply.locator('h2.h1').waitFor();
    await reply.getByText('≧̸').waitFor();
    await reply.locator('code .c-keyword').waitFor();
    assert.equal(await reply.evaluate((node) => node.innerHTML), live, 'as it came, so it is stored');
    await reply.getByRole('button', { name: 'Footnote 1', exact: true }).click();
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Back to the text of footnote 1');
  });

  test(`formulas, diagrams and charts are drawn, on a ${size}`, async () => {
    const page = pages[size];
    const reply = await answered(
      page,
      `So $a^2$ and \\(b_1\\), for $5 or $6:\n\n$$\\frac{1}{2}$$\n\n\\[\nc+d\n\\]\n\n$$\\notacommand{x}$$\n\n${FENCE}mermaid\nflowchart LR\nA[Start] -->|go| B{Fine?}\n${FENCE}\n\n${FENCE}mermaid\nsequenceDiagram\nAlice->>Bob: Hello\n${FENCE}\n\n${FENCE}mermaid\npie title Pets\n${FENCE}\n\n<chart kind="bar" title="Rain" unit="mm">Day,North,South\nMon,3,1\nTue,5,2\n</chart>\n\nThe end.`,
    );
    await reply.locator('.math > math').nth(3).waitFor();
    assert.equal(await reply.locator('.math > math').count(), 4);
    assert.match(await reply.innerText(), /for \$5 or \$6/);
    assert.equal(await reply.locator('.math > code').innerText(), '$$\\notacommand{x}$$');
    await reply.getByRole('img', { name: 'Flowchart: Start to Fine? (go)' }).waitFor();
    await reply.getByRole('img', { name: 'Sequence diagram: Alice to Bob (Hello)' }).waitFor();
    await reply.getByText('This kind of diagram is shown as its source.').waitFor();
    await reply.getByRole('img', { name: 'Rain: chart with 2 rows of North, South' }).waitFor();
    await pleasing(page, `drawn-${size}`);
    const source = reply.getByRole('button', { name: 'Show source' }).first();
    await (size === 'phone' ? source.tap() : source.click());
    await reply.getByText('A[Start] -->|go| B{Fine?}').waitFor();
    const table = reply.getByRole('button', { name: 'Show table' });
    await (size === 'phone' ? table.tap() : table.click());
    assert.deepEqual(await reply.locator('hml-chart td').allInnerTexts(), ['Mon', '3', '1', 'Tue', '5', '2']);
  });

  test(`a table, a list, a fence, a chart and a quotation come letter by letter, and nothing above them moves, on a ${size}`, async () => {
    const page = pages[size];
    const text = `Words before it.\n\n| a | b |\n|:--|--:|\n| 1 | 2 |\n| 3 | 4 |\n\nBetween\n\n- one\n- two\n  - three\n\n${FENCE}js\nlet a = 1;\n${FENCE}\n\n> quoted\n> twice\n\nTitle\n---\n\n<chart title="Rain">Day,Rain\nMon,3\nTue,5\n</chart>\n\n**Bold** words and \`code\`. `;
    await answered(page, text.repeat(2), 1);
    await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))));
    const { shifts, shifted } = await page.evaluate(() => ({ shifts: window.shifts, shifted: window.shifted }));
    assert.ok(shifts < 0.001, `${shifts}\n${shifted.join('\n')}`);
  });

  test(`formulas and diagrams that would grow without end stay text, and the page goes on, on a ${size}`, async () => {
    const page = pages[size];
    const letters = Array.from({ length: 24 }, (_, at) => String.fromCharCode(97 + at));
    const doubling = `\\def\\a{xx}${letters.slice(1).map((to, at) => `\\def\\${to}{\\${letters[at]}\\${letters[at]}}`).join('')}\\${letters.at(-1)}`;
    const bombs = ['\\def\\a{\\a\\a}\\a', doubling, `${'{'.repeat(20_000)}x${'}'.repeat(20_000)}`, '\\rule{99999em}{99999em}'];
    const crowd = `flowchart TD\n${Array.from({ length: 3_000 }, (_, at) => `N${at} --> N${(at * 7) % 3_000}`).join('\n')}`;
    const reply = await answered(page, `${bombs.map((tex) => `$$${tex}$$`).join('\n\n')}\n\n${FENCE}mermaid\n${crowd}\n${FENCE}\n\nThen $a+b$.\n\n${FENCE}mermaid\nflowchart LR\nA[Still] --> B[drawn]\n${FENCE}\n\nThe end.`, 4_000);
    await reply.getByText('The end.').waitFor();
    await reply.getByRole('img', { name: 'Flowchart: Still to drawn' }).waitFor();
    await reply.locator('.math > math', { hasText: 'a+b' }).waitFor();
    await reply.locator('.math > code', { hasText: '\\def\\a{\\a\\a}\\a' }).waitFor();
    const { nodes, widest } = await page.evaluate(() => ({ nodes: document.querySelectorAll('mj-reply *').length, widest: document.documentElement.scrollWidth - window.innerWidth }));
    assert.ok(nodes < 30_000, `${nodes} nodes`);
    assert.equal(widest, 0, 'nothing makes the page wider');
    // Its person goes on.
    await world.say(page, 'And now?');
    await page.locator('mj-reply').nth(1).getByText('Done.').waitFor();
    assert.deepEqual(page.problems, []);
  });

  test(`of a file that is too long for the model it is said how much was read, on a ${size}`, async () => {
    const page = pages[size];
    const [main] = (await world.api(page, 'GET', '/v1/agents')).items;
    const session = await world.api(page, 'POST', '/v1/sessions', { agent_id: main.id });
    world.model.reply = async function* () {
      yield 'I have read its beginning.';
    };
    page.problems.length = 0;
    await page.goto(`${world.base}/${session.id}`);
    await page.locator('mj-try').waitFor();
    await page.getByLabel('Attach files').setInputFiles({ name: 'story.txt', mimeType: 'text/plain', buffer: Buffer.from('The first line.\n' + 'Once more the same words. '.repeat(60_000)) });
    await page.locator('.uploads .chip .hint').waitFor();
    await world.say(page, 'What does it say?');
    await page.locator('mj-reply', { hasText: 'I have read its beginning.' }).waitFor();
    const told = page.locator('.msg.user p.hint', { hasText: 'story.txt' }).getByText(/the first \d+ percent read/);
    await told.waitFor();
    const percent = Number(/first (\d+) percent/.exec(await told.innerText())[1]);
    // As much as the agent was really told.
    const messages = JSON.stringify(world.model.requests.at(-1).messages);
    assert.ok(messages.includes('The first line.'));
    const sent = messages.split('Once more the same words.').length - 1;
    assert.ok(Math.abs(sent / 600 - percent) <= 1, `${sent} of 60000 are not ${percent} percent`);
    await page.reload();
    await told.waitFor();
    await page.screenshot({ path: `${SHOTS}partly-read-${size}.png` });
    assert.deepEqual(page.problems, []);
  });

  test(`what tools gave is shown to people, on a ${size}`, async () => {
    const page = pages[size];
    const reply = await answered(page, '<result for="list_files" status="ok">[{"name":"a.txt","size":12},{"name":"b.txt","size":3}]</result>\n\n<result for="lookup" status="error">There is no such file.</result>\n\n@system(get_current_time, {timezone: "UTC"})\n\nThe end.');
    assert.deepEqual(await reply.locator('hml-result td').allInnerTexts(), ['a.txt', '12', 'b.txt', '3']);
    const red = await reply.locator('hml-result pre.errors').evaluate((node) => getComputedStyle(node).color);
    assert.notEqual(red, await reply.evaluate((node) => getComputedStyle(node).color));
    await reply.locator('mj-call summary').first().click();
    await reply.locator('mj-call .c-attr', { hasText: 'timezone' }).first().waitFor();
    await pleasing(page, `results-${size}`);
  });
}
