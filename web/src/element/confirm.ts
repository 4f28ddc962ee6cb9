import { nothing } from 'lit';
import { Problem, words } from '../api/client';
import { api } from '../api/routes';
import { LightElement } from './light';
import { html, t } from '../words/words';

/** Does something for which the server may want the password once more; asks for it only then. */
export async function confirmed<T>(deed: () => Promise<T>): Promise<T> {
  try {
    return await deed();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'confirmation_required') throw error;
  }
  const dialog = document.createElement('mj-confirm') as MjConfirm;
  document.body.append(dialog);
  if (!(await dialog.given)) throw new Error(t('Nothing was changed, because you did not confirm your password.'));
  return deed();
}

/** The password once more. */
export class MjConfirm extends LightElement {
  static override properties = { problem: { state: true }, busy: { state: true } };
  declare problem: string;
  declare busy: boolean;
  #settle: (given: boolean) => void = () => undefined;
  readonly given: Promise<boolean>;

  constructor() {
    super();
    this.problem = '';
    this.busy = false;
    this.given = new Promise((resolve) => (this.#settle = resolve));
  }

  override render() {
    return html`<dialog class="card" aria-labelledby="confirm-title" @close=${this.#closed}>
      <header id="confirm-title">Confirm your password</header>
      <form class="in" @submit=${this.#submit}>
        <label class="field"><span>Password</span><input class="input" type="password" enterkeyhint="go" name="password" autocomplete="current-password" required autofocus /><small>You are not asked again for five minutes.</small></label>
        ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
        <div class="row"><button class="btn primary" ?disabled=${this.busy}>Continue</button><button class="btn" type="button" @click=${() => this.querySelector('dialog')?.close()}>Cancel</button></div>
      </form>
    </dialog>`;
  }

  override firstUpdated(): void {
    this.querySelector('dialog')?.showModal();
  }

  #submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    this.busy = true;
    try {
      await api.confirm(String(new FormData(event.currentTarget as HTMLFormElement).get('password')));
      this.#settle(true);
      this.querySelector('dialog')?.close();
    } catch (error) {
      this.problem = words(error);
    }
    this.busy = false;
  };

  #closed = (): void => {
    this.#settle(false);
    this.remove();
  };
}
customElements.define('mj-confirm', MjConfirm);
