// What agents do at their times: made in words, seen before it is saved, run, and what came of it.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { openBrowser, SHOTS, SIZE, World } from './world.mjs';

let browser, world, page, main;
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
  page = await world.window(browser);
  await world.signIn(page);
  await world.api(page, 'PATCH', '/v1/me', { time_zone: 'Europe/Athens' });
  [main] = (await world.api(page, 'GET', '/v1/agents')).items;
});
after(async () => {
  await browser?.close();
  await world?.end();
});
beforeEach(async () => {
  page.problems.length = 0;
  for (const { id } of (await schedules()).items) await world.api(page, 'DELETE', `/v1/schedules/${id}`);
});

const schedules = () => world.api(page, 'GET', '/v1/schedules');
const add = (given) => world.api(page, 'POST', '/v1/schedules', { note: 'Tell me the news.', place: 'fresh', agent_id: main.id, typed: true, when: { kind: 'cron', pattern: '0 8 * * 1-5' }, ...given });
const open = async (one = page) => {
  await one.goto('about:blank');
  await one.goto(`${world.base}/schedules`);
  await one.locator('mj-schedules h1').waitFor();
};
const card = (words, one = page) => one.locator('mj-schedules .entry', { hasText: words });

test('a person says what and when, sees the next times, and it is said back with the zone', async () => {
  await page.goto(world.base);
  await page.locator('mj-begin').waitFor();
  await world.place(page, 'schedules');
  await page.getByText('No schedules yet.').waitFor();
  await page.screenshot({ path: `${SHOTS}schedules-none.png` });
  await page.getByRole('button', { name: /^Tell me in five sentences/ }).click();
  const form = page.locator('mj-schedule-form');
  await page.waitForFunction(() => document.activeElement?.name === 'note');
  assert.equal(await form.getByLabel('What the agent is to do').inputValue(), 'Tell me in five sentences what is in the news.');
  await form.getByText(/^Monday to Friday at 8:00.AM \(Europe\/Athens\)$/).waitFor();
  await form.locator('.next-times li').nth(4).waitFor();
  await form.getByLabel('Time of day').fill('07:30');
  await form.getByText(/^Monday to Friday at 7:30.AM \(Europe\/Athens\)$/).waitFor();
  await form.locator('.next-times li', { hasText: '7:30' }).nth(4).waitFor();
  await page.screenshot({ path: `${SHOTS}schedules-form.png` });
  await form.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByRole('status').filter({ hasText: /^Saved: Monday to Friday at 7:30.AM \(Europe\/Athens\)\. Next: .* \(Europe\/Athens\)\.$/ }).waitFor();
  const [made] = (await schedules()).items;
  assert.deepEqual([made.when, made.place, made.label.integrity], [{ kind: 'cron', pattern: '30 7 * * 1-5', zone: null }, 'own', 'trusted']);

  // Changed, paused, resumed.
  const one = card('Tell me in five sentences');
  await one.getByRole('button', { name: /^Edit/ }).click();
  await one.getByRole('combobox', { name: 'When', exact: true }).selectOption('Every few hours or minutes');
  await one.getByLabel('Number').fill('6');
  await one.getByText('Every 6 hours', { exact: true }).waitFor();
  await one.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('status').filter({ hasText: /^Saved: Every 6 hours\. Next: .*Europe\/Athens/ }).waitFor();
  await one.getByRole('button', { name: /^Pause/ }).click();
  await one.locator('.chip', { hasText: 'paused' }).waitFor();
  assert.equal((await schedules()).items[0].state, 'paused');
  await one.getByRole('button', { name: /^Resume/ }).click();
  await page.getByRole('status').filter({ hasText: /comes again\. Next: / }).waitFor();
  assert.equal(await one.locator('.chip', { hasText: 'paused' }).count(), 0);
  await page.screenshot({ path: `${SHOTS}schedules.png` });

  // Deleted only when that is meant.
  page.once('dialog', (dialog) => void dialog.dismiss());
  await one.getByRole('button', { name: /^Delete/ }).click();
  assert.equal((await schedules()).items.length, 1);
  let asked = '';
  page.once('dialog', (dialog) => void ((asked = dialog.message()), dialog.accept()));
  await one.getByRole('button', { name: /^Delete/ }).click();
  await page.getByText('No schedules yet.').waitFor();
  assert.match(asked, /“Tell me in five sentences.*The conversations of its runs stay/);
  assert.equal((await schedules()).items.length, 0);
  assert.deepEqual(page.problems, []);
});

