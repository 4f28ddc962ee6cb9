// Every view of the page with the way to it. What must hold wherever a person looks is tried over this list.
import { gate } from './model.mjs';
import { PASSWORD, World } from './world.mjs';

const RICH = `Some **words**, \`code\` and [a link](https://example.org/).[^1]

<thinking title="Thinking">Hm.</thinking>
<todo title="Plan"><item status="completed">One</item><item status="in_progress">Two</item><item>Three</item></todo>
<progress value="1" max="2">Half</progress>
<copy label="Code">abc</copy>

\`\`\`python
print(1)  # a comment
\`\`\`

| Way | Arrives | Costs |
|:---|:---:|---:|
| Train | 11:48 | 62 |

- [x] done
- [ ] open

> A quotation.

The root is $\\sqrt{2}$, and

$$\\int_0^1 x^2\\,dx = \\frac13$$

\`\`\`mermaid
flowchart LR
  A[Begin] -->|yes| B{Well?}
  B --> C[End]
\`\`\`

<chart kind="bar" title="Rain" unit="mm">Day,Rain
Mon,3
Tue,5</chart>

Seat <hml-prompt id="s">Which seat?</hml-prompt> colour <hml-prompt id="c" type="radio" options='["red","blue"]'>Which colour?</hml-prompt>
class <hml-prompt id="k" type="select" options='["first","second"]'>Which class?</hml-prompt> nights <hml-prompt id="n" type="number">How many?</hml-prompt>.

[^1]: A note below.`;

const DOT = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const ALONE = { MAJORDOMO_PROVIDER_TEST_WIRE: undefined, MAJORDOMO_PROVIDER_TEST_BASE_URL: undefined, MAJORDOMO_DEFAULTS_MODEL: undefined };

/** What the views show, made once by the owner of this window. */
export async function furnish(world, page) {
  const api = (method, path, body) => world.api(page, method, path, body);
  const held = gate();
  world.model.reply = async function* (asked) {
    const last = asked.messages.at(-1);
    const said = JSON.stringify(asked.messages.findLast((one) => one.role === 'user').content);
    if (last.role === 'tool') yield `${RICH}\n\nThat was all.`;
    else if (said.includes('a time')) yield { call: { name: 'get_current_time', timezone: 'Europe/Lisbon' } };
    else if (said.includes('a question')) yield 'One thing. <ask options="tea, coffee" timeout="3600s" default="tea">What may I bring?</ask>';
    else if (said.includes('a failure')) yield { fail: 400, message: 'no such model' };
    else if (said.includes('a story')) {
      yield 'A long story begins';
      // A model that says nothing for long would be given up.
      const soon = () => new Promise((later) => setTimeout(later, 10_000, false));
      while (!(await Promise.race([held.passed.then(() => true), soon()]))) yield ' and goes on';
    } else yield 'Fine.';
  };
  const [main] = (await api('GET', '/v1/agents')).items;
  await api('POST', '/v1/me/confirm', { password: PASSWORD });
  const careful = await api('POST', '/v1/agents', { name: 'careful', capabilities: ['current_time'], tool_rules: [{ tool: 'get_current_time', action: 'ask' }], system_prompt: 'Be careful.' });
  const session = async (name, words, status = 'idle', agent = main) => {
    const { id } = await api('POST', '/v1/sessions', { agent_id: agent.id, name });
    if (!words) return id;
    void api('POST', `/v1/sessions/${id}/messages`, { content: words }).catch(() => undefined);
    await page.waitForFunction(async ([id, status]) => {
      const session = await (await fetch(`/v1/sessions/${id}`)).json();
      return session.status === status && session.last_message;
    }, [id, status]);
    return id;
  };
  const ids = {
    agent: careful.id,
    rich: await session('Everything a reply can hold', 'Look up a time'),
    question: await session('One question', 'Ask me a question', 'input_required'),
    failed: await session('One that fails', 'Make a failure', 'failed'),
    running: await session('One that is running', 'Tell a story', 'working'),
    archived: await session('Put away', 'Hello'),
    approval: await session('One approval', 'Look up a time', 'input_required', careful),
    empty: await session('Nothing was said here'),
  };
  await api('POST', `/v1/sessions/${ids.archived}/archive`);
  const { secret } = await api('POST', `/v1/sessions/${ids.rich}/links`);
  await api('POST', '/v1/folders', { name: 'Kitchen', instructions: 'No nuts.' });
  await api('POST', '/v1/saved-prompts', { name: 'translate', content: 'Into Greek: {{text}}' });
  const { id: bob } = await api('POST', '/v1/users', { name: 'bob', role: 'guest', password: PASSWORD });
  await api('POST', '/v1/users', { name: 'cleo', role: 'member', password: PASSWORD });
  await api('PUT', '/v1/providers/spare', { wire: 'openai', base_url: world.model.url });
  const cleo = await world.window(page.context().browser());
  await world.signIn(cleo, 'cleo');
  await world.api(cleo, 'POST', '/v1/me/confirm', { password: PASSWORD });
  await world.api(cleo, 'POST', '/v1/agents', { name: 'gardener', shared_with: ['*'] });
  await cleo.context().close();
  await api('POST', '/v1/api-keys', { name: 'a key', scope: 'read' });
  await api('PUT', `/v1/sessions/${ids.rich}/files/notes.md`, 'Buy milk.');
  return { ids, bob, shared: `shared_${secret}`, over: () => held.open() };
}

