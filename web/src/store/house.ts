/** Everything this window knows: who is here, what is open, what waits, and the one connection. */
import { api } from '../api/routes';
import { Problem, root } from '../api/client';
import type { AgentView, BudgetLeft, Me, ModelInfo, Question, Session } from '../api/schema';
import { isEnvelope, type ServerFrame } from '../stream/frames';
import { ReconnectingSocket, type ConnectionState } from '../stream/reconnecting-socket';
import { speakFor } from '../element/time';
import { approvalTitle } from '../words/approval';
import { speak, speakAsBefore, t } from '../words/words';
import { Conversation } from './conversation';
import { gistOf } from './gist';
import { forget, keep, keepFor, kept, names, own } from './browser-storage';
import { notify } from './notify';
import { Observable } from './observable';
import { go } from './place';
import { isAtLeast } from './role';
import { Sessions } from './sessions';
import type { Approval } from './transcript';
import { allUnsent, answeredUnsent } from './unsent';
import { moveDraft } from '../view/draft';

/** A quarter of what one connection may follow. */
const MOST_TABS = 25;
/** Of the words that stand for a name. */
const TITLE_CHARS = 50;
const WAITING = new Set(['question_prompt', 'question_answered', 'approval_request', 'approval_result']);

export class House extends Observable {
  #me: Me | null = null;
  /** Is it known whether a person is signed in? */
  known = false;
  connection: ConnectionState = 'connecting';
  readonly sessions = new Sessions();
  agents: AgentView[] = [];
  models: ModelInfo[] = [];
  /** Ids of the conversations in tabs, in their order. */
  tabs: string[] = [];
  /** Questions and approvals of all sessions that wait for this person. */
  questions: Question[] = [];
  approvals: Approval[] = [];
  /** What may still be spent today; null where there is no budget. */
  budget: BudgetLeft | null = null;
  /** How many approvals were decided, here or elsewhere: each may have become a rule. */
  decisions = 0;
  trouble = '';
  readonly #open = new Map<string, Conversation>();
  readonly socket: ReconnectingSocket;

  constructor() {
    super();
    const listener = {
      frame: (frame: ServerFrame) => this.#hear(frame),
      connection: (state: ConnectionState) => this.#connection(state),
      signedOut: () => this.leave(),
    };
    this.socket = new ReconnectingSocket(listener, {
      open: (url) => new WebSocket(url),
      setTimer: (run, milliseconds) => window.setTimeout(run, milliseconds),
      clearTimer: (timer) => window.clearTimeout(timer),
      random: Math.random,
      signedIn: async () => {
        try {
          await api.me();
          return true;
        } catch (error) {
          return !(error instanceof Problem && error.status === 401);
        }
      },
    });
  }

  get me(): Me | null {
    return this.#me;
  }

  set me(me: Me | null) {
    const before = this.#me;
    // Another person is here now: nothing of this one stays in the window.
    if (before && me && before.id !== me.id) {
      this.leave();
      return;
    }
    this.#me = me;
    keepFor(me?.id ?? '');
    if (before?.language === me?.language && before?.time_zone === me?.time_zone) return;
    speakFor(me);
    this.sessions.retold();
  }

  /** Is a person signed in already? */
  async begin(): Promise<void> {
    await speakAsBefore();
    let me: Me;
    try {
      me = await api.me();
      await speak(me.language);
    } catch (error) {
      // Only this answer says that no person is signed in.
      if (error instanceof Problem && error.status === 401) this.known = true;
      else {
        this.connection = 'lost';
        setTimeout(() => void this.begin(), 1_000);
      }
      return this.changed();
    }
    await this.enter(me).catch(() => undefined);
    this.changed();
  }

  async enter(me: Me): Promise<void> {
    this.me = me;
    if (this.me !== me) return;
    this.known = true;
    for (const { frame, problem } of allUnsent()) if (problem === null) this.socket.send(frame);
    this.socket.start();
    this.tabs = kept<string[]>(`tabs-${me.id}`, []).slice(0, MOST_TABS);
    this.changed();
    await Promise.all([this.sessions.load(), this.loadAgents(), this.loadBudget()]);
    // A tab may be older than what the list begins with; only one whose conversation is gone goes.
    const there = await Promise.all(this.tabs.map(async (id) => [id, await this.sessions.know(id)] as const));
    const gone = new Set(there.filter(([, is]) => !is).map(([id]) => id));
    this.tabs = this.tabs.filter((id) => !gone.has(id));
    for (const id of this.tabs) this.conversation(id);
    this.changed();
  }

