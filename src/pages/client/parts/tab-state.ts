import { useEffect, useState } from 'preact/hooks';

/** Names the browser's tab after what it shows. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Taskyard`;
  }, [title]);
}

/** Typed text, kept in the tab until it is sent, across reloads and views.
 *  @param key names the box */
export function useKeptText(key: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '');
  useEffect(() => setText(sessionStorage.getItem(key) ?? ''), [key]);
  const keep = (next: string) => {
    setText(next);
    if (next) sessionStorage.setItem(key, next);
    else sessionStorage.removeItem(key);
  };
  return [text, keep];
}
