import { nothing } from 'lit';
import { words } from '../api/client';
import { api } from '../api/routes';
import { LightElement } from '../element/light';
import { mark } from '../element/mark';
import { house } from '../store/house';
import type { AccountLinkView } from '../api/schema';
import { go, link, type Place } from '../store/place';
import { html, t } from '../words/words';

type Step = 'login' | 'setup' | 'join' | 'model';

/** The first person creates the owner account, everyone else signs in. */
export class MjSignIn extends LightElement {
  static override properties = { place: { attribute: false }, step: { state: true }, problem: { state: true }, unowned: { state: true }, invited: { state: true }, busy: { state: true } };
  declare place: Place;
  declare step: Step;
  declare problem: string;
  declare busy: boolean;
  /** There is no owner account yet, and no set-up link was opened. */
  declare unowned: boolean;
  /** What the link is for that was opened. */
  declare invited: AccountLinkView | null;
  /** The secret of the set-up link: taken out of the address at once, and kept nowhere else. */
  #token = '';

  constructor() {
    super();
    this.step = 'login';
    this.problem = '';
    this.busy = false;
    this.unowned = false;
    this.invited = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const name = this.place?.name;
    if (name === 'join') void this.#open();
    if (name !== 'setup' && name !== 'join') void api.setupState().then(({ needed }) => (this.unowned = needed), () => undefined);
    if (name !== 'setup') return;
    this.step = 'setup';
    this.#token = location.hash.slice(1);
    history.replaceState(null, '', location.pathname);
    if (house.me) go('');
    else if (!this.#token) this.problem = t('This link is incomplete. Copy the whole link from the terminal.');
  }

  /** What the link is for; the secret leaves the address at once. */
  async #open(): Promise<void> {
    this.step = 'join';
    this.#token = location.hash.slice(1);
    history.replaceState(null, '', location.pathname);
    try {
      this.invited = await api.lookAtLink(this.#token);
    } catch (error) {
      this.problem = words(error);
    }
  }

  override render() {
    return html`<main class="door">
      <div class="card"><div class="in">
        <div class="brand">${mark()}<b>Majordomo</b></div>
        ${this.step === 'model' ? this.#model() : this.step === 'join' ? this.#join() : this.unowned ? this.#unowned() : this.#form()}
      </div></div>
    </main>`;
  }

  #form() {
    const setup = this.step === 'setup';
    return html`<h1>${t('Welcome')}</h1>
      <p class="quiet">${setup ? t('Create the owner account. Your name and password stay on this server.') : t('Sign in to continue.')}</p>
      <form @submit=${this.#submit}>
        <label class="field"><span>Name</span><input class="input" name="name" autocomplete="username" enterkeyhint="next" maxlength="200" required autofocus /></label>
        <label class="field"><span>Password</span><input class="input" name="password" type="password" enterkeyhint="go" autocomplete=${setup ? 'new-password' : 'current-password'} minlength=${setup ? 8 : nothing} maxlength="1000" required />${setup ? html`<small>At least 8 characters.</small>` : nothing}</label>
        ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
        <button class="btn primary" ?disabled=${this.busy}>${setup ? t('Create account') : t('Sign in')}</button>
      </form>`;
  }

  /** A server that was just installed: the link that creates the owner account is where the program runs. */
  #unowned() {
    return html`<h1>Set up this server</h1>
      <p>There is no account yet. The owner account is created with the set-up link.</p>
      <p>You find the link where the server was started: in its terminal or its log, and in the file <code>${'setup-link'}</code> of its data directory. The server makes a new one every 15 minutes.</p>
      <p><button class="btn" @click=${() => location.reload()}>I have created the account</button></p>`;
  }

  #join() {
    if (!this.invited) return html`<h1>${t('Welcome')}</h1>${this.problem ? html`<p class="told" role="alert">${this.problem}</p><p><a class="btn" href=${link('')}>Sign in</a></p>` : html`<p class="quiet">…</p>`}`;
    const { name, made_by, role } = this.invited;
    return html`<h1>${name ? t('Choose a new password') : t('Create your account')}</h1>
      <p class="quiet">${name ? t('For the account {}. You are signed out everywhere else.', name) : t('{} invites you to this server as {}.', made_by, t(role))}</p>
      <form @submit=${this.#submit}>
        ${name ? html`<input class="unseen" name="name" autocomplete="username" readonly tabindex="-1" aria-hidden="true" .value=${name} />` : html`<label class="field"><span>Name</span><input class="input" name="name" autocomplete="username" maxlength="200" enterkeyhint="next" required autofocus /></label>`}
        <label class="field"><span>Password</span><input class="input" name="password" type="password" enterkeyhint="go" autocomplete="new-password" minlength="8" maxlength="1000" required /><small>At least 8 characters.</small></label>
        ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
        <button class="btn primary" ?disabled=${this.busy}>${name ? t('Save password') : t('Create account')}</button>
      </form>`;
  }

  #model() {
    return html`<h1>Set up a model</h1>
      <p class="quiet">Agents use a language model to write their replies. You can change it at any time in the settings.</p>
      <mj-model-choice @chosen=${() => void this.#enter()}></mj-model-choice>`;
  }

  #submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const [name, password] = [String(data.get('name')), String(data.get('password'))];
    this.busy = true;
    this.problem = '';
    try {
      if (this.step === 'setup') {
        const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
        await api.setup({ token: this.#token, name, password, time_zone });
        // Keys of models may be pasted next, and the password was typed a moment ago.
        await api.confirm(password);
        await api.changeMe({ language: navigator.language }).catch(() => undefined);
        // Only the first person needs it, once.
        await import('../element/model/model-choice');
        this.step = 'model';
      } else if (this.step === 'join') {
        const fresh = this.invited?.name ? {} : { name };
        await api.join({ token: this.#token, password, ...fresh, ...here() });
        await this.#enter();
      } else {
        await api.login({ name, password, ...here() });
        await this.#enter();
      }
    } catch (error) {
      this.problem = words(error);
    }
    this.busy = false;
  };

  async #enter(): Promise<void> {
    if (this.place.name === 'setup' || this.place.name === 'join') go('', '', true);
    await house.begin();
  }
}
/** Where and how the browser says it is. The server takes it for a person who comes for the first time. */
function here(): { time_zone: string; language: string } {
  return { time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone, language: navigator.language };
}
customElements.define('mj-sign-in', MjSignIn);
