/** Notifications of the browser, if the person asked for them: an agent needs an answer while the window is hidden. */
import { keep, kept } from './browser-storage';
import { go } from './place';

export function notifications(): boolean {
  return kept('notifications', false) && 'Notification' in window && Notification.permission === 'granted';
}

/** False when the browser does not allow it. */
export async function setNotifications(wanted: boolean): Promise<boolean> {
  if (wanted && (!('Notification' in window) || (await Notification.requestPermission()) !== 'granted')) return false;
  keep('notifications', wanted);
  return true;
}

export function notify(session: string, title: string, body: string): void {
  if (!document.hidden || !notifications()) return;
  const shown = new Notification(title, { body: body.slice(0, 200), tag: session });
  shown.onclick = () => {
    window.focus();
    go(session);
  };
}
