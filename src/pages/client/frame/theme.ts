import { useState } from 'preact/hooks';

const KEY = 'theme';

/** Before anything is drawn. */
export const applyTheme = () => show(localStorage.getItem(KEY) ?? 'auto');

/** `auto` follows the system. */
export function useTheme(): [string, (theme: string) => void] {
  const [theme, setTheme] = useState(localStorage.getItem(KEY) ?? 'auto');
  const choose = (next: string) => {
    localStorage.setItem(KEY, next);
    show(next);
    setTheme(next);
  };
  return [theme, choose];
}

function show(theme: string): void {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
