// Installed on a telephone: a manifest, icons, and a worker that keeps the page itself and no word of anybody.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, SHOTS, World } from './world.mjs';

let browser, world;
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
});
after(async () => {
  await browser?.close();
  await world?.end();
});

test('the manifest and its icons are there', async () => {
  const manifest = await (await fetch(`${world.base}/assets/manifest.webmanifest`)).json();
  assert.deepEqual([manifest.display, manifest.start_url, manifest.scope], ['standalone', '../', '../']);
  for (const { src, type } of manifest.icons) {
    const icon = await fetch(`${world.base}/assets/${src}`);
    assert.deepEqual([icon.status, icon.headers.get('content-type')], [200, type], src);
  }
});

test('the page opens without a network and says so, and nothing of the person is kept', async () => {
  const page = await world.window(browser, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await world.signIn(page);
  world.model.reply = async function* () {
    yield 'The safe is behind the painting.';
  };
  await world.say(page, 'Where is the safe?');
  await page.locator('mj-reply', { hasText: 'behind the painting' }).waitFor();
  await page.evaluate(async () => (await navigator.serviceWorker.ready).active.state);
  await page.reload();
  await page.locator('mj-reply', { hasText: 'behind the painting' }).waitFor();
  const kept = await page.evaluate(async () => {
    const found = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) found.push([new URL(request.url).pathname, await (await cache.match(request)).text()]);
    }
    return found;
  });
  assert.ok(kept.length > 2, 'the first view is kept');
  for (const [path, text] of kept) {
    assert.match(path, /^\/(assets\/[^/]+)?$/, 'only the page itself');
    assert.ok(!text.includes('behind the painting') && !text.includes('Where is the safe'), path);
  }
  await page.context().setOffline(true);
  await page.reload();
  await page.getByText('The connection to the server is lost').first().waitFor();
  await page.screenshot({ path: `${SHOTS}offline.png` });
  await page.context().setOffline(false);
  await page.locator('mj-reply', { hasText: 'behind the painting' }).waitFor();
});