  /** Here: nothing of the person stays in the browser, either. */
  async signOut(): Promise<void> {
    const unsent = ['draft', 'unsent', 'agent'].some((kind) => names(own(kind)).length > 0);
    if (unsent && !confirm(t('What you wrote and did not send or save will be deleted from this browser. Sign out?'))) return;
    this.socket.stop();
    try {
      await api.logout();
    } catch (error) {
      this.socket.start();
      throw error;
    }
    forget();
    this.leave();
  }

  /** Signed out, here or elsewhere: nothing of the person stays in the window. */
  leave(): void {
    this.socket.stop();
    location.replace(root());
  }

  async loadAgents(): Promise<void> {
    const models = isAtLeast(this.me?.role, 'member') ? api.models() : Promise.resolve({ items: [] });
    const [agents, known] = await Promise.allSettled([api.agents(), models]);
    if (agents.status === 'fulfilled') this.agents = agents.value.items;
    if (known.status === 'fulfilled') this.models = known.value.items;
    this.changed();
  }

  /** The agents that this person may talk to; what others offer is not among them. */
  get usable(): AgentView[] {
    return this.agents.filter((agent) => !offer(agent));
  }

  /** By which this person knows an agent: one of another person has that person's name behind its own. */
  nameOf(agent: AgentView): string {
    const owner = 'shared_by_name' in agent ? agent.shared_by_name : null;
    return owner ? `${agent.name} (${owner})` : agent.name;
  }

  /** What an agent without a model of its own uses, in words. */
  get defaultModel(): string {
    const model = this.models.find((one) => one.default);
    return model ? t('Default model ({})', model.id) : t('Default model');
  }

  /** The name of a conversation; where it has none, its first words, or its last ones as long as this window does not know those. */
  titleOf(session: Session | undefined): string {
    const said = session && this.#open.get(session.id)?.transcript;
    const first = said && !said.more ? said.entries.find((entry) => entry.role === 'user')?.content : '';
    return session?.name ?? brief(first || (session?.last_message?.content ?? ''));
  }

  /** The same above a conversation, where nothing may move while a reply is written: only by the words that it was opened with. */
  headOf(session: Session | undefined): string {
    return session?.name ?? brief((session && this.#open.get(session.id)?.opening) ?? '');
  }

  agentOf(session: string): AgentView | undefined {
    const id = this.sessions.find(session)?.agent_id;
    return this.agents.find((agent) => agent.id === id);
  }

  /** The conversation, followed from now on. */
  conversation(id: string): Conversation {
    let conversation = this.#open.get(id);
    if (!conversation) {
      conversation = new Conversation(id, this.socket, () => crypto.randomUUID());
      this.#open.set(id, conversation);
      this.#nameWhenKnown(conversation);
      conversation.open();
    }
    return conversation;
  }

  /** The words that it was opened with are its name in the tab and in the title of the window, where it has no other. */
  #nameWhenKnown(conversation: Conversation): void {
    let { opening } = conversation;
    conversation.subscribe(() => {
      if (opening === conversation.opening) return;
      ({ opening } = conversation);
      this.changed();
    });
  }

  /** Opens it in a tab of its own. */
  show(id: string): Conversation {
    if (!this.tabs.includes(id)) {
      // The oldest ones make room; what is not in a tab is not followed.
      const tabs = [...this.tabs, id];
      for (const old of tabs.slice(0, -MOST_TABS)) this.#unfollow(old);
      this.tabs = tabs.slice(-MOST_TABS);
      this.#keepTabs();
    }
    return this.conversation(id);
  }

  closeTab(id: string): void {
    const at = this.tabs.indexOf(id);
    this.tabs = this.tabs.filter((tab) => tab !== id);
    this.#unfollow(id);
    this.#keepTabs();
    if (location.pathname.endsWith(id)) go(this.tabs[Math.min(at, this.tabs.length - 1)] ?? '');
    this.changed();
  }

  #unfollow(id: string): void {
    this.#open.get(id)?.close();
    this.#open.delete(id);
  }

  /** Leaves this tab alone. */
  closeOthers(id: string): void {
    for (const other of this.tabs.filter((tab) => tab !== id)) this.closeTab(other);
    go(id);
  }

  /** Another version of a conversation takes its place. Who went elsewhere meanwhile stays there. */
  replaceTab(id: string, by: Session): void {
    moveDraft(id, by.id);
    this.sessions.replace(id, by);
    this.#unfollow(id);
    this.#unfollow(by.id);
    this.tabs = this.tabs.map((tab) => (tab === id ? by.id : tab)).filter((tab, at, all) => all.indexOf(tab) === at);
    this.#keepTabs();
    if (location.pathname.endsWith(id)) go(by.id);
  }

