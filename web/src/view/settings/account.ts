import { nothing } from 'lit';
import { api } from '../../api/routes';
import { budgetFields } from '../../element/budget';
import { house } from '../../store/house';
import { fieldsOf, PlaceView } from '../place-view';
import { html, speak, t } from '../../words/words';

/** Those of this page, with the ways to write dates that are usual there. */
const LANGUAGES = ['en', 'en-GB', 'en-US', 'de', 'de-AT', 'de-CH'];

/** One that was chosen before or came from the browser stays: the dates are written as it says. */
function languages(current: string): string[] {
  return LANGUAGES.includes(current) ? LANGUAGES : [current, ...LANGUAGES];
}

/** A language by the name that its speakers give it. */
function nameOf(code: string): string {
  try {
    return new Intl.DisplayNames(code, { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** Oneself: time zone, language, password, and the way out. */
export class MjAccount extends PlaceView {
  static override properties = { ...PlaceView.properties, told: { state: true } };
  /** What became of the text about oneself; its button is far from the head of the page. */
  declare told: string;

  constructor() {
    super();
    this.told = '';
  }

  override render() {
    const me = house.me;
    const zones = Intl.supportedValuesOf('timeZone');
    return this.frame(t('Settings'), t('You are signed in as {} ({}).', me?.name ?? '', t(me?.role ?? '')), html`
      <section class="card"><header>Time and language</header><form class="in" @submit=${this.#save}>
        <label class="field"><span>Time zone</span><select class="input" name="time_zone">${zones.includes(me?.time_zone ?? '') ? '' : html`<option selected>${me?.time_zone}</option>`}${zones.map((zone) => html`<option ?selected=${zone === me?.time_zone}>${zone}</option>`)}</select><small>Agents use it when they tell the time.</small></label>
        <label class="field"><span>Language</span><select class="input" name="language">${languages(me?.language ?? 'en').map((code) => html`<option value=${code} ?selected=${code === me?.language}>${nameOf(code)}</option>`)}</select><small>Language of this page, dates and times. Agents answer in the language you write in. The terminal is in English.</small></label>
        <button class="btn primary">Save</button>
      </form></section>
      <section class="card"><header>About me</header><form class="in" @submit=${this.#about}>
        <label class="field"><span class="unseen">About me</span><textarea class="input" name="about_me" rows="5" maxlength="4000" placeholder="I live in Athens and cook for four." .value=${me?.about_me ?? ''}></textarea><small>Every agent you talk to is told this, also agents that others share with you. Admins cannot read it.</small></label>
        <div class="row"><button class="btn">Save this text</button>${this.told ? html`<span class="chip ok" role="status">${this.told}</span>` : nothing}</div>
      </form></section>
      <section class="card"><header>Budget</header><div class="in grid">${budgetFields(me?.budget.own ?? {}, (budget) => void this.attempt(async () => (house.me = await api.changeMe({ budget })), t('Saved.')))}</div><p class="hint in">The most that your agents may spend for you. An admin may have set a lower limit.</p></section>
      <section class="card"><header>Password</header><form class="in" @submit=${this.#password}>
        <label class="field"><span>Current password</span><input class="input" type="password" name="old" autocomplete="current-password" required /></label>
        <label class="field"><span>New password</span><input class="input" type="password" name="new" autocomplete="new-password" minlength="8" required /><small>Your other devices are signed out.</small></label>
        <button class="btn">Change password</button>
      </form></section>
      <p><button class="btn" @click=${() => void this.attempt(() => house.signOut())}>Sign out</button></p>`);
  }

  #save = (event: Event): void => {
    const { time_zone = '', language = '' } = fieldsOf(event);
    void this.attempt(async () => {
      house.me = await api.changeMe({ time_zone, language });
      // What is on the screen was written in the other language.
      if (await speak(language)) location.reload();
    }, t('Saved.'));
  };

  #about = (event: Event): void => {
    const { about_me = '' } = fieldsOf(event);
    this.told = '';
    void this.attempt(async () => (house.me = await api.changeMe({ about_me }))).then((saved) => saved && (this.told = t('Saved.')));
  };

  #password = (event: Event): void => {
    const form = event.currentTarget as HTMLFormElement;
    const fields = fieldsOf(event);
    void this.attempt(async () => {
      await api.changePassword({ old: fields['old'] ?? '', new: fields['new'] ?? '' });
      form.reset();
    }, t('Your password was changed. Your other devices were signed out.'));
  };
}
customElements.define('mj-account', MjAccount);
