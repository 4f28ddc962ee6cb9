import { notifications, setNotifications } from '../../store/notify';
import { setTheme, theme, type Theme } from '../../store/theme';
import { PlaceView } from '../place-view';
import { html, t } from '../../words/words';

/** How it looks, and whether it may call. */
export class MjAppearance extends PlaceView {
  override render() {
    const choose = (chosen: Theme) => () => {
      setTheme(chosen);
      this.requestUpdate();
    };
    return this.frame(t('Appearance'), t('These settings apply to this browser only.'), html`
      <section class="card"><header>Theme</header><div class="in row">${(['system', 'light', 'dark'] as const).map((one) => html`<button class="btn ${theme() === one ? 'primary' : ''}" aria-pressed=${theme() === one} @click=${choose(one)}>${t(one)}</button>`)}</div></section>
      <section class="card"><header>Notifications</header><div class="in">
        <label><input type="checkbox" .checked=${notifications()} @change=${this.#notify} /> Notify me when an agent needs my answer and this window is hidden</label>
      </div></section>`);
  }

  #notify = (event: Event): void => {
    const wanted = (event.currentTarget as HTMLInputElement).checked;
    void this.attempt(async () => {
      if (!(await setNotifications(wanted))) throw new Error(t('Your browser blocks notifications. Allow them next to the address bar, then try again.'));
    }).finally(() => this.requestUpdate());
  };
}
customElements.define('mj-appearance', MjAppearance);
