// What holds wherever a person looks, at a desk and on a telephone: axe finds nothing in either theme, nothing is wider than
// the screen, and what a finger touches is as large as a fingertip.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { leftOut } from './fixtures/left-out.mjs';
import { furnish, newServer, VIEWS } from './fixtures/views.mjs';
import { openBrowser, SHOTS, SIZES, World } from './world.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ONLY = process.env.VIEW;
let browser, world, made;
before(async () => {
  [browser, world] = await Promise.all([openBrowser(), World.begin()]);
  world.found();
  const page = await world.window(browser);
  await world.signIn(page);
  made = await furnish(world, page);
  await page.context().close();
});
after(async () => {
  made?.over();
  await browser?.close();
  await world?.end();
});

async function axe(page, theme) {
  await page.evaluate((theme) => (document.documentElement.dataset.theme = theme), theme);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target} ${node.any[0]?.message ?? ''}`).slice(0, 4).join(' | ')}`);
}

/** What is too small for a finger, and what would make an iPhone enlarge the page: its fields below 16 px. */
const unfit = (page) =>
  page.evaluate(() => {
    const SMALL = 43.5;
    const found = [];
    for (const node of document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [role=option], [role=tab]')) {
      const style = getComputedStyle(node);
      const hidden = node.matches('.unseen, .veil, [aria-hidden=true]') && !node.matches('input[type=file]');
      if (hidden || !node.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      // A sign of a note and a word that leads elsewhere are as high as their line, which has neighbours; a box in a list of tasks is only shown.
      if (node.matches('.note-sign > button, li > input:disabled')) continue;
      if (style.display === 'inline' && node.matches('a') && node.closest('p, li, td, dd, .body, small, .note')) continue;
      // A box is touched wherever its label is.
      const touched = node.matches('input[type=checkbox], input[type=radio], input[type=file], input[type=range], input[type=color]') ? (node.closest('label') ?? node) : node;
      const { width, height } = touched.getBoundingClientRect();
      const name = `${node.localName}${node.className ? `.${String(node.className).replaceAll(' ', '.')}` : ''} in ${node.parentElement.localName}.${node.parentElement.className} “${(node.ariaLabel ?? node.textContent ?? '').trim().slice(0, 30)}”`;
      if (width < SMALL || height < SMALL) found.push(`${Math.round(width)} × ${Math.round(height)}: ${name}`);
      const typed = node.matches('input:not([type=checkbox], [type=radio], [type=file], [type=range], [type=color]), select, textarea');
      if (typed && parseFloat(style.fontSize) < 16) found.push(`${style.fontSize}: ${name}`);
    }
    return [...new Set(found)].slice(0, 12);
  });

for (const [size, options] of Object.entries(SIZES)) {
  test(`${size}: every view can be read by everybody${size === 'phone' ? ' and be touched' : ''}`, async () => {
    const fresh = await newServer();
    try {
      const [page, visitor] = [await world.window(browser, { ...options, bypassCSP: true }), await world.window(browser, { ...options, bypassCSP: true })];
      await world.signIn(page);
      for (const one of [page, visitor]) one.setDefaultTimeout(20_000);
      const faults = [];
      for (const [name, open] of VIEWS) {
        if (ONLY && !ONLY.split(',').some((one) => name.includes(one))) continue;
        const seen = await open({ world, page, made, visitor, fresh }).then((other) => other ?? page, (error) => void faults.push(`${name}: ${error.message.split('\n').slice(0, 3).join(' ')}`));
        if (!seen) continue;
        for (const theme of ['light', 'dark']) faults.push(...(await axe(seen, theme)).map((one) => `${name}, ${theme}: ${one}`));
        await seen.screenshot({ path: `${SHOTS}view-${size}-${name.replaceAll(/\W+/g, '-')}.png` });
        if (size === 'desk') continue;
        for (const width of [360, 430, 390]) {
          await seen.setViewportSize({ width, height: 844 });
          // One that is everywhere is told once.
          faults.push(...(await unfit(seen)).filter((one) => !faults.some((told) => told.endsWith(one))).map((one) => `${name}, ${width}: ${one}`));
          const wide = await seen.evaluate(() => document.documentElement.scrollWidth);
          if (wide > width) faults.push(`${name}, ${width}: the page is ${wide} wide`);
        }
      }
      assert.equal(faults.join('\n'), '');
      assert.deepEqual([...page.problems, ...visitor.problems], []);
    } finally {
      await fresh.end();
    }
  });
}

/** German words are longer: places that are reached by their address alone. */
const PLACES = ['', 'agents', 'capabilities', 'knowledge', 'knowledge#review', 'schedules', 'permissions', 'people', 'usage', 'audit', 'settings#account', 'settings#prompts', 'settings#appearance', 'settings#models', 'settings#keys', 'settings#logins', 'settings#servers', 'settings#data'];

for (const [size, options] of Object.entries(SIZES)) {
  test(`${size}: a German page fits as well, and axe finds nothing in it`, async (t) => {
    if (ONLY) return leftOut(t, `the German pages (${size}): VIEW=${ONLY} chooses others`);
    const page = await world.window(browser, { ...options, bypassCSP: true });
    page.setDefaultTimeout(20_000);
    await world.signIn(page);
    await world.api(page, 'PATCH', '/v1/me', { language: 'de' });
    try {
      const faults = [];
      for (const place of [...PLACES, made.ids.rich]) {
        // Another part of a place that is shown is no new page.
        await page.goto('about:blank');
        await page.goto(`${world.base}/${place}`);
        await page.locator('html[lang=de]').waitFor({ state: 'attached' });
        await page.locator('main h1').first().waitFor();
        for (const theme of ['light', 'dark']) faults.push(...(await axe(page, theme)).map((one) => `${place}, ${theme}: ${one}`));
        await page.screenshot({ path: `${SHOTS}german-${size}-${place.replaceAll(/\W+/g, '-').slice(0, 20) || 'first'}.png` });
        for (const width of size === 'desk' ? [1440, 1024] : [360, 390]) {
          await page.setViewportSize({ width, height: 844 });
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          if (wide > width) faults.push(`${place}, ${width}: the page is ${wide} wide`);
        }
      }
      assert.equal(faults.join('\n'), '');
      assert.deepEqual(page.problems, []);
    } finally {
      await world.api(page, 'PATCH', '/v1/me', { language: 'en' });
    }
  });
}
