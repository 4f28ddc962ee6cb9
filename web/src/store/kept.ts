/** What the browser keeps for the person: drafts, tabs, the theme. Nothing that others wrote. */
export function kept<T>(name: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(`majordomo-${name}`);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}

export function keep(name: string, value: unknown): void {
  try {
    if (value === undefined || value === '') localStorage.removeItem(`majordomo-${name}`);
    else localStorage.setItem(`majordomo-${name}`, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing is no reason to fail.
  }
}
