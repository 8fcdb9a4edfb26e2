import { useEffect, useRef } from 'preact/hooks';
import { api, must } from '../api.js';
import type { components } from '../generated/api.js';
import type { BoardEvent } from '../feed.js';
import { type Resource, useResource } from '../resource.js';
import { go, to } from '../routes.js';

export type Notices = components['schemas']['NoticesOutput'];
export type QuestionNotice = Notices['questions'][number];
export type EndNotice = Notices['ended'][number];

/** Whoever shows notices reads them again. */
const CHANGED = 'notices-changed';

const isNews = ({ type }: BoardEvent) =>
  /\.approval\.|\.attempt\.(completed|failed|stopped|delivery_changed)$|\.task\./.test(type);

/** What addresses whoever is signed in. */
export function useNotices(): Resource<Notices> {
  const notices = useResource<Notices>('notices', () => must(api.GET('/api/inbox/notices')), isNews);
  useEffect(() => {
    window.addEventListener(CHANGED, notices.reload);
    return () => window.removeEventListener(CHANGED, notices.reload);
  }, []);
  return notices;
}

export async function setWatching(task_id: string, watching: boolean): Promise<void> {
  await must(api.POST('/api/tasks/{task_id}/watch', { params: { path: { task_id } }, body: { watching } }));
  window.dispatchEvent(new Event(CHANGED));
}

export async function markRead(): Promise<void> {
  await must(api.POST('/api/inbox/read'));
  window.dispatchEvent(new Event(CHANGED));
}

/** By a press of a button only: browsers refuse others. */
export function askForNotifications(): void {
  if ('Notification' in window && Notification.permission === 'default') void Notification.requestPermission();
}

/** Tells by the browser, where that is allowed, what has come of watched tasks since the page was opened. */
export function useBrowserNotices(notices: Notices | null): void {
  const told = useRef<Set<string> | null>(null);
  useEffect(() => {
    if (!notices) return;
    const asked = notices.questions.filter(({ is_watching }) => is_watching);
    const news = [...asked, ...notices.ended].filter(({ is_unread }) => is_unread);
    const before = told.current;
    told.current = new Set(news.map(keyOf));
    if (before) for (const one of news) if (!before.has(keyOf(one))) tell(one);
  }, [notices]);
}

type Notice = QuestionNotice | EndNotice;
const keyOf = ({ attempt_id, at }: Notice) => `${attempt_id} ${at}`;
const ENDS = { completed: 'Done', failed: 'Failed', stopped: 'Stopped' } as const;

/** Tabs tell the same, which the browser shows once. */
function tell(notice: Notice): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  const words = 'outcome' in notice ? ENDS[notice.outcome] : `Asks: ${notice.summary}`;
  const body = `${notice.title} · ${notice.project_name}`;
  const shown = new Notification(words, { body, tag: keyOf(notice) });
  shown.onclick = () => {
    window.focus();
    shown.close();
    go(to.attempt(notice.project_id, notice.attempt_id));
  };
}
