import { nothing } from 'lit';
import { api } from '../api/routes';
import type { User, UserRole } from '../api/schema';
import { dollars, microusd } from '../element/budget';
import { confirmed } from '../element/confirm';
import { ago } from '../element/time';
import { house } from '../store/house';
import { fieldsOf, PlaceView, scrolling } from './place-view';
import { html, t } from '../words/words';

const ROLES: [UserRole, string][] = [
  ['admin', 'manages people, providers and shared agents'],
  ['member', 'has their own agents and conversations'],
  ['guest', 'uses agents that are shared with them'],
];

/** The accounts, and what they may do. */
export class MjPeople extends PlaceView {
  static override properties = { ...PlaceView.properties, people: { state: true } };
  declare people: User[];

  constructor() {
    super();
    this.people = [];
  }

  protected override async load(): Promise<void> {
    this.people = (await api.users()).items;
  }

  override render() {
    return this.frame(t('People'), t('Each person has their own agents and conversations. Not even the owner can read the conversations of other people.'), html`
      ${scrolling(t('People'), html`<table class="table"><thead><tr><th>Name</th><th>Role</th><th>Added</th><th>Dollars per day</th><th><span class="unseen">Actions</span></th></tr></thead><tbody>${this.people.map((person) => this.#row(person))}</tbody></table>`)}
      <section class="card"><header>Add a person</header><form class="in" @submit=${this.#add}>
        <label class="field"><span>Name</span><input class="input" name="name" maxlength="200" required autocomplete="off" /></label>
        <label class="field"><span>Role</span><select class="input" name="role">${ROLES.map(([role, does]) => html`<option value=${role} ?selected=${role === 'member'}>${t(role)}: ${t(does)}</option>`)}</select></label>
        <label class="field"><span>First password</span><input class="input" name="password" type="password" minlength="8" required autocomplete="new-password" /></label>
        <button class="btn primary">Add person</button>
      </form></section>`);
  }

  #row(person: User) {
    const fixed = person.role === 'owner' || person.id === house.me?.id;
    return html`<tr><td>${person.name}</td>
      <td>${fixed ? t(person.role) : html`<select class="input" aria-label=${t('Role of {}', person.name)} @change=${(event: Event) => void this.#role(person, (event.currentTarget as HTMLSelectElement).value as UserRole)}>${ROLES.map(([role]) => html`<option value=${role} ?selected=${role === person.role}>${t(role)}</option>`)}</select>`}</td>
      <td>${ago(person.created_at)}</td>
      <td>${person.id === house.me?.id ? dollars(person.budget.own.per_day_microusd) || nothing : html`<input class="input" type="number" min="0" step="0.01" placeholder="no limit" aria-label=${t('Dollars per day for {}', person.name)} .value=${dollars(person.budget.house.per_day_microusd)} @change=${(event: Event) => void this.#budget(person, microusd((event.currentTarget as HTMLInputElement).value))} />`}</td>
      <td class="n">${fixed ? nothing : html`<button class="btn ghost danger" @click=${() => void this.#remove(person)}>Remove</button>`}</td></tr>`;
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