  /** A version that is in no list comes into it, in the place of the one that is: a person has opened what they searched for. */
  async showVersion(id: string): Promise<void> {
    await this.sessions.know(id);
    if (!this.sessions.find(id)?.hidden) return;
    const session = await api.showVersion(id);
    const shown = this.sessions.items.find((one) => one.version_of === session.version_of && one.id !== id);
    if (shown) {
      moveDraft(shown.id, id);
      this.#unfollow(shown.id);
      this.tabs = this.tabs.filter((tab) => tab !== shown.id);
      this.sessions.replace(shown.id, session);
      this.#keepTabs();
    } else this.sessions.take(session);
  }

  /** What waits for this person, in whatever conversation. */
  async loadWaiting(): Promise<void> {
    const [questions, approvals] = await Promise.all([api.questions().catch(() => null), api.approvals().catch(() => null)]);
    this.questions = questions?.items.filter((one) => one.status === 'pending') ?? this.questions;
    this.approvals = approvals?.items.filter((one) => one.status === 'pending') ?? this.approvals;
    this.changed();
  }

  async loadBudget(): Promise<void> {
    const { own, house } = this.me?.budget ?? {};
    if (!own?.per_day_microusd && !house?.per_day_microusd) return;
    const usage = await api.usage('day', new Date().toISOString().slice(0, 10)).catch(() => null);
    this.budget = usage?.budget ?? this.budget;
    this.changed();
  }

  #decided(): void {
    this.decisions += 1;
    this.changed();
  }

  /** What did not work, where no place has room to say so; forgotten with the next step. */
  complain(problem: string): void {
    this.trouble = problem;
    this.changed();
  }

  /** An agent needs an answer. */
  #call(session: string, words: string): void {
    notify(session, this.sessions.find(session)?.name ?? 'Majordomo', words);
  }

  #keepTabs(): void {
    if (this.me) keep(`tabs-${this.me.id}`, this.tabs);
    this.changed();
  }

  #connection(state: ConnectionState): void {
    this.connection = state;
    this.changed();
  }

  #hear(frame: ServerFrame): void {
    if (isEnvelope(frame)) {
      this.#open.get(frame.session_id)?.hear(frame);
      this.sessions.hear(frame);
      if (WAITING.has(frame.type) || frame.type === 'turn_ended') void this.loadWaiting();
      if (frame.type === 'approval_result') this.#decided();
      if (frame.type === 'turn_ended') void this.loadBudget();
      if (frame.type === 'question_prompt') this.#call(frame.session_id, frame.data.question);
      if (frame.type === 'approval_request') this.#call(frame.session_id, approvalTitle(frame.data));
      return;
    }
    switch (frame.type) {
      case 'hello':
        this.me = frame.user;
        this.sessions.promptsChanged();
        this.sessions.knowledgeChanged();
        this.sessions.schedulesChanged();
        if (this.sessions.loaded) void this.sessions.load().then(() => this.sessions.reconcile(new Set(frame.sessions.map((one) => one.session_id))));
        void this.loadWaiting();
        break;
      case 'ack':
        answeredUnsent(frame);
        if (frame.session_id) this.#open.get(frame.session_id)?.acknowledged(frame);
        break;
      case 'problem':
        answeredUnsent(frame);
        if (frame.session_id) this.#open.get(frame.session_id)?.refused(frame);
        break;
      case 'lists_changed':
        this.sessions.listsChanged();
        break;
      case 'notice':
        this.sessions.notice(frame);
        if (WAITING.has(frame.event_type)) void this.loadWaiting();
        if (frame.event_type === 'approval_result') this.#decided();
        if (frame.event_type === 'question_prompt' || frame.event_type === 'approval_request') this.#call(frame.session_id, t('The agent needs your answer.'));
        break;
      default:
    }
  }
}

function brief(said: string): string {
  const words = gistOf(said);
  return words.length > TITLE_CHARS ? `${words.slice(0, TITLE_CHARS).trimEnd()}…` : words || t('New conversation');
}

/** By whom an agent is offered that this person has not accepted; null for every other. */
export function offer(agent: AgentView): { by: string } | null {
  return 'offered' in agent && agent.offered ? { by: agent.shared_by_name ?? '' } : null;
}

/** There is one per window. */
export const house = new House();
