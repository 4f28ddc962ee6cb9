import { nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { api } from '../../api/routes';
import type { User } from '../../api/schema';
import { LightElement } from '../../element/light';
import { house } from '../../store/house';
import { isAtLeast } from '../../store/role';
import { html, t } from '../../words/words';

/** With whom an agent is shared: each of them talks to it in sessions of their own. Only admins know who there is. */
export class MjAgentSharing extends LightElement {
  static override properties = { shared: { attribute: false }, people: { state: true } };
  declare shared: string[];
  declare people: User[];

  constructor() {
    super();
    this.shared = [];
    this.people = [];
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (isAtLeast(house.me?.role, 'admin')) void this.#load();
  }

  async #load(): Promise<void> {
    const users = await api.users().catch(() => null);
    this.people = users?.items.filter((person) => person.id !== house.me?.id) ?? [];
  }

  override render() {
    const all = this.shared.includes('*');
    const row = (share: string, name: string) => html`<li><label><input type="checkbox" ?disabled=${all && share !== '*'} .checked=${live(this.shared.includes(share))} @change=${(event: Event) => this.#set(share, (event.currentTarget as HTMLInputElement).checked)} /> ${name}</label></li>`;
    return html`<ul class="plainlist">${row('*', t('All people on this server'))}${this.people.map((person) => row(person.id, person.name))}</ul>
      ${all || this.shared.length > 0 ? nothing : html`<p class="hint">Only you. Even when shared, others cannot read its instructions or your conversations.</p>`}`;
  }

  #set(share: string, on: boolean): void {
    this.shared = on ? [...this.shared, share] : this.shared.filter((one) => one !== share);
    this.dispatchEvent(new CustomEvent('shared', { detail: this.shared }));
  }
}
customElements.define('mj-agent-sharing', MjAgentSharing);
