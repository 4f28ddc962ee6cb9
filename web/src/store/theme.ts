/** Light, dark, or as the system has it. */
import { keep, kept } from './browser-storage';

export type Theme = 'system' | 'light' | 'dark';

const dark = matchMedia('(prefers-color-scheme: dark)');
dark.addEventListener('change', () => applyTheme());

export function theme(): Theme {
  return kept<Theme>('theme', 'system');
}

export function setTheme(chosen: Theme): void {
  keep('theme', chosen);
  applyTheme();
}

export function applyTheme(): void {
  const chosen = theme();
  const isDark = chosen === 'dark' || (chosen === 'system' && dark.matches);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
}

/** A keyboard that comes up by itself would hide half of a phone. */
export function hasMouse(): boolean {
  return matchMedia('(pointer:fine)').matches;
}
