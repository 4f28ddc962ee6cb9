// The real program with a temporary house, the scripted model, and the system's Chromium.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { Model } from './model.mjs';

const root = new URL('../../../', import.meta.url).pathname;
const BINARY = process.env.MAJORDOMO_BINARY ?? join(root, 'target/debug/majordomo');
const CHROMIUM = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
export const PASSWORD = 'correct horse';
/** At a desk, and in a hand: what a person could do in both is tried in both. */
export const SIZES = {
  desk: {},
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};
/** The scenarios of a file are all at one of them, unless they say otherwise. */
export const SIZE = process.env.SIZE ?? 'desk';
export const SHOTS = new URL('../../shots/', import.meta.url).pathname + (SIZE === 'desk' ? '' : `${SIZE}-`);

/** One browser for all tests of a file. */
export async function openBrowser() {
  if (!CHROMIUM) throw new Error('There is no Chromium. Debian: apt-get install chromium; elsewhere name it in CHROMIUM.');
  return chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
}

export class World {
  /** `environment` is what is set besides, or a function that tells it of the model. */
  static async begin(environment = {}) {
    const world = new World();
    world.model = await new Model().start();
    world.data = mkdtempSync(join(tmpdir(), 'majordomo-page-'));
    world.environment = {
      PATH: process.env.PATH,
      HOME: world.data,
      MAJORDOMO_PROVIDER_TEST_WIRE: 'openai',
      MAJORDOMO_PROVIDER_TEST_BASE_URL: world.model.url,
      MAJORDOMO_DEFAULTS_MODEL: 'test/scripted',
      MAJORDOMO_DEFAULTS_TITLES: 'false',
      MAJORDOMO_LOG: 'error',
      ...(typeof environment === 'function' ? environment(world.model) : environment),
    };
    await world.serve();
    return world;
  }

  /** Starts the program, the second time on the port it had. */
  async serve() {
    this.process = spawn(BINARY, ['serve', '--bind', `127.0.0.1:${this.port ?? 0}`, '--data', this.data], { env: this.environment, stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: this.process.stdout });
    await new Promise((ready, failed) => {
      this.process.once('exit', (code) => failed(new Error(`the program ended with ${code}`)));
      lines.on('line', (line) => {
        const listening = /listening on (http:\/\/127\.0\.0\.1:(\d+))/.exec(line);
        if (listening) [this.base, this.port] = [listening[1], listening[2]];
        const link = /https?:\S+\/setup#\S+/.exec(line);
        if (link) this.setupLink = link[0];
        if (listening && this.founded) ready();
        if (link) ready();
      });
    });
    this.process.removeAllListeners('exit');
  }

  /** As if the power went. */
  async kill() {
    const gone = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill('SIGKILL');
    await gone;
  }

  /** An owner, without the page. */
  found(name = 'ada') {
    const added = spawnSync(BINARY, ['user', 'add', name, '--role', 'owner', '--password-stdin', '--data', this.data], { env: this.environment, input: `${PASSWORD}\n` });
    if (added.status !== 0) throw new Error(String(added.stderr));
    this.founded = true;
  }

