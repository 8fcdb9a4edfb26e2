import { useEffect, useState } from 'preact/hooks';
import { base } from './base.js';

/** The parts of an attempt that have an address of their own; its conversation has the attempt's. */
export type AttemptPart = 'attempt' | 'log' | 'changes' | 'checks' | 'delivery';
const NAMES = ['inbox', 'work', 'projects', 'executors', 'throughput', 'search'] as const;
export type NamedView = (typeof NAMES)[number];
/** Of a project; the first is at the address of its settings itself. */
const SETTINGS = [
  'general',
  'repositories',
  'checks',
  'members',
  'secrets',
  'network',
  'approvals',
  'usage',
  'audit',
] as const;
export type Setting = (typeof SETTINGS)[number];
/** Of the whole server. */
const OF_INSTANCE = ['people', 'tokens', 'runners', 'calls', 'audit'] as const;
export type InstancePart = (typeof OF_INSTANCE)[number];

export interface Place {
  view: 'home' | 'board' | 'task' | 'settings' | 'instance' | AttemptPart | NamedView;
  project: string;
  task: string;
  attempt: string;
  /** Of the settings or the instance. */
  section?: string;
}

const ATTEMPT = String.raw`/a/(?<attempt>[^/]+)(?:/(?<part>log|changes|checks|delivery))?`;
const RECORD = new RegExp(String.raw`^/ui(?:/p/(?<project>[^/]+))?(?:/t/(?<task>[^/]+))?(?:${ATTEMPT})?/?$`);
const SETTING = new RegExp(`^/ui/p/(?<project>[^/]+)/settings(?:/(?<section>${SETTINGS.join('|')}))?/?$`);
const INSTANCE = new RegExp(`^/ui/instance(?:/(?<section>${OF_INSTANCE.join('|')}))?/?$`);
const NAMED = new RegExp(`^/ui/(?<view>${NAMES.join('|')})/?$`);

const NOWHERE = { project: '', task: '', attempt: '' };

/** The view of an address, or null. */
export function placeOf(pathname: string): Place | null {
  const path = pathname.startsWith(base) ? pathname.slice(base.length) : pathname;
  const named = NAMED.exec(path)?.groups;
  if (named) return { ...NOWHERE, view: named.view as NamedView };
  return sectionOf(path) ?? recordOf(path);
}

function sectionOf(path: string): Place | null {
  const { project, section = SETTINGS[0] } = SETTING.exec(path)?.groups ?? {};
  if (project) return { ...NOWHERE, view: 'settings', project, section };
  const instance = INSTANCE.exec(path)?.groups;
  return instance ? { ...NOWHERE, view: 'instance', section: instance.section ?? OF_INSTANCE[0] } : null;
}

function recordOf(path: string): Place | null {
  const found = RECORD.exec(path)?.groups;
  if (!found) return null;
  const { project = '', task = '', attempt = '' } = found;
  return { view: viewOf(found), project, task, attempt };
}

function viewOf({ project, task, attempt, part }: Record<string, string | undefined>): Place['view'] {
  if (attempt) return (part ?? 'attempt') as AttemptPart;
  if (task) return 'task';
  return project ? 'board' : 'home';
}

export const to = {
  home: () => `${base}/ui`,
  named: (view: NamedView) => `${base}/ui/${view}`,
  settings: (project: string, section?: Setting) => `${to.board(project)}/settings${section ? `/${section}` : ''}`,
  instance: (section?: InstancePart) => `${base}/ui/instance${section ? `/${section}` : ''}`,
  board: (project: string) => `${base}/ui/p/${project}`,
  task: (project: string, task: string) => `${to.board(project)}/t/${task}`,
  attempt: (project: string, attempt: string) => `${to.board(project)}/a/${attempt}`,
  part: (project: string, attempt: string, part: AttemptPart) =>
    `${to.attempt(project, attempt)}${part === 'attempt' ? '' : `/${part}`}`,
};

const MOVED = 'moved-to';

/** Goes to an address of the page without reloading it; to where one is already, not at all. */
export function go(address: string, { replace = false } = {}): void {
  if (new URL(address, location.href).href === location.href) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  window.dispatchEvent(new Event(MOVED));
}

/** The pathname, as it changes. */
export function usePathname(): string {
  const [pathname, setPathname] = useState(location.pathname);
  useEffect(() => {
    const follow = () => setPathname(location.pathname);
    window.addEventListener('popstate', follow);
    window.addEventListener(MOVED, follow);
    document.addEventListener('click', followLink);
    return () => {
      window.removeEventListener('popstate', follow);
      window.removeEventListener(MOVED, follow);
      document.removeEventListener('click', followLink);
    };
  }, []);
  return pathname;
}

/** Links between views do not reload the page; those with a modifier, or to elsewhere, are left to the browser. */
function followLink(event: MouseEvent): void {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]');
  if (!link || event.defaultPrevented || !isPlain(event) || !isOfPage(link)) return;
  event.preventDefault();
  go(link.href);
  document.querySelector('main')?.focus();
  scrollTo(0, 0);
}

const isPlain = ({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean =>
  button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey;

/** Whether it leads to another view rather than to a line or a file. */
function isOfPage(link: HTMLAnchorElement): boolean {
  if (link.target || link.hasAttribute('download') || link.origin !== location.origin) return false;
  return placeOf(link.pathname) !== null && link.pathname !== location.pathname;
}