test('each way to say when is what the server keeps, also by the clock of another place', async () => {
  await world.api(page, 'PATCH', '/v1/me', { time_zone: 'Asia/Tokyo' });
  const ways = [
    ['Every day', async (form) => form.getByLabel('Time of day').fill('06:15'), { kind: 'cron', pattern: '15 6 * * *', zone: null }],
    ['On some days of the week', async (form) => {
      await form.getByRole('checkbox', { name: 'Monday' }).uncheck();
      await form.getByText('Say when it comes.').waitFor();
      await form.getByRole('checkbox', { name: 'Friday' }).check();
      await form.getByRole('checkbox', { name: 'Sunday' }).check();
    }, { kind: 'cron', pattern: '0 8 * * 0,5', zone: null }],
    ['Once', async (form) => form.getByLabel('Day and time').fill('2099-07-20T08:00'), { kind: 'once', at: '2099-07-19T23:00:00.000Z' }],
    ['By a cron pattern', async (form) => {
      await form.getByRole('textbox', { name: 'Pattern' }).fill('0 8 * * * * *');
      await form.getByText(/A cron pattern has five fields/).waitFor();
      await form.getByRole('textbox', { name: 'Pattern' }).fill('0 8 1 * *');
      await form.getByText('By the cron pattern 0 8 1 * * (Asia/Tokyo)').waitFor();
      await form.getByText('More', { exact: true }).click();
      await form.getByLabel('Time zone').fill('Europe/Lisbon');
      await form.getByText('By the cron pattern 0 8 1 * * (Europe/Lisbon)').waitFor();
      await form.getByLabel('Ends after so many runs').fill('12');
      await form.getByRole('combobox', { name: 'When the server was not running' }).selectOption('leave out what was missed');
    }, { kind: 'cron', pattern: '0 8 1 * *', zone: 'Europe/Lisbon' }],
  ];
  await open();
  for (const [name, say, when] of ways) {
    await page.getByRole('button', { name: 'Add a schedule' }).click();
    const form = page.locator('mj-schedule-form');
    await form.getByLabel('What the agent is to do').fill(name);
    await form.getByRole('combobox', { name: 'When', exact: true }).selectOption(name);
    await say(form);
    await form.locator('.next-times li').first().waitFor();
    await page.screenshot({ path: `${SHOTS}schedules-${name.split(' ').at(-1)}.png` });
    await form.getByRole('button', { name: 'Add schedule' }).click();
    await card(name).first().waitFor();
    const made = (await schedules()).items.find((one) => one.note === name);
    assert.deepEqual(made.when, made.when.kind === 'once' ? { kind: 'once', at: made.when.at } : when);
    if (made.when.kind === 'once') assert.equal(Date.parse(made.when.at), Date.parse(when.at));
    if (name === 'By a cron pattern') assert.deepEqual([made.max_runs, made.missed], [12, 'skip']);
  }
  await world.api(page, 'PATCH', '/v1/me', { time_zone: 'Europe/Athens' });
  assert.deepEqual(page.problems, []);
});

test('a run has its conversation, and one that came to nothing says why and what to do', async () => {
  world.model.reply = async function* () {
    yield 'The town has a new bridge.';
  };
  await open();
  await page.getByRole('button', { name: 'Add a schedule' }).click();
  const form = page.locator('mj-schedule-form');
  await form.getByLabel('What the agent is to do').fill('Tell me the news.');
  await form.getByRole('combobox', { name: 'When', exact: true }).selectOption('Once');
  // A moment that is over is due at once.
  await form.getByLabel('Day and time').fill('2026-01-01T08:00');
  await form.getByText('This moment is over: it runs at once.').waitFor();
  await form.getByRole('button', { name: 'Add schedule' }).click();
  const told = page.getByRole('status').filter({ hasText: /^Saved: Once, .*This moment is over: it runs at once\.$/ });
  await told.waitFor();
  const { x, width } = await told.boundingBox();
  assert.ok(x + width <= page.viewportSize().width, 'all of what is said back can be read');
  const one = card('Tell me the news.');
  await one.locator('.mark.ok', { hasText: 'done' }).waitFor();
  await one.locator('.chip', { hasText: 'has come for the last time' }).waitFor();
  await one.getByRole('button', { name: /^Runs of/ }).click();
  await one.locator('.run .chip', { hasText: 'done' }).waitFor();
  await page.screenshot({ path: `${SHOTS}schedules-runs.png` });
  await one.getByRole('link', { name: /^Open the conversation of the run/ }).click();
  await page.waitForURL(/session_/);
  await page.locator('mj-conversation').getByText('The town has a new bridge.').last().waitFor();

  await world.api(page, 'POST', '/v1/me/confirm', { password: 'correct horse' });
  const helper = await world.api(page, 'POST', '/v1/agents', { name: 'helper' });
  const roses = await add({ note: 'Water the roses.', agent_id: helper.id, when: { kind: 'once', at: '2099-01-01T08:00:00Z' } });
  await world.api(page, 'PATCH', `/v1/agents/${helper.id}`, { status: 'archived' });
  await world.api(page, 'PATCH', `/v1/schedules/${roses.id}`, { when: { kind: 'once', at: '2026-01-01T08:00:00Z' } });
  await open();
  const thirsty = card('Water the roses.');
  await thirsty.locator('.mark.bad', { hasText: 'failed' }).waitFor();
  await thirsty.getByText('Its last run came to nothing. Its agent is archived.').waitFor();
  await thirsty.getByRole('button', { name: /^Runs of/ }).click();
  await thirsty.locator('.run', { hasText: 'Its agent is archived.' }).waitFor();
  assert.equal(await thirsty.locator('.run a').count(), 0);
  assert.deepEqual(page.problems, []);
});

