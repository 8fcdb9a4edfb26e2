import { useEffect, useRef, useState } from 'preact/hooks';

/** Drafts nobody has come back to for so long are forgotten. */
const KEPT_MS = 30 * 86_400_000;
const RELOADED_MS = 3_000;
const DRAFT = 'draft:';
const SENT = 'sent:';
const PERSON = 'drafts-of';
const TAB = 'tab';
const PUT_BACK = 'put-back';

interface Kept {
  text: string;
  /** Epoch in milliseconds. */
  at: number;
}

/** A duplicated tab begins with the name of the other, and gets one of its own. */
let tab = sessionStorage.getItem(TAB) ?? newTab();
holdName();
forgetOld();

/** Typed text of a form, kept by form and tab until it is sent: across reloads, the end of a session, an answer that
 *  never came. What a closed tab has left is taken over by the next form of that name; what is typed in another living
 *  tab stays there.
 *  @param form names it, with the id of what it is about
 *  @param initial shown where nothing was typed; an equal text is no draft */
export function useDraft(form: string, initial = ''): [string, (text: string) => void] {
  const [text, setText] = useState(() => ownDraft(form) ?? initial);
  const isTouched = useRef(false);
  useEffect(() => {
    isTouched.current = false;
    const show = () => setText(ownDraft(form) ?? initial);
    show();
    if (ownDraft(form) === null) void inherit(form).then((left) => left !== null && !isTouched.current && show());
    const follow = ({ detail }: Event & { detail?: unknown }) => detail === form && show();
    window.addEventListener(PUT_BACK, follow);
    return () => window.removeEventListener(PUT_BACK, follow);
  }, [form]);
  const keep = (next: string) => {
    isTouched.current = true;
    setText(next);
    if (next === initial) dropDraft(form);
    else store(keyOf(form), { text: next, at: Date.now() });
  };
  return [text, keep];
}

/** Adds a text that came to nothing elsewhere to what a form holds. */
export function putBack(form: string, text: string): void {
  const before = ownDraft(form);
  store(keyOf(form), { text: before ? `${before}\n\n${text}` : text, at: Date.now() });
  window.dispatchEvent(new CustomEvent(PUT_BACK, { detail: form }));
}

/** What is typed in this tab in forms whose names begin so, by the rest of the name. */
export const ownDrafts = (start: string): [rest: string, text: string][] =>
  keysFrom(DRAFT + start)
    .filter((key) => key.endsWith(`:${tab}`))
    .map((key) => [key.slice(DRAFT.length + start.length, -tab.length - 1), read(key)!.text]);

export const dropDraft = (form: string): void => localStorage.removeItem(keyOf(form));

/** The idempotency key of what a form sends: the same for the same content until there is an answer, also after a
 *  reload and in another tab. */
export function keyOfSent(form: string, content: string): string {
  const [hash = '', key = ''] = read(SENT + form)?.text.split(' ') ?? [];
  if (hash === fingerprint(content)) return key;
  const fresh = crypto.randomUUID();
  store(SENT + form, { text: `${fingerprint(content)} ${fresh}`, at: Date.now() });
  return fresh;
}

export const sentIsAnswered = (form: string): void => localStorage.removeItem(SENT + form);

/** On a machine that several people use, nobody reads what another one has typed. */
export function keepDraftsOf(person: string): void {
  if (localStorage.getItem(PERSON) !== person)
    [...keysFrom(DRAFT), ...keysFrom(SENT)].forEach((key) => localStorage.removeItem(key));
  localStorage.setItem(PERSON, person);
}

const keyOf = (form: string): string => `${DRAFT}${form}:${tab}`;
const ownDraft = (form: string): string | null => read(keyOf(form))?.text ?? null;

function keysFrom(start: string): string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(start));
}

function read(key: string): Kept | null {
  return JSON.parse(localStorage.getItem(key) ?? 'null') as Kept | null;
}

/** A full storage is no reason to hinder who types. */
function store(key: string, kept: Kept): void {
  try {
    localStorage.setItem(key, JSON.stringify(kept));
  } catch (error) {
    console.warn('what is typed is not kept beyond this tab', error);
  }
}

/** The newest draft of a form whose tab is closed becomes this tab's. */
async function inherit(form: string): Promise<string | null> {
  const start = `${DRAFT}${form}:`;
  const others = keysFrom(start).filter((key) => key !== keyOf(form) && !key.slice(start.length).includes(':'));
  if (others.length === 0) return null;
  const living = await livingTabs();
  const left = others
    .filter((key) => !living.includes(key.slice(start.length)))
    .map((key) => ({ key, ...read(key)! }))
    .sort((a, b) => b.at - a.at)[0];
  if (left === undefined || ownDraft(form) !== null) return null;
  localStorage.removeItem(left.key);
  store(keyOf(form), { text: left.text, at: Date.now() });
  return left.text;
}

function newTab(): string {
  const name = crypto.randomUUID();
  sessionStorage.setItem(TAB, name);
  return name;
}

/** A lock that lives as long as the tab says that its drafts are not left behind. After a reload it may still be held
 *  for a moment; a duplicated tab never gets it. */
function holdName(): void {
  if (!('locks' in navigator)) return;
  const patience = { signal: AbortSignal.timeout(RELOADED_MS) };
  navigator.locks
    .request(TAB + tab, patience, () => new Promise<never>(() => undefined))
    .catch(() => {
      tab = newTab();
      holdName();
    });
}

/** Without locks, which need HTTPS, a draft is anybody's. */
async function livingTabs(): Promise<string[]> {
  if (!('locks' in navigator)) return [];
  const { held = [] } = await navigator.locks.query();
  return held.map(({ name = '' }) => name.slice(TAB.length));
}

function forgetOld(): void {
  const oldest = Date.now() - KEPT_MS;
  for (const key of [...keysFrom(DRAFT), ...keysFrom(SENT)])
    if ((read(key)?.at ?? 0) < oldest) localStorage.removeItem(key);
}

/** FNV-1a */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${text.length}-${hash >>> 0}`;
}
