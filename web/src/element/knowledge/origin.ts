import { nothing, type TemplateResult } from 'lit';
import { Problem } from '../../api/client';
import { api } from '../../api/routes';
import type { EntryOrigin, Session } from '../../api/schema';
import { house } from '../../store/house';
import { link } from '../../store/place';
import { html, t } from '../../words/words';
import { LightElement } from '../light';
import { moment, said } from '../time';
import { author } from './words';

/** Conversations that are in no list here; null for those that are gone. */
const others = new Map<string, Promise<Session | null>>();

function asked(id: string): Promise<Session | null> {
  let found = others.get(id);
  if (!found) {
    found = api.session(id).catch((error: unknown) => {
      if (error instanceof Problem && error.status === 404) return null;
      others.delete(id);
      throw error;
    });
    others.set(id, found);
  }
  return found;
}

/** Who wrote something down, in which conversation, and when. */
export class MjOrigin extends LightElement {
  static override properties = { origin: { attribute: false }, other: { state: true } };
  declare origin: EntryOrigin;
  /** The conversation, where it is in no list; null when it is gone. */
  declare other: Session | null | undefined;

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (!changed.has('origin')) return;
    this.other = undefined;
    const id = this.origin.session_id;
    if (!id || house.sessions.find(id)) return;
    void asked(id).then((other) => this.origin.session_id === id && (this.other = other), () => undefined);
  }

  override render() {
    const { at } = this.origin;
    return html`<span dir="auto">${author(this.origin)}</span>${this.#where()} · <time datetime=${at} title=${moment(at)}>${said(at)}</time>`;
  }

  #where(): TemplateResult | typeof nothing {
    const id = this.origin.session_id;
    if (!id) return nothing;
    const session = house.sessions.find(id) ?? this.other;
    if (session === null || house.sessions.gone.has(id)) return html` · a conversation that was deleted`;
    return html` · <a href=${link(id)} data-place=${id} dir="auto">${session ? house.titleOf(session) : t('a conversation')}</a>`;
  }
}
customElements.define('mj-origin', MjOrigin);
