import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { Refusal } from './notice.js';
import { onToast, type Toast } from './toast.js';

/** Long enough to read it. */
const SHOWN_MS = 4_000;
/** Long enough to decide, too; it stays while the pointer or the focus is on it. */
const UNDOABLE_MS = 10_000;

/** What was done last, for a while. One at a time: an older one would offer to undo what was gone on from. */
export function Toasts() {
  const [shown, setShown] = useState<Toast | null>(null);
  useEffect(() => onToast(setShown), []);
  const close = () => setShown((now) => (now === shown ? null : now));
  return (
    <div class="toasts" role="status">
      {shown?.undo && <Undoable key={shown.number} text={shown.text} undo={shown.undo} close={close} />}
      {shown && !shown.undo && <Said key={shown.number} text={shown.text} close={close} />}
    </div>
  );
}

function Said({ text, close }: { text: string; close: () => void }) {
  useEffect(() => {
    const timer = setTimeout(close, SHOWN_MS);
    return () => clearTimeout(timer);
  }, []);
  return <p class="card toast said">{text}</p>;
}

interface UndoableProps {
  text: string;
  undo: () => Promise<unknown>;
  close: () => void;
}

function Undoable({ text, undo, close }: UndoableProps) {
  const [isHeld, setHeld] = useState(false);
  const action = useAction(() => undo().then(close), 'Undone');
  const stays = isHeld || action.isRunning || action.error !== null;
  useEffect(() => {
    if (stays) return undefined;
    const timer = setTimeout(close, UNDOABLE_MS);
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
      <button type="button" data-key="z" disabled={action.isRunning} onClick={() => action.run()}>
        Undo
      </button>
      <button type="button" class="plain" aria-label="Dismiss" onClick={close}>
        ✕
      </button>
      <Refusal error={action.error} />
    </div>
  );
}
