import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { announce } from '../parts/announcer.js';
import { Loading, Refusal } from '../parts/notice.js';
import { useTitle } from '../parts/tab-state.js';
import { useResource } from '../resource.js';
import type { Board, Card, TaskStatus } from '../types.js';
import { nameOf } from './columns.js';
import { Column } from './column.js';
import { FilterBar, type Filters, useFilters } from './filters.js';
import { rememberProject } from './home-page.js';
import { NewTask } from './new-task.js';

export function BoardPage({ project_id }: { project_id: string }) {
  const [filters, change] = useFilters();
  const { project, board } = useBoard(project_id, filters);
  const [isNewOpen, setNewOpen] = useState(false);
  const move = useAction(async (_key, card: Card, status: TaskStatus) => {
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
        <FilterBar board={board.data} filters={filters} change={change} />
        <button type="button" class="primary" data-key="c" onClick={() => setNewOpen(true)}>
          New task
        </button>
      </header>
      <Refusal error={project.error ?? board.error ?? move.error} />
      {board.data ? (
        <Columns board={board.data} isFiltered={Object.keys(filters).length > 0} move={move.run} />
      ) : (
        !board.error && <Loading />
      )}
      {isNewOpen && <NewTask project_id={project_id} close={() => setNewOpen(false)} made={board.reload} />}
    </>
  );
}

function useBoard(project_id: string, filters: Filters) {
  const path = { project_id };
  const project = useResource(`project:${project_id}`, () =>
    must(api.GET('/api/projects/{project_id}', { params: { path } })),
  );
  const board = useResource<Board>(
    `board:${project_id}`,
    () => must(api.GET('/api/projects/{project_id}/board', { params: { path, query: filters } })),
    (event) => event.project_id === project_id,
  );
  useEffect(board.reload, [filters]); // the old cards stay until the new ones arrive
  return { project, board };
}

interface ColumnsProps {
  board: Board;
  isFiltered: boolean;
  move: (card: Card, status: TaskStatus) => void;
}

function Columns({ board: { project_id, columns }, isFiltered, move }: ColumnsProps) {
  return (
    <>
      {columns.every(({ count }) => count === 0) && <Empty isFiltered={isFiltered} />}
      <div class="board">
        {columns.map((column) => (
          <Column key={column.status} {...{ column, project_id, move }} />
        ))}
      </div>
    </>
  );
}

const BEGIN = 'Make a new task, say what is to be done, and start it: the executor DEMO needs no account.';
const Empty = ({ isFiltered }: { isFiltered: boolean }) => (
  <p class="notice">{isFiltered ? 'No task matches.' : `The board is empty. ${BEGIN}`}</p>
);
