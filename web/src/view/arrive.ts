import { nothing } from 'lit';
import { words } from '../api/client';
import { api } from '../api/routes';
import { LightElement } from '../element/light';
import { mark } from '../element/mark';
import { house } from '../store/house';
import { go, type Place } from '../store/place';
import { html, t } from '../words/words';
import '../element/model-choice';

type Step = 'login' | 'setup' | 'model';

/** The first person creates the owner account, everyone else signs in. */
export class MjArrive extends LightElement {
  static override properties = { place: { attribute: false }, step: { state: true }, problem: { state: true }, busy: { state: true } };
  declare place: Place;
  declare step: Step;
  declare problem: string;
  declare busy: boolean;
  /** The secret of the set-up link: taken out of the address at once, and kept nowhere else. */
  #token = '';

  constructor() {
    super();
    this.step = 'login';
    this.problem = '';
    this.busy = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.place?.name !== 'setup') return;
    this.step = 'setup';
    this.#token = location.hash.slice(1);
    history.replaceState(null, '', location.pathname);
    if (house.me) go('');
    else if (!this.#token) this.problem = t('This link is incomplete. Copy the whole link from the terminal.');
  }

  override render() {
    return html`<main class="door">
      <div class="card"><div class="in">
        <div class="brand">${mark()}<b>Majordomo</b></div>
        ${this.step === 'model' ? this.#model() : this.#form()}
      </div></div>
    </main>`;
  }

  #form() {
    const setup = this.step === 'setup';
    return html`<h1>${t('Welcome')}</h1>
      <p class="quiet">${setup ? t('Create the owner account. Your name and password stay on this server.') : t('Sign in to continue.')}</p>
      <form @submit=${this.#submit}>
        <label class="field"><span>Name</span><input class="input" name="name" autocomplete="username" maxlength="200" required autofocus /></label>
        <label class="field"><span>Password</span><input class="input" name="password" type="password" autocomplete=${setup ? 'new-password' : 'current-password'} minlength=${setup ? 8 : nothing} maxlength="1000" required />${setup ? html`<small>At least 8 characters.</small>` : nothing}</label>
        ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
        <button class="btn primary" ?disabled=${this.busy}>${setup ? t('Create account') : t('Sign in')}</button>
      </form>`;
  }

  #model() {
    return html`<h1>Choose a model</h1>
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
        this.step = 'model';
      } else {
        await api.login({ name, password });
        await this.#enter();
      }
    } catch (error) {
      this.problem = words(error);
    }
    this.busy = false;
  };

  async #enter(): Promise<void> {
    if (this.place.name === 'setup') go('', '', true);
    await house.begin();
  }
}
customElements.define('mj-arrive', MjArrive);
