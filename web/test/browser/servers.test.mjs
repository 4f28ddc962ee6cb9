// The servers of one database, as an admin sees them: this one alone, and several of which one leaves and one is silent.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, SHOTS, SIZES, World } from './world.mjs';

let browser, world;
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
});
after(async () => {
  await browser?.close();
  await world?.end();
});

const AT = '2026-01-05T10:00:00Z';
const node = (name, fields = {}) => ({
  id: `node_${name.padEnd(32, '0')}`,
  name,
  version: '1.0.0',
  status: 'serving',
  started_at: AT,
  seen_at: AT,
  running_turns: 0,
  clock_ahead_ms: 12,
  clock_is_off: false,
  lease_left_ms: 14_200,
  is_this: false,
  ...fields,
});

for (const [size, options] of Object.entries(SIZES)) {
  test(`${size}: an admin sees the servers, their versions, clocks and leases`, async () => {
    const page = await world.window(browser, options);
    await world.signIn(page);
    await page.goto(`${world.base}/settings#servers`);
    const rows = page.locator('mj-servers tbody tr');
    // As it is: one server, on SQLite.
    await rows.first().waitFor();
    assert.equal(await rows.count(), 1);
    for (const words of ['this server', 'runs', 'reference', 'not needed']) await rows.first().getByText(words, { exact: true }).waitFor();
    // What an answer of several looks like.
    const items = [
      node('attic', { is_this: true, running_turns: 3 }),
      node('cellar', { status: 'leaving', version: '1.1.0', clock_ahead_ms: 20_000, clock_is_off: true }),
      node('shed', { status: 'silent', lease_left_ms: -60_000, clock_ahead_ms: -4_000 }),
    ];
    await page.route('**/v1/nodes', (route) => route.fulfill({ json: { items, total: items.length, next_cursor: null } }));
    await rows.nth(2).waitFor();
    const [attic, cellar, shed] = [0, 1, 2].map((at) => rows.nth(at));
    for (const words of ['attic', '1.0.0', 'runs', '3', 'correct', '14 s']) await attic.getByText(words).first().waitFor();
    for (const words of ['is stopping', '1.1.0', '20 s ahead']) await cellar.getByText(words).waitFor();
    for (const words of ['does not answer', '4.0 s behind', /^last seen: /]) await shed.getByText(words).waitFor();
    await page.getByText(/^The clock of cellar is wrong/).waitFor();
    await page.getByText(/^The servers run different versions/).waitFor();
    await page.screenshot({ path: `${SHOTS}servers-${size}.png` });
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
}
