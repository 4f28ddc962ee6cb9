import { nothing } from 'lit';
import { api } from '../../api/routes';
import { root } from '../../api/client';
import type { AccountLink, NewAccountLink, User, UserRole } from '../../api/schema';
import { copyText } from '../../element/clipboard';
import { dollars, microusd } from '../../element/budget';
import { confirmed } from '../../element/confirm';
import { ago, moment } from '../../element/time';
import { house } from '../../store/house';
import { fieldsOf, PlaceView, scrolling } from '../place-view';
import { html, t } from '../../words/words';

const ROLES: [UserRole, string][] = [
  ['admin', 'manages people, providers and shared agents'],
  ['member', 'has their own agents and conversations'],
  ['guest', 'uses agents that are shared with them'],
];

const VALID: [number, string][] = [
  [24, 'one day'],
  [72, 'three days'],
  [168, 'one week'],
  [720, 'thirty days'],
];

/** The accounts, and what they may do. */
export class MjPeople extends PlaceView {
  static override properties = { ...PlaceView.properties, people: { state: true }, links: { state: true }, fresh: { state: true } };
  declare people: User[];
  declare links: AccountLink[];
  /** A link that was just made: its secret is shown once. */
  declare fresh: { url: string; what: string } | null;

  constructor() {
    super();
    this.people = [];
    this.links = [];
    this.fresh = null;
  }

  protected override async load(): Promise<void> {
    const [people, links] = await Promise.all([api.users(), api.accountLinks()]);
    this.people = people.items;
    this.links = links.items;
  }