test('one that was stopped comes first, says why and what to do, and is resumed', async () => {
  const made = await add({ note: 'Look after the backups.' });
  await add({ note: 'Tell me the news.', when: { kind: 'every', seconds: 60, anchor: '2099-01-01T00:00:00Z' } });
  const failed = { due_at: '2026-11-19T08:00:00Z', fired_at: '2026-11-19T08:00:00Z', ended_at: '2026-11-19T08:00:01Z', turn_id: null, session_id: null, outcome: 'failed', code: 'agent_archived', missed: 0 };
  const stopped = async (route) => {
    const answer = await route.fetch();
    const list = await answer.json();
    for (const one of list.items) if (one.id === made.id && one.state === 'active' && !resumed) Object.assign(one, { state: 'stopped', next_at: null, failures: 10 });
    await route.fulfill({ response: answer, json: list });
  };
  let resumed = false;
  await page.route(/\/v1\/schedules\?/, stopped);
  await page.route(new RegExp(`/v1/schedules/${made.id}/runs`), (route) => route.fulfill({ json: { items: Array(5).fill(failed).map((run, at) => ({ ...run, due_at: `2026-11-${19 - at}T08:00:00Z` })), next_cursor: null, total: 5 } }));
  await open();
  const one = page.locator('mj-schedules .entry').first();
  await one.getByText('Look after the backups.').waitFor();
  await one.getByText('It failed 10 times, one after the other, and was stopped. Its agent is archived.').waitFor();
  await one.getByText('Restore the agent on the page “Agents”, then resume the schedule.').waitFor();
  assert.equal(await one.locator('.mark.bad').count(), 5);
  await page.screenshot({ path: `${SHOTS}schedules-stopped.png` });
  resumed = true;
  await one.getByRole('button', { name: /^Resume/ }).click();
  await page.getByRole('status').filter({ hasText: /comes again\. Next: / }).waitFor();
  await page.unrouteAll();
  assert.deepEqual(page.problems, []);
});

test('what another window saved is told before it is replaced', async () => {
  const made = await add({ note: 'Tell me the news.' });
  await open();
  const one = card('Tell me the news.');
  await one.getByRole('button', { name: /^Edit/ }).click();
  await world.api(page, 'PATCH', `/v1/schedules/${made.id}`, { note: 'Tell me the weather.', typed: true });
  await page.getByLabel('What the agent is to do').fill('Tell me a joke.');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'It says “Tell me the weather.”' }).waitFor();
  assert.equal(await page.getByLabel('What the agent is to do').inputValue(), 'Tell me a joke.');
  assert.equal((await schedules()).items[0].note, 'Tell me the weather.');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await card('Tell me a joke.').waitFor();
  assert.equal((await schedules()).items[0].note, 'Tell me a joke.');

  // One that is made elsewhere appears by itself.
  await add({ note: 'Call mum.' });
  await card('Call mum.').waitFor();
  assert.deepEqual(page.problems, []);
});

// A telephone has no keyboard.
const atDesk = SIZE === 'phone' ? () => undefined : test;
atDesk('it is made with the keyboard alone, and Escape gives the focus back', async () => {
  await open();
  await page.getByRole('button', { name: 'Add a schedule' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.name === 'note');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.activeElement?.textContent === 'Add a schedule');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.name === 'note');
  await page.keyboard.type('Feed the cat.');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Monday');
  await page.keyboard.press('Tab');
  await page.locator('.next-times li').first().waitFor();
  await page.keyboard.press('Enter');
  await card('Feed the cat.').waitFor();
  assert.deepEqual((await schedules()).items[0].when, { kind: 'cron', pattern: '0 8 * * 1-5', zone: null });
  assert.deepEqual(page.problems, []);
});

test('in German the words are German, with the clock of the person', async () => {
  await world.api(page, 'PATCH', '/v1/me', { language: 'de' });
  await add({ note: 'Was gibt es Neues?' });
  await open();
  await page.getByText('Montag bis Freitag um 08:00 (Europe/Athens)').waitFor();
  await page.getByRole('button', { name: 'Zeitplan hinzufügen' }).click();
  await page.getByRole('combobox', { name: 'Wann', exact: true }).selectOption('Nach einem Cron-Muster');
  await page.getByRole('textbox', { name: 'Muster' }).fill('kaputt');
  await page.locator('mj-schedule-form .told').waitFor();
  assert.match(await page.locator('mj-schedule-form .told').textContent(), /^Ein Cron-Muster hat fünf Felder/);
  await page.screenshot({ path: `${SHOTS}schedules-german.png` });
  await world.api(page, 'PATCH', '/v1/me', { language: 'en' });
  assert.deepEqual(page.problems, []);
});
