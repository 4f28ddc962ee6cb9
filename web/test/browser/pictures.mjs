// The pictures of the README: `npm run pictures`.
import { gate } from './model.mjs';
import { openBrowser, World } from './world.mjs';

const images = new URL('../../../docs/images/', import.meta.url).pathname;
const [browser, world] = await Promise.all([openBrowser(), World.begin()]);
world.found();
const page = await world.window(browser, { viewport: { width: 1440, height: 980 }, locale: 'en-GB' });
await world.signIn(page);
const { id } = await world.api(page, 'POST', '/v1/agents', { name: 'Travel agent', capabilities: ['current_time'] });
const held = gate();
const REPLY = [
  '<thinking title="Thinking">Night trains from Madrid stopped in 2020; check coach and train through Badajoz, then a short flight as a fallback.</thinking>\n',
  '<todo title="Plan"><item status="completed">Look up trains to Badajoz</item><item status="completed">Connections from Badajoz to Lisbon</item><item status="in_progress">Compare with the Thursday coach</item><item>Put the best into your calendar</item></todo>\n\n',
  'The fastest train route leaves at 7:25 and arrives at **11:48**, with one change in Badajoz.\n\n| Way | Leaves | Arrives | Costs |\n|---|---|---|---|\n| Train | 7:25 | 11:48 | 62 |\n| Coach | 23:10 | 8:30 | 21 |\n\n',
  'One thing I need from you: which seat do you like? <hml-prompt id="seat">Which seat do you like?</hml-prompt>\n\nWhile you decide, the coach is slower but leaves Thursday night and costs a third of',
];
world.model.reply = async function* (asked) {
  if (!JSON.stringify(asked.messages.at(-1)).includes('Lisbon')) return yield 'Two litres is enough.';
  yield* REPLY;
  await held.passed;
};
for (const name of ['Tax letters', 'Groceries with Theo', 'Trip to Lisbon']) {
  const session = await world.api(page, 'POST', '/v1/sessions', { agent_id: id, name });
  await page.goto(`${world.base}/${session.id}`);
  await page.locator('mj-try').waitFor();
  if (name === 'Tax letters') continue;
  await world.say(page, name === 'Trip to Lisbon' ? 'Find me a way to be in Lisbon on Friday by noon, not flying if it can be helped, and keep the weekend free.' : 'How much milk do we need?');
  await page.getByText(name === 'Trip to Lisbon' ? 'costs a third' : 'Two litres').last().waitFor();
}
await page.waitForTimeout(800);
await page.screenshot({ path: `${images}page-light.png` });
await page.evaluate(() => (document.documentElement.dataset.theme = 'dark'));
await page.screenshot({ path: `${images}page-dark.png` });
held.open();
await browser.close();
await world.end();
