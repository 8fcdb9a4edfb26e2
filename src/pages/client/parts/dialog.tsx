import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

/** A modal dialog with its title, ready to be typed into; Escape and the button close it. */
export function Dialog(props: { title: string; close: () => void; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  const title = useId();
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    dialog.querySelector<HTMLElement>('input, textarea, select')?.focus();
    return () => dialog.close(); // which gives the focus back
  }, []);
  return (
    <dialog ref={element} aria-labelledby={title} onClose={props.close}>
      <header>
        <h2 id={title}>{props.title}</h2>
        <button type="button" class="plain" aria-label="Close" onClick={() => element.current?.close()}>
          ✕
        </button>
      </header>
      {props.children}
    </dialog>
  );
}
