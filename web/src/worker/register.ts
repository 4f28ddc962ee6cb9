/** Has the browser keep the page itself, where it can. Nothing else depends on it. */
import { root } from '../api/client';

interface Policies {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): { createScriptURL: (url: string) => string };
}

export function keepPage(): void {
  if (!('serviceWorker' in navigator) || !window.isSecureContext) return;
  const address = new URL('assets/worker.js', root()).href;
  // The page's policy admits no address of a script that was not made by a policy of a known name; this one makes one address.
  const policies = (window as unknown as { trustedTypes?: Policies }).trustedTypes;
  const policy = policies?.createPolicy('majordomo-worker', { createScriptURL: (url) => (url === address ? url : '') });
  void navigator.serviceWorker.register(policy ? policy.createScriptURL(address) : address, { scope: root() }).catch(() => undefined);
}