  /** What a person does in the terminal of the server. */
  async terminal(...command) {
    const done = spawn(BINARY, [...command, '--data', this.data], { env: this.environment, stdio: ['ignore', 'ignore', 'inherit'] });
    const code = await new Promise((ended) => done.once('exit', ended));
    if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}`);
  }

  /** So many numbered messages into each of these conversations, past the program: to say them would take minutes. */
  async fill(page, messages) {
    const { id } = await this.api(page, 'GET', '/v1/me');
    await this.kill();
    for (const [session, count] of Object.entries(messages)) {
      const filled = spawnSync(join(dirname(BINARY), 'examples/fill_session'), [this.data, id, session, String(count)]);
      if (filled.status !== 0) throw new Error(String(filled.error ?? filled.stderr));
    }
    await this.serve();
  }

  async end() {
    await this.kill();
    this.model.stop();
    rmSync(this.data, { recursive: true, force: true });
  }

  /** A signed-in window. What goes wrong in it fails the test that reads `problems`. */
  async window(browser, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...SIZES[SIZE], ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    page.problems = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 4\d\d|ERR_CONNECTION|WebSocket/.test(message.text())) page.problems.push(message.text());
    });
    page.on('pageerror', (error) => page.problems.push(String(error)));
    return page;
  }

  async signIn(page, name = 'ada', password = PASSWORD) {
    await page.goto(this.base);
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: /Good to see you/ }).waitFor();
  }

  /** A new conversation, ready to be written in. */
  async converse(page) {
    const agents = await this.api(page, 'GET', '/v1/agents?limit=100');
    const main = agents.items.find((agent) => agent.name === 'main' && !agent.shared_by) ?? agents.items.find((agent) => !agent.offered);
    const { id } = await this.api(page, 'POST', '/v1/sessions', { agent_id: main.id });
    await page.evaluate((id) => {
      history.pushState(null, '', `/${id}`);
      window.dispatchEvent(new Event('place'));
    }, id);
    await page.locator('mj-try').waitFor();
  }

  async say(page, text) {
    await page.getByLabel('Message', { exact: true }).fill(text);
    // A message waits for its files.
    await page.waitForFunction(() => !document.querySelector('mj-composer .uploads .pending'));
    await this.send(page);
  }

  /** What is written there: on a telephone Enter begins a line, and a button of the form sends. */
  async send(page, form = 'form.compose') {
    if (await this.hasKeyboard(page)) await page.keyboard.press('Enter');
    else await page.locator(`${form} button.primary`).click();
  }

  hasKeyboard(page) {
    return page.evaluate(() => matchMedia('(pointer:fine)').matches);
  }

  /** Looks into the tray of what waits for this person, and goes back to the conversation. */
  async inTray(page, look) {
    await this.column(page, 'side');
    await look(page.locator('mj-tray'));
    await this.closeColumn(page);
  }

  /** The column with the conversations (`side`) or with the details of one (`aside`): on a telephone it is opened first. */
  async column(page, which) {
    const opener = page.locator(which === 'side' ? '.bar .only-narrow' : '.bar .only-middle');
    if ((await opener.isVisible()) && (await page.locator(`.open-${which}`).count()) === 0) {
      await this.closeColumn(page);
      await opener.click();
    }
    return page.locator(which === 'side' ? '.side' : '.right');
  }

  /** Closes the column again, where it is a drawer. */
  async closeColumn(page) {
    if ((await page.locator('.veil').count()) === 0) return;
    await page.keyboard.press('Escape');
    await page.locator('.veil').waitFor({ state: 'detached' });
  }

  /** Goes to a page by the list of them. */
  async place(page, name) {
    await (await this.column(page, 'side')).locator(`.nav a[data-place=${name}]`).click();
  }

  /** A part of the details beside the conversation. */
  async part(page, name) {
    await (await this.column(page, 'aside')).getByRole('tab', { name }).click();
  }

  /** Reads a request from its head to its buttons, as it must have been before they count; a small screen has to be scrolled. */
  async readRequest(page, card = page.locator('mj-approval')) {
    const counts = card.locator('button.primary:enabled').first();
    // It may move away from where the last one was while it is being read: then it is read again.
    for (let rounds = 0; rounds < 10; rounds += 1) {
      for (const part of ['header', '.row']) {
        await card.locator(part).first().scrollIntoViewIfNeeded();
        await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))));
      }
      if (await counts.waitFor({ timeout: 3000 }).then(() => true, () => false)) return;
    }
    await counts.waitFor();
  }

  /** A finger that rests there until what comes of it is seen. */
  async longPress(page, locator, seen) {
    await locator.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await locator.boundingBox();
    const client = await page.context().newCDPSession(page);
    await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: x + width / 2, y: y + height / 2 }] });
    await seen();
    await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await client.detach();
  }

  /**
   * Stands between this window and the server, from its next page on. `refuse` gives what is answered to a message instead of passing
   * it on, `pass` is waited for before one goes on, `cut` ends the connection until `down` is false again; `sent` are the messages.
   */
  async between(page) {
    const wire = { down: false, sent: [], refuse: () => null, pass: async () => undefined, cut: async () => undefined };
    await page.routeWebSocket(/\/ws$/, (socket) => {
      if (wire.down) return void socket.close();
      const server = socket.connectToServer();
      wire.cut = async () => {
        wire.down = true;
        await socket.close();
        await page.locator('.lost').waitFor();
      };
      socket.onMessage(async (text) => {
        const frame = JSON.parse(text);
        const problem = frame.type === 'send' ? (wire.sent.push(frame.content), wire.refuse(frame)) : null;
        const { session_id, idempotency_key } = frame;
        if (problem) return socket.send(JSON.stringify({ type: 'problem', of: 'send', session_id, idempotency_key, ...problem }));
        if (frame.type === 'send') await wire.pass(frame);
        server.send(text);
      });
    });
    wire.back = async () => {
      wire.down = false;
      await page.locator('.lost').waitFor({ state: 'detached' });
    };
    await page.reload();
    await page.locator('.lost').waitFor({ state: 'detached' });
    return wire;
  }

  /** A call of the API as the person of this window. */
  async api(page, method, path, body) {
    return page.evaluate(
      async ([method, path, body]) => {
        const answer = await fetch(path, { method, headers: body ? { 'content-type': 'application/json' } : {}, body: body ? JSON.stringify(body) : null });
        return answer.status === 204 ? null : answer.json();
      },
      [method, path, body],
    );
  }
}
