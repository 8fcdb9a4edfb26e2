import { api, must } from '../api.js';
import { go, to } from '../routes.js';

/** One line of the palette. */
export interface Command {
  group: 'Actions' | 'Tasks' | 'Projects';
  words: string;
  /** Beside it: the project, the key. */
  note?: string;
  run: () => void;
}

const MOST = 8;

/** What can be done wherever one is, some of it in the project at hand; each word typed begins a word of it. */
export function actionsIn(project_id: string, typed: string): Command[] {
  const action = (words: string, run: () => void, note?: string): Command => ({ group: 'Actions', words, run, note });
  const visit = (words: string, address: string, note?: string) => action(words, () => go(address), note);
  const everywhere = `${to.named('search')}?q=${encodeURIComponent(typed)}`;
  const ofProject = [
    action('New task', () => newTask(project_id), 'c'),
    visit('Go to the board', to.board(project_id), 'g b'),
    visit('Show the board as a list', `${to.board(project_id)}?view=list`),
    visit('Settings of the project', to.settings(project_id)),
    visit('Members of the project', to.settings(project_id, 'members')),
  ];
  const all = [
    ...(project_id ? ofProject : []),
    visit('Go to the inbox', to.named('inbox'), 'g i'),
    visit('Go to my work', to.named('work'), 'g w'),
    visit('Go to the search', to.named('search'), 'g s'),
    visit('Go to the projects', to.named('projects'), 'g p'),
    visit('Go to the executors', to.named('executors'), 'g e'),
    visit('Go to the throughput', to.named('throughput'), 'g t'),
  ];
  const search = typed ? [visit(`Search everywhere for “${typed}”`, everywhere)] : [];
  return [...search, ...all.filter(({ words }) => isBegunIn(words, typed))];
}

function isBegunIn(words: string, typed: string): boolean {
  const said = words.toLowerCase().split(' ');
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => said.some((one) => one.startsWith(word)));
}

/** The board opens the form, once it is shown. */
function newTask(project_id: string): void {
  const button = () => document.querySelector<HTMLElement>('[data-key=c]');
  if (button()) return button()!.click();
  go(to.board(project_id));
  requestAnimationFrame(() => button()?.click());
}

/** By words, those of the project at hand first. */
export async function tasksFor(
  q: string,
  project_id: string,
  projects: readonly ProjectCommand[],
  signal: AbortSignal,
): Promise<Command[]> {
  const [own, others] = await Promise.all([
    project_id ? findTasks(q, project_id, signal) : [],
    findTasks(q, undefined, signal),
  ]);
  const seen = new Set(own.map(({ task_id }) => task_id));
  const tasks = [...own, ...others.filter(({ task_id }) => !seen.has(task_id))].slice(0, MOST);
  const nameOf = (id: string) => projects.find((project) => project.project_id === id)?.words;
  return tasks.map((task) => ({
    group: 'Tasks',
    words: task.title,
    note: task.project_id === project_id ? 'in this project' : nameOf(task.project_id),
    run: () => go(to.task(task.project_id, task.task_id)),
  }));
}

async function findTasks(q: string, project_id: string | undefined, signal: AbortSignal) {
  const query = { q, kinds: ['task' as const], project_id, limit: MOST };
  return (await must(api.GET('/api/search', { params: { query }, signal }))).results;
}

type ProjectCommand = Command & { project_id: string };

/** By words, or the newest. */
export async function projectsCalled(query: string, signal: AbortSignal): Promise<ProjectCommand[]> {
  const params = { query: { query: query || undefined, limit: MOST } };
  const { projects } = await must(api.GET('/api/projects', { params, signal }));
  return projects.map(({ project_id, name, slug }) => ({
    group: 'Projects',
    words: name,
    note: slug,
    project_id,
    run: () => go(to.board(project_id)),
  }));
}