  override render() {
    return this.frame(t('People'), t('Each person has their own agents and conversations. Not even the owner can read the conversations of other people.'), html`
      ${scrolling(t('People'), html`<table class="table cards"><thead><tr><th>Name</th><th>Role</th><th>Added</th><th>Dollars per day</th><th><span class="unseen">Actions</span></th></tr></thead><tbody>${this.people.map((person) => this.#row(person))}</tbody></table>`)}
      ${this.fresh ? html`<section class="card fresh" role="status"><header>${this.fresh.what}</header><div class="in"><p>Send this link to the person. It works once, and it cannot be shown again.</p><div class="row"><input class="input grow" readonly aria-label="Link" .value=${this.fresh.url} @focus=${(event: Event) => (event.currentTarget as HTMLInputElement).select()} /><button class="btn" @click=${(event: Event) => void copyText(event.currentTarget as HTMLElement, this.fresh?.url ?? '')}>Copy link</button></div></div></section>` : nothing}
      <section class="card"><header>Invite a person</header><form class="in" @submit=${this.#invite}>
        <label class="field"><span>Role</span><select class="input" name="role">${ROLES.map(([role, does]) => html`<option value=${role} ?selected=${role === 'member'}>${t(role)}: ${t(does)}</option>`)}</select></label>
        <label class="field"><span>Valid for</span><select class="input" name="valid_hours">${VALID.map(([hours, label]) => html`<option value=${hours} ?selected=${hours === 72}>${t(label)}</option>`)}</select><small>The person chooses a name and a password.</small></label>
        <button class="btn primary">Create invitation</button>
      </form>${this.links.length > 0 ? html`<ul class="plainlist in">${this.links.map((link) => this.#link(link))}</ul>` : nothing}</section>
      <section class="card"><header>Add a person</header><form class="in" @submit=${this.#add}>
        <label class="field"><span>Name</span><input class="input" name="name" maxlength="200" required autocomplete="off" /></label>
        <label class="field"><span>Role</span><select class="input" name="role">${ROLES.map(([role, does]) => html`<option value=${role} ?selected=${role === 'member'}>${t(role)}: ${t(does)}</option>`)}</select></label>
        <label class="field"><span>First password</span><input class="input" name="password" type="password" minlength="8" required autocomplete="new-password" /></label>
        <button class="btn">Add person</button>
      </form></section>`);
  }

  #row(person: User) {
    const fixed = person.role === 'owner' || person.id === house.me?.id;
    return html`<tr><td>${person.name}</td>
      <td data-label=${t('Role')}>${fixed ? t(person.role) : html`<select class="input" aria-label=${t('Role of {}', person.name)} @change=${(event: Event) => void this.#role(person, (event.currentTarget as HTMLSelectElement).value as UserRole)}>${ROLES.map(([role]) => html`<option value=${role} ?selected=${role === person.role}>${t(role)}</option>`)}</select>`}</td>
      <td data-label=${t('Added')}>${ago(person.created_at)}</td>
      <td data-label=${t('Dollars per day')}>${person.id === house.me?.id ? dollars(person.budget.own.per_day_microusd) || nothing : html`<input class="input" type="number" min="0" step="0.01" placeholder="no limit" aria-label=${t('Dollars per day for {}', person.name)} .value=${dollars(person.budget.house.per_day_microusd)} @change=${(event: Event) => void this.#budget(person, microusd((event.currentTarget as HTMLInputElement).value))} />`}</td>
      <td class="n">${fixed ? nothing : html`<button class="btn ghost" @click=${() => void this.#reset(person)}>New password link</button><button class="btn ghost danger" @click=${() => void this.#remove(person)}>Remove</button>`}</td></tr>`;
  }

  #link(link: AccountLink) {
    const name = (id: string | null | undefined) => this.people.find((one) => one.id === id)?.name ?? '';
    const what = link.user_id ? t('New password for {}', name(link.user_id)) : t('Invitation as {}', t(link.role));
    return html`<li class="row"><span class="grow">${what} <small class="hint">${t('by {}, valid until {}', name(link.made_by), moment(link.expires_at))}</small></span><button class="btn ghost danger" @click=${() => void this.#revoke(link)}>Revoke</button></li>`;
  }

  #invite = (event: Event): void => {
    const { role, valid_hours } = fieldsOf(event);
    void this.#make({ role: role as UserRole, valid_hours: Number(valid_hours) }, t('Invitation as {}', t(role ?? '')));
  };

  #reset(person: User): Promise<boolean> {
    return this.#make({ user_id: person.id, valid_hours: 24 }, t('New password for {}', person.name));
  }

  #make(body: NewAccountLink, what: string): Promise<boolean> {
    return this.attempt(async () => {
      const made = await confirmed(() => api.createAccountLink(body));
      this.fresh = { url: `${root()}join#${made.token}`, what };
      await this.load();
    });
  }

  #revoke(link: AccountLink): Promise<boolean> {
    return this.attempt(async () => {
      await api.revokeAccountLink(link.id);
      this.fresh = null;
      await this.load();
    }, t('The link was revoked.'));
  }

  #add = (event: Event): void => {
    const form = event.currentTarget as HTMLFormElement;
    const { name = '', role, password = '' } = fieldsOf(event);
    void this.attempt(async () => {
      await confirmed(() => api.createUser({ name, role: role as UserRole, password }));
      form.reset();
      await this.load();
    }, t('{} was added.', name));
  };

  #role(person: User, role: UserRole): Promise<boolean> {
    return this.attempt(async () => {
      await confirmed(() => api.changeUser(person.id, { role }));
      await this.load();
    }, t('{} now has the role {}.', person.name, t(role)));
  }

  #budget(person: User, per_day_microusd: number | null): Promise<boolean> {
    return this.attempt(async () => {
      await confirmed(() => api.changeUser(person.id, { budget: { ...person.budget.house, per_day_microusd } }));
      await this.load();
    }, t('Saved.'));
  }

  async #remove(person: User): Promise<void> {
    if (!confirm(t('Remove {} with all their agents and conversations? This cannot be undone.', person.name))) return;
    await this.attempt(async () => {
      await confirmed(() => api.deleteUser(person.id));
      await this.load();
    }, t('{} was removed.', person.name));
  }
}
customElements.define('mj-people', MjPeople);
