import { html } from 'lit';
import { api } from '../../api/routes';
import { house } from '../../store/house';
import { fieldsOf, PlaceView } from '../place-view';

/** Oneself: time zone, language, password, and the way out. */
export class MjAccount extends PlaceView {
  override render() {
    const me = house.me;
    const zones = Intl.supportedValuesOf('timeZone');
    return this.frame('Settings', `You are ${me?.name}, ${me?.role} of this house.`, html`
      <section class="card"><header>You</header><form class="in" @submit=${this.#save}>
        <label class="field"><span>Time zone</span><select class="input" name="time_zone">${zones.includes(me?.time_zone ?? '') ? '' : html`<option selected>${me?.time_zone}</option>`}${zones.map((zone) => html`<option ?selected=${zone === me?.time_zone}>${zone}</option>`)}</select><small>Agents know it when they tell the time.</small></label>
        <label class="field"><span>Language</span><input class="input" name="language" .value=${me?.language ?? 'en'} required /><small>As a code, for instance en or pt-BR.</small></label>
        <button class="btn primary">Save</button>
      </form></section>
      <section class="card"><header>Password</header><form class="in" @submit=${this.#password}>
        <label class="field"><span>Now</span><input class="input" type="password" name="old" autocomplete="current-password" required /></label>
        <label class="field"><span>New</span><input class="input" type="password" name="new" autocomplete="new-password" minlength="8" required /><small>Your other logins end.</small></label>
        <button class="btn">Change the password</button>
      </form></section>
      <p><button class="btn" @click=${() => void this.attempt(async () => (await api.logout(), house.leave()))}>Sign out</button></p>`);
  }

  #save = (event: Event): void => {
    const { time_zone = '', language = '' } = fieldsOf(event);
    void this.attempt(async () => {
      house.me = await api.changeMe({ time_zone, language });
      document.documentElement.lang = house.me.language;
    }, 'Saved.');
  };

  #password = (event: Event): void => {
    const form = event.currentTarget as HTMLFormElement;
    const fields = fieldsOf(event);
    void this.attempt(async () => {
      await api.changePassword({ old: fields['old'] ?? '', new: fields['new'] ?? '' });
      form.reset();
    }, 'The password is changed.');
  };
}
customElements.define('mj-account', MjAccount);
