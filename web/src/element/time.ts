/** Times, money and sizes, in the words and the zone of the person. */
export function clock(at: string, seconds = false): string {
  return new Date(at).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit', ...(seconds && { second: '2-digit' }) });
}

export function dayOf(at: string, now = new Date()): string {
  const then = new Date(at);
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((midnight(now) - midnight(then)) / 86_400_000);
  if (days <= 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days < 7) return then.toLocaleDateString([], { weekday: 'long' });
  return then.toLocaleDateString([], { day: 'numeric', month: 'long', ...(then.getFullYear() !== now.getFullYear() && { year: 'numeric' }) });
}

export function ago(at: string, now = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(at)) / 1_000);
  if (seconds < 60) return 'now';
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return clock(at);
  if (seconds < 7 * 86_400) return new Date(at).toLocaleDateString([], { weekday: 'short' });
  return new Date(at).toLocaleDateString([], { day: 'numeric', month: 'short' });
}

export function lasted(from: string, to: string): string {
  const seconds = Math.max(0, (Date.parse(to) - Date.parse(from)) / 1_000);
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min`;
}

/** In dollars; null when nobody knows the price. */
export function money(microusd: number | null): string {
  if (microusd === null) return 'price unknown';
  const dollars = microusd / 1_000_000;
  if (dollars === 0) return '$0';
  return dollars < 0.01 ? '<$0.01' : `$${dollars.toFixed(2)}`;
}

export function short(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${(count / 1_000).toFixed(count < 10_000 ? 1 : 0)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

export function size(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(1)} KB`;
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}