/** Goes to a place and waits for what must be seen there. */
const at = (place, seen) => async (it) => {
  await it.page.goto(`${it.world.base}/${typeof place === 'function' ? place(it) : place}`);
  await it.page.locator(seen).first().waitFor();
};
/** From where the view before left off. */
const then = (act) => async (it) => void (await act(it, it.page));
const conversation = (name, seen) => at((it) => it.made.ids[name], seen);
const part = (name, seen) =>
  then(async (it, page) => {
    await it.world.part(page, name);
    await page.locator(seen).first().waitFor();
  });

/** What is in the column of conversations, from the first page. */
const listed = (act) =>
  then(async (it, page) => {
    await at('', 'mj-begin textarea')(it);
    await act(await it.world.column(page, 'side'), page, it);
  });

/** In this order: some begin where the one before ended. `it` is `{ world, page, made, visitor, fresh }`; a view in another window gives that back. */
export const VIEWS = [
  ['first page', at('', 'mj-begin textarea')],
  ['list of conversations', listed((side) => side.locator('.item').first().waitFor())],
  ['menu of a conversation', listed(async (side) => {
    await side.getByLabel('Actions for Everything a reply can hold').click();
    await side.locator('.menu').waitFor();
  })],
  ['menu of a folder', listed(async (side) => {
    await side.locator('.folder .name').first().click();
    await side.getByLabel('Actions for Kitchen').click();
    await side.locator('.menu').waitFor();
  })],
  ['several conversations', listed(async (side) => {
    await side.getByRole('button', { name: 'Select' }).click();
    await side.getByRole('checkbox').first().check();
  })],
  ['search results', listed(async (side) => {
    await side.getByLabel('Search conversations').fill('story');
    await side.locator('mark').first().waitFor();
  })],
  ['archived conversations', listed(async (side) => {
    await side.getByRole('button', { name: 'Archived conversations' }).click();
    await side.getByText('Put away').waitFor();
  })],
  ['dialog of a folder', listed(async (side, page) => {
    await side.getByRole('button', { name: 'New folder' }).click();
    await page.getByRole('button', { name: 'Save folder' }).waitFor();
  })],
  ['undo', listed(async (side, page, it) => {
    const { id } = await it.world.api(page, 'POST', '/v1/sessions', { agent_id: it.made.ids.agent, name: 'Soon gone' });
    await side.getByLabel('Actions for Soon gone').click();
    await side.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.locator('.undo').waitFor();
    return id;
  })],
  ['conversation', conversation('rich', 'mj-reply .code.drawn svg')],
  ['a call', then(async (it, page) => {
    await page.locator('mj-call summary').first().click();
    await page.locator('mj-call').getByRole('heading', { name: 'Result' }).waitFor();
  })],
  ['list of tabs', then(async (it, page) => {
    await conversation('empty', 'mj-try')(it);
    await page.getByRole('button', { name: /^All open conversations/ }).click();
    await page.locator('.drop').waitFor();
  })],
  ['menu of the conversation', then(async (it, page) => {
    await conversation('rich', 'mj-reply .code')(it);
    await page.getByRole('button', { name: 'Share or download this conversation' }).click();
    await page.locator('mj-conversation-menu .drop').waitFor();
  })],
  ['dialog of sharing', then(async (it, page) => {
    await page.getByRole('button', { name: 'Share with people of this server' }).click();
    await page.locator('mj-share').getByLabel('Link').first().waitFor();
  })],
  ['activity', async (it) => {
    await conversation('rich', 'mj-reply .code')(it);
    await part('Activity', 'mj-activity .ev')(it);
  }],
  ['tasks', part('Tasks', 'mj-tasks li')],
  ['files', part('Files', 'mj-files .file')],
  ['prompt', part('Prompt', 'mj-prompt-preview .tree li')],
  ['log', part('Log', 'mj-log summary')],
  ['editing a message', async (it) => {
    await conversation('rich', '.msg.user')(it);
    await it.page.locator('.msg.user').getByLabel('Edit', { exact: true }).click();
    await it.page.getByLabel('Edit your message').waitFor();
  }],
  ['commands', async (it) => {
    await conversation('rich', 'mj-composer textarea')(it);
    await it.page.getByLabel('Message', { exact: true }).fill('/');
    await it.page.locator('.completion li').first().waitFor();
  }],
  ['actions of a message', async (it) => {
    await conversation('rich', '.msg.user')(it);
    const message = it.page.locator('.msg.user').first();
    if (await it.world.hasKeyboard(it.page)) await message.hover();
    else await it.world.longPress(it.page, message, () => it.page.locator('.sheet').waitFor());
  }],
  ['a link that leaves', async (it) => {
    await conversation('rich', 'mj-reply a[data-outside]')(it);
    await it.page.locator('mj-reply a[data-outside]').first().click();
    await it.page.locator('mj-leave dialog').waitFor();
  }],
  ['the password once more', then(async (it, page) => {
    await at('settings#keys', 'mj-keys tbody tr')(it);
    await page.evaluate(() => document.body.append(document.createElement('mj-confirm')));
    await page.locator('mj-confirm').getByRole('textbox').waitFor();
  })],
  ['an approval', async (it) => {
    await conversation('approval', 'mj-approval header')(it);
    await it.world.readRequest(it.page);
  }],
  ['words that may not be an answer', async (it) => {
    await it.world.say(it.page, 'Perhaps');
    await it.page.locator('.unsure').waitFor();
  }],
  ['a question', conversation('question', 'mj-question button:enabled')],
  ['a failed reply', conversation('failed', '.notice.error')],
  ['a running reply', conversation('running', '.boxed .stop:enabled')],
  ['a message that is queued', async (it) => {
    await conversation('running', '.boxed .stop:enabled')(it);
    await it.world.say(it.page, 'Later');
    await it.page.locator('.outgoing').getByText('queued', { exact: true }).first().waitFor();
  }],
  ['a message that was not sent', async (it) => {
    await conversation('failed', 'mj-composer textarea')(it);
    await it.page.getByLabel('Attach files').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: DOT });
    await it.page.locator('.uploads .chip', { hasText: 'dot.png' }).locator('.x').waitFor();
    await it.world.say(it.page, 'Look');
    await it.page.locator('.outgoing').getByText('not sent', { exact: true }).waitFor();
  }],
  ['an empty conversation', conversation('empty', 'mj-try')],
  ['an archived conversation', conversation('archived', '.closed')],
  ['a shared conversation', at((it) => it.made.shared, 'mj-shared mj-reply svg')],
  ['palette', then(async (it, page) => {
    await page.keyboard.press('Control+k');
    await page.locator('.palette [role=option]').first().waitFor();
  })],
  ['shortcuts', async (it) => {
    await at('usage', 'main h1')(it);
    await it.page.keyboard.press('?');
    await it.page.getByRole('dialog').waitFor();
  }],
  ['agents', at('agents', 'mj-agents section.card')],
  ['an agent', at((it) => it.made.ids.agent, 'mj-agent-preview .tree li')],
  ['agents that are offered', then(async (it, page) => {
    await at('agents', 'mj-agents section.card')(it);
    await page.getByRole('button', { name: 'Accept this agent' }).first().waitFor();
  })],
  ['a test conversation', then(async (it, page) => {
    await at((it) => it.made.ids.agent, 'mj-agent-preview .tree li')(it);
    await page.getByRole('button', { name: 'Test conversation' }).click();
    await page.locator('mj-test-chat mj-begin textarea').waitFor();
  })],
  ['editor of an ability', then(async (it, page) => {
    await at('capabilities', 'mj-abilities')(it);
    await page.getByRole('button', { name: 'Write an ability' }).click();
    await page.locator('mj-abilities form textarea').waitFor();
  })],
  ['capabilities', at('capabilities', 'mj-capabilities main h1, mj-capabilities h1')],
  ['permissions', at('permissions', 'mj-permissions h1')],
  ['people', at('people', 'mj-people tbody tr')],
  ['usage', at('usage', 'svg.plot rect')],
  ['audit', at('audit', 'mj-audit tbody tr')],
  ['settings: account', at('settings#account', 'mj-account h1')],
  ['settings: prompts', at('settings#prompts', 'mj-prompts h1')],
  ['settings: appearance', at('settings#appearance', 'mj-appearance h1')],
  ['settings: models', at('settings#models', 'mj-models h1')],
  ['removal of a provider', then(async (it, page) => {
    // Only that of the default model is asked about.
    await it.world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
    await it.world.api(page, 'PUT', '/v1/models/default', { model: 'spare/scripted' });
    await page.goto('about:blank');
    await at('settings#models', 'mj-models h1')(it);
    const card = page.locator('section.card').filter({ has: page.locator('header', { hasText: /^spare/ }) }).first();
    await card.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Keep provider' }).waitFor();
  })],
  ['settings: keys', at('settings#keys', 'mj-keys tbody tr')],
  ['settings: devices', at('settings#logins', 'mj-logins h1')],
  ['settings: servers', at('settings#servers', 'mj-servers tbody tr')],
  ['settings: data', at('settings#data', 'mj-data h1')],
  ['signing in', async ({ world, visitor }) => {
    await visitor.goto(world.base);
    await visitor.getByRole('button', { name: 'Sign in' }).waitFor();
    return visitor;
  }],
  ['an invitation', async ({ world, page, visitor }) => {
    await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
    const { secret, token } = await world.api(page, 'POST', '/v1/account-links', { role: 'member', valid_hours: 24 });
    await visitor.goto(`${world.base}/join#${secret ?? token}`);
    await visitor.getByRole('button', { name: 'Create account' }).waitFor();
    return visitor;
  }],
  ['a link for a new password', async ({ world, page, made, visitor }) => {
    await world.api(page, 'POST', '/v1/me/confirm', { password: PASSWORD });
    const { token } = await world.api(page, 'POST', '/v1/account-links', { user_id: made.bob, valid_hours: 24 });
    await visitor.goto('about:blank');
    await visitor.goto(`${world.base}/join#${token}`);
    await visitor.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    return visitor;
  }],
  ['a dead link', async ({ world, visitor }) => {
    await visitor.goto('about:blank');
    await visitor.goto(`${world.base}/join#nothing`);
    await visitor.getByRole('alert').waitFor();
    return visitor;
  }],
  ['a server without an owner', async ({ fresh, visitor }) => {
    await visitor.goto(fresh.base);
    await visitor.getByRole('heading', { name: 'Set up this server' }).waitFor();
    return visitor;
  }],
  ['setting up', async ({ fresh, visitor }) => {
    await visitor.goto(fresh.setupLink);
    await visitor.getByRole('button', { name: 'Create account' }).waitFor();
    return visitor;
  }],
  ['choosing a model', async ({ visitor }) => {
    await visitor.getByLabel('Name').fill('ada');
    await visitor.getByLabel('Password').fill(PASSWORD);
    await visitor.getByRole('button', { name: 'Create account' }).click();
    await visitor.getByRole('heading', { name: 'Choose a model' }).waitFor();
    return visitor;
  }],
];

/** A server that was just started, without an owner and without a model. */
export const newServer = () => World.begin(ALONE);
