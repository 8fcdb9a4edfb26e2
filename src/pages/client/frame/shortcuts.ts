import { useLayoutEffect } from 'preact/hooks';
import { go, placeOf, to } from '../routes.js';

const KEY = 'shortcuts';
const CHORD_MS = 1_000;

export const areShortcutsOn = () => localStorage.getItem(KEY) !== 'off';
export const switchShortcuts = (isOn: boolean) => localStorage.setItem(KEY, isOn ? 'on' : 'off');

/** Keys and their meaning for the help. */
export const SHORTCUTS: readonly [keys: string, meaning: string][] = [
  ['?', 'Show this help'],
  ['Ctrl+K, ⌘K', 'Find a task, a project or an action'],
  ['/', 'Search the board'],
  ['c', 'New task'],
  ['j, k', 'Next, previous card or file'],
  ['n, p', 'Next, previous comment or change of a diff'],
  ['h, l', 'Column to the left, to the right'],
  ['m', 'Move the card'],
  ['z', 'Undo what was just done'],
  ['g b', 'Go to the board'],
  ['g i', 'Go to the inbox'],
  ['g w', 'Go to my work'],
  ['g s', 'Go to the search'],
  ['g e', 'Go to the executors'],
  ['Ctrl+Enter', 'Send what you typed'],
];

/** Keys are ignored in text fields, and everywhere if switched off; they work from when the page is seen. */
export function useShortcuts(help: () => void): void {
  useLayoutEffect(() => {
    let lastG = -Infinity;
    const press = (event: KeyboardEvent) => {
      if (isTyped(event) || !areShortcutsOn()) return;
      const isChord = performance.now() - lastG < CHORD_MS;
      lastG = event.key === 'g' ? performance.now() : -Infinity;
      const act = isChord ? GO[event.key] : event.key === '?' ? help : KEYS[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

const GO: Record<string, () => void> = {
  b: () => {
    const place = placeOf(location.pathname);
    go(place?.project ? to.board(place.project) : to.home());
  },
  i: () => go(to.named('inbox')),
  w: () => go(to.named('work')),
  s: () => go(to.named('search')),
  e: () => go(to.named('executors')),
  p: () => go(to.named('projects')),
  t: () => go(to.named('throughput')),
};

const KEYS: Record<string, () => void> = {
  '/': () => document.querySelector<HTMLElement>('input[type=search]')?.focus(),
  c: () => document.querySelector<HTMLElement>('[data-key=c]')?.click(),
  m: () => document.activeElement?.closest('.card')?.querySelector<HTMLElement>('[data-key=m]')?.click(),
  z: () => [...document.querySelectorAll<HTMLElement>('[data-key=z]')].at(-1)?.click(),
  j: () => step(1),
  k: () => step(-1),
  n: () => walk(1),
  p: () => walk(-1),
  h: () => cross(-1),
  l: () => cross(1),
};

const stops = (within: ParentNode) => [...within.querySelectorAll<HTMLElement>('.card .title a, .file summary')];

/** To the next card of the column, or the next file. */
function step(by: number): void {
  const all = stops(document.activeElement?.closest('.column') ?? document);
  const at = all.indexOf(document.activeElement as HTMLElement);
  all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)]?.focus();
}

/** To the next place in a diff where something was said or has changed, from wherever one is. */
function walk(by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>('.remark, .diff-line[tabindex]')];
  const from = document.activeElement ?? document.body;
  const side = by > 0 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
  const ahead = all.filter((stop) => (from.compareDocumentPosition(stop) & side) > 0);
  ahead.at(by > 0 ? 0 : -1)?.focus();
}

function cross(by: number): void {
  const columns = [...document.querySelectorAll<HTMLElement>('.column')].filter((column) => stops(column).length > 0);
  const at = columns.findIndex((column) => column.contains(document.activeElement));
  const column = columns[at < 0 ? 0 : Math.min(Math.max(at + by, 0), columns.length - 1)];
  if (column) stops(column)[0]?.focus();
}

function isTyped({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const field = (target as HTMLElement).closest?.('input:not([type=checkbox]), textarea, select, dialog[open]');
  return ctrlKey || metaKey || altKey || field !== null;
}
