// How it feels, in numbers that depend on the machine: frames and long tasks while five conversations stream, and how long a
// conversation of thousands of messages takes to open beside one of fifty.
import { openBrowser, World } from './world.mjs';

const MESSAGES = Number(process.env.MESSAGES ?? 5_000);
const SECONDS = 8;
const [browser, world] = await Promise.all([openBrowser(), World.begin()]);
world.found();
const page = await world.window(browser);
page.setDefaultTimeout(120_000);
await world.signIn(page);

async function streaming() {
  world.model.reply = async function* () {
    const begun = performance.now();
    for (let at = 0; at < SECONDS * 100; at += 1) {
      const wait = begun + at * 10 - performance.now();
      if (wait > 1) await new Promise((done) => setTimeout(done, wait));
      yield at % 60 === 59 ? '.\n\n' : ` word${at}`;
    }
    yield ' end.';
  };
  for (let session = 0; session < 5; session += 1) {
    await world.converse(page);
    if (session === 4) {
      await page.evaluate(() => {
        window.seen = { long: [], frames: [], why: [] };
        new PerformanceObserver((list) => window.seen.why.push(...list.getEntries().map((entry) => `${entry.duration.toFixed(0)} ms, of which scripts ${entry.scripts.map((one) => `${one.duration.toFixed(0)} ${one.invoker}`).join(', ') || 'none'}, layout and paint ${(entry.startTime + entry.duration - entry.styleAndLayoutStart).toFixed(0)}`))).observe({ type: 'long-animation-frame' });
        new PerformanceObserver((list) => window.seen.long.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask' });
        let last = performance.now();
        const frame = (now) => {
          window.seen.frames.push(now - last);
          last = now;
          requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      });
    }
    await world.say(page, `Stream ${session}`);
  }
  await page.waitForTimeout(SECONDS * 1_000);
  const { long, frames, why } = await page.evaluate(() => window.seen);
  const sorted = [...frames].sort((a, b) => a - b);
  const at = (share) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
  console.log(`five streams at 100 tokens/s: ${frames.length} frames in ${SECONDS} s, median ${at(0.5)} ms, p99 ${at(0.99)} ms; ${long.length} tasks over 50 ms${long.length ? ` (longest ${Math.max(...long).toFixed(0)} ms)` : ''}`);
  for (const one of why) console.log(`  a long frame: ${one}`);
}

async function opening(turns) {
  await world.converse(page);
  const id = page.url().split('/').pop();
  await page.evaluate(
    async ([id, turns]) => {
      for (let at = 0; at < turns; at += 1) {
        await fetch(`/v1/sessions/${id}/messages`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ content: `Message ${at}` }) });
      }
    },
    [id, turns],
  );
  const times = [];
  for (let round = 0; round < 7; round += 1) {
    await page.goto(world.base);
    await page.locator('.welcome').waitFor();
    const begun = performance.now();
    await page.goto(`${world.base}/${id}`);
    await page.locator('mj-message').last().waitFor();
    times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  console.log(`opening ${turns * 2} messages: median ${times[3].toFixed(0)} ms (${times[0].toFixed(0)} to ${times[6].toFixed(0)})`);
}

try {
  await streaming();
  world.model.reply = async function* () {
    yield 'A short answer with **some** words in it.';
  };
  await opening(25);
  await opening(MESSAGES / 2);
} finally {
  await browser.close();
  await world.end();
}
