import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog } from './dialog.js';

interface ConfirmProps {
  /** On the button, and again on the one that does it. */
  words: string;
  /** What it is done to, for those who do not see where the button stands. */
  of?: string;
  question: string;
  run: () => void;
  isRunning: boolean;
  /** What follows from it. */
  children: ComponentChildren;
}

/** A button for what cannot be taken back: it asks first. */
export function Confirm({ words, of, question, run, isRunning, children }: ConfirmProps) {
  const [isAsking, setAsking] = useState(false);
  const confirm = () => {
    setAsking(false);
    run();
  };
  return (
    <>
      <button
        type="button"
        class="danger"
        aria-label={of && `${words} ${of}`}
        disabled={isRunning}
        onClick={() => setAsking(true)}
      >
        {words}
      </button>
      {isAsking && (
        <Dialog title={question} close={() => setAsking(false)}>
          {children}
          <div class="bar">
            <button type="button" onClick={() => setAsking(false)}>
              Cancel
            </button>
            <button type="button" class="danger" onClick={confirm}>
              {words}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
