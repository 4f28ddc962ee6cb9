import { house } from '../store/house';
import { link } from '../store/place';
import { LightElement } from '../element/light';
import { html, t } from '../words/words';
import './settings/account';
import './settings/appearance';

const SECTIONS: { part: string; label: string; for: ('owner' | 'admin' | 'member' | 'guest')[]; load?: () => Promise<unknown> }[] = [
  { part: 'account', label: 'Account', for: ['owner', 'admin', 'member', 'guest'] },
  { part: 'prompts', label: 'Prompts', for: ['owner', 'admin', 'member', 'guest'], load: () => import('./settings/saved-prompts') },
  { part: 'appearance', label: 'Appearance', for: ['owner', 'admin', 'member', 'guest'] },
  { part: 'models', label: 'Models', for: ['owner', 'admin'], load: () => import('./settings/models') },
  { part: 'keys', label: 'API keys', for: ['owner', 'admin', 'member'], load: () => import('./settings/keys') },
  { part: 'logins', label: 'Devices', for: ['owner', 'admin', 'member', 'guest'], load: () => import('./settings/logins') },
  { part: 'servers', label: 'Servers', for: ['owner', 'admin'], load: () => import('./settings/servers') },
  { part: 'data', label: 'Data', for: ['owner'], load: () => import('./settings/data') },
];

/** Everything that can be set, a part at a time. */
export class MjSettings extends LightElement {
  static override properties = { section: { type: String } };
  declare section: string;

  constructor() {
    super();
    this.section = '';
  }

  override render() {
    const role = house.me?.role ?? 'guest';
    const mine = SECTIONS.filter((one) => one.for.includes(role));
    const chosen = mine.find((one) => one.part === this.section) ?? mine[0]!;
    void chosen.load?.();
    return html`<div class="settings">
      <nav class="sections" aria-label="Settings">${mine.map((one) => html`<a href=${link('settings', one.part)} data-place="settings#${one.part}" aria-current=${one === chosen ? 'page' : 'false'}>${t(one.label)}</a>`)}</nav>
      ${this.#view(chosen.part)}
    </div>`;
  }

  #view(part: string) {
    switch (part) {
      case 'prompts':
        return html`<mj-prompts></mj-prompts>`;
      case 'appearance':
        return html`<mj-appearance></mj-appearance>`;
      case 'models':
        return html`<mj-models></mj-models>`;
      case 'keys':
        return html`<mj-keys></mj-keys>`;
      case 'logins':
        return html`<mj-logins></mj-logins>`;
      case 'servers':
        return html`<mj-servers></mj-servers>`;
      case 'data':
        return html`<mj-data></mj-data>`;
      default:
        return html`<mj-account></mj-account>`;
    }
  }
}
customElements.define('mj-settings', MjSettings);
