const SAID = 'toast';

export interface Toast {
  number: number;
  text: string;
  /** Takes it back; null where that cannot be done, or need not. */
  undo: (() => Promise<unknown>) | null;
}

let last = 0;

/** Says what was done, to eyes and to screen readers, and offers to take it back. */
export function toast(text: string, undo: Toast['undo'] = null): void {
  const detail: Toast = { number: ++last, text, undo };
  window.dispatchEvent(new CustomEvent(SAID, { detail }));
}

/** @returns what stops listening */
export function onToast(listener: (said: Toast) => void): () => void {
  const hear = (event: Event) => listener((event as CustomEvent<Toast>).detail);
  window.addEventListener(SAID, hear);
  return () => window.removeEventListener(SAID, hear);
}
