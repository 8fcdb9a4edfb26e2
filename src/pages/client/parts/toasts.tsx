import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { Refusal } from './notice.js';

/** Long enough to read it and to decide; it stays while the pointer or the focus is on it. */
const SHOWN_MS = 10_000;
const SAID = 'toast';

interface Toast {
  number: number;
  text: string;
  undo: () => Promise<unknown>;
}

let last = 0;

/** Says what was done, and offers to take it back. */
export function toast(text: string, undo: () => Promise<unknown>): void {
  const detail: Toast = { number: ++last, text, undo };
  window.dispatchEvent(new CustomEvent(SAID, { detail }));
}

export function Toasts() {
  const [toasts, setToasts] = useState<Toast[]>([]);
  useEffect(() => {
    const add = (event: Event) => setToasts((before) => [...before, (event as CustomEvent<Toast>).detail]);
    window.addEventListener(SAID, add);
    return () => window.removeEventListener(SAID, add);
  }, []);
  const close = (number: number) => setToasts((before) => before.filter((one) => one.number !== number));
  return (
    <div class="toasts" role="status">
      {toasts.map((one) => (
        <Shown key={one.number} toast={one} close={() => close(one.number)} />
      ))}
    </div>
  );
}

function Shown({ toast: { text, undo }, close }: { toast: Toast; close: () => void }) {
  const [isHeld, setHeld] = useState(false);
  const action = useAction(() => undo().then(close), 'Undone');
  const stays = isHeld || action.isRunning || action.error !== null;
  useEffect(() => {
    if (stays) return undefined;
    const timer = setTimeout(close, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [stays]);
  const hold = (is: boolean) => () => setHeld(is);
  return (
    <div
      class="card toast"
      onPointerEnter={hold(true)}
      onPointerLeave={hold(false)}
      onFocusIn={hold(true)}
      onFocusOut={hold(false)}
    >
      <span>{text}</span>
      <button type="button" disabled={action.isRunning} onClick={() => action.run()}>
        Undo
      </button>
      <button type="button" class="plain" aria-label="Dismiss" onClick={close}>
        ✕
      </button>
      <Refusal error={action.error} />
    </div>
  );
}
