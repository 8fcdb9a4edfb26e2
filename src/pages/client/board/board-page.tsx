import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { announce } from '../parts/announcer.js';
import { Loading, Refusal } from '../parts/notice.js';
import { useTitle } from '../parts/tab-state.js';
import { useResource } from '../resource.js';
import { to } from '../routes.js';
import type { Board, Card, TaskStatus } from '../types.js';
import { nameOf } from './columns.js';
import { Column } from './column.js';
import { rememberProject } from './home-page.js';
import { NewTask } from './new-task.js';

const SEARCH_AFTER_MS = 250;

export function BoardPage({ project_id }: { project_id: string }) {
  const path = { project_id };
  const [search, setSearch] = useSearch();
  const project = useResource(`project:${project_id}`, () =>
    must(api.GET('/api/projects/{project_id}', { params: { path } })),
  );
  const board = useResource<Board>(
    `board:${project_id}:${search}`,
    () =>
      must(api.GET('/api/projects/{project_id}/board', { params: { path, query: { search: search || undefined } } })),
    (event) => event.project_id === project_id,
  );
  const [isNewOpen, setNewOpen] = useState(false);
  const move = useAction(async (card: Card, status: TaskStatus) => {
    await must(api.PUT('/api/tasks/{task_id}', { params: { path: { task_id: card.task_id } }, body: { status } }));
    announce(`${card.title} moved to ${nameOf(status)}`);
    board.reload();
  });
  useTitle(project.data?.name ?? 'Board');
  useEffect(() => rememberProject(project_id), [project_id]);
  return (
    <>
      <header class="page-head bar">
        <h1>{project.data?.name ?? 'Board'}</h1>
        <input
          type="search"
          aria-label="Search tasks"
          placeholder="Search tasks"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <button type="button" class="primary" data-key="c" onClick={() => setNewOpen(true)}>
          New task
        </button>
      </header>
      <Refusal error={project.error ?? board.error ?? move.error} />
      {!board.data && !board.error && <Loading />}
      {board.data && (
        <div class="board">
          {board.data.columns.map((column) => (
            <Column key={column.status} column={column} project_id={project_id} move={move.run} />
          ))}
        </div>
      )}
      {isNewOpen && <NewTask project_id={project_id} close={() => setNewOpen(false)} made={board.reload} />}
    </>
  );
}

/** What is searched for, in the address, so that a link says it too. */
function useSearch(): [string, (text: string) => void] {
  const [text, setText] = useState(() => new URLSearchParams(location.search).get('q') ?? '');
  useEffect(() => {
    const timer = setTimeout(() => {
      const query = text ? `?q=${encodeURIComponent(text)}` : '';
      if (location.search !== query) history.replaceState(null, '', `${location.pathname}${query}`);
    }, SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return [text, setText];
}

export const addressOf = (project_id: string, card: Card) =>
  card.latest_attempt_id ? to.attempt(project_id, card.latest_attempt_id) : to.task(project_id, card.task_id);
