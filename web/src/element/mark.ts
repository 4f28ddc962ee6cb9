import { svg } from 'lit';

/** The bell on the desk. */
export function mark() {
  return svg`<svg class="mark" viewBox="0 0 32 32" fill="none" aria-hidden="true"><path d="M5 22a11 11 0 0 1 22 0" stroke="currentColor" stroke-width="2.4"></path><path d="M3 25h26" stroke="currentColor" stroke-width="2.4" stroke-linecap="round"></path><circle cx="16" cy="8" r="2.2" fill="currentColor"></circle></svg>`;
}
