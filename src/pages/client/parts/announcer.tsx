import { useEffect, useState } from 'preact/hooks';

const SAID = 'announced';

/** Announced once to screen readers. */
export function announce(text: string): void {
  window.dispatchEvent(new CustomEvent(SAID, { detail: text }));
}

export function Announcer() {
  const [text, setText] = useState('');
  useEffect(() => {
    const say = (event: Event) => setText((event as CustomEvent<string>).detail);
    window.addEventListener(SAID, say);
    return () => window.removeEventListener(SAID, say);
  }, []);
  return (
    <div class="visually-hidden" aria-live="polite">
      {text}
    </div>
  );
}
