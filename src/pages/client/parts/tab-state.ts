import { useEffect } from 'preact/hooks';
import mark from '../mark.svg';

const shown = { title: 'Taskyard', waiting: 0 };

const show = () => {
  document.title = `${shown.waiting > 0 ? `(${shown.waiting}) ` : ''}${shown.title}`;
};

const BADGE = '<circle cx="23" cy="9" r="9" fill="#d92d20"/>';
const DIGITS =
  'x="23" y="14" text-anchor="middle" font-family="sans-serif" font-size="14" font-weight="700" fill="#fff"';

function badgeFavicon(count: number): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (!link) return;
  link.dataset.plain ??= link.href;
  const text = count > 9 ? '9+' : String(count);
  const marked = mark.replace('</svg>', `${BADGE}<text ${DIGITS}>${text}</text></svg>`);
  link.href = count === 0 ? link.dataset.plain : `data:image/svg+xml,${encodeURIComponent(marked)}`;
}

/** Names the browser's tab after what it shows. */
export function useTitle(title: string): void {
  useEffect(() => {
    shown.title = `${title} · Taskyard`;
    show();
  }, [title]);
}

/** Counts in the title and the icon of the browser's tab what waits for a person. */
export function useWaitingCount(waiting: number): void {
  useEffect(() => {
    shown.waiting = waiting;
    show();
    badgeFavicon(waiting);
  }, [waiting]);
}
