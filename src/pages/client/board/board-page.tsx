import { useEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Icon } from '../parts/icon.js';
import { lazy } from '../parts/lazy.js';
import { Loading, Refusal } from '../parts/notice.js';
import { useTitle } from '../parts/tab-state.js';
import { toast } from '../parts/toast.js';
import { rememberProject, useProject } from '../projects.js';
import { type Resource, useResource } from '../resource.js';
import { to } from '../routes.js';
import type { Board, Card, TaskStatus } from '../types.js';
import { firstShown, nameOf } from './columns.js';
import { Column, ColumnTabs } from './column.js';
import { FilterBar, type Filters, useFilters, ViewChoice, type ViewProps } from './filters.js';
import { NewTask } from './new-task.js';

const DeletedTasks = lazy(() => import('../views-of-work.js').then((file) => file.DeletedTasks));
const TaskTable = lazy(() => import('../views-of-work.js').then((file) => file.TaskTable));

export function BoardPage({ project_id }: { project_id: string }) {
  const { view, status, deleted, filters, change } = useFilters();
  const project = useProject(project_id);
  const board = useBoard(project_id, filters);
  const [isNewOpen, setNewOpen] = useState(false);
  const move = useMove(board);
  const name = project.data?.name ?? 'Board';
  useTitle(name);
  useEffect(() => rememberProject(project_id), [project_id]);
  return (
    <div class="board-view">
      <header class="page-head bar">
        <h1>{name}</h1>
        <FilterBar board={board.data} {...{ filters, deleted, change }} />
        <ViewChoice view={view} change={change} />
        <a class="button plain" href={to.settings(project_id)} aria-label="Settings" title="Settings">
          <Icon name="settings" />
        </a>
        <button type="button" class="primary" data-key="c" onClick={() => setNewOpen(true)}>
          <Icon name="comment" /> New task
        </button>
      </header>
      <Refusal error={project.error ?? board.error ?? move.error} />
      {!board.data && !board.error && <Loading />}
      {deleted && <DeletedTasks project_id={project_id} />}
      {board.data && !deleted && (
        <Tasks
          board={board.data}
          isFiltered={Object.keys(filters).length > 0}
          {...{ view, status, change }}
          move={move.run}
        />
      )}
      {isNewOpen && <NewTask project_id={project_id} close={() => setNewOpen(false)} made={board.reload} />}
    </div>
  );
}

function useBoard(project_id: string, filters: Filters) {
  const query = { ...filters, archived: filters.archived ? true : undefined };
  const board = useResource<Board>(
    `board:${project_id}`,
    () => must(api.GET('/api/projects/{project_id}/board', { params: { path: { project_id }, query } })),
    (event) => event.project_id === project_id,
  );
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    else board.reload(); // the old cards stay until the new ones arrive
  }, [JSON.stringify(filters)]);
  return board;
}

/** Moves a card, which can be undone; who did it by keyboard stays with it. */
function useMove({ data, reload }: Resource<Board>) {
  return useAction(async (_key, card: Card, status: TaskStatus) => {
    const put = (body: { status: TaskStatus }) =>
      must(api.PUT('/api/tasks/{task_id}', { params: { path: { task_id: card.task_id } }, body }));
    const before = data?.columns.find(({ cards }) => cards.some(({ task_id }) => task_id === card.task_id));
    await put({ status });
    toast(`${card.title} moved to ${nameOf(status)}`, () => put({ status: before?.status ?? status }));
    moved = { task_id: card.task_id, status };
    reload();
  });
}
/** The card that is on its way to another column. */
let moved: Pick<Card, 'task_id' | 'status'> | null = null;

/** Gives the focus back to the card that was moved, once it is drawn in its new column. */
function useFocusOfMoved(board: Board): void {
  useEffect(() => {
    const column = board.columns.find(({ status }) => status === moved?.status);
    const card = column?.cards.find(({ task_id }) => task_id === moved?.task_id);
    if (!card) return; // it is not there yet
    moved = null;
    if (document.activeElement !== document.body) return;
    document.querySelector<HTMLElement>(`[data-card="${CSS.escape(card.task_id)}"] .title a`)?.focus();
  }, [board]);
}

type TasksProps = ColumnsProps & ViewProps & { view: string | undefined; status: string | undefined };

const Tasks = ({ board, view, status, change, ...props }: TasksProps) =>
  view === 'list' ? <TaskTable {...{ board, status, change }} /> : <Columns board={board} {...props} />;

interface ColumnsProps {
  board: Board;
  isFiltered: boolean;
  move: (card: Card, status: TaskStatus) => void;
}

function Columns({ board, isFiltered, move }: ColumnsProps) {
  const { project_id, columns } = board;
  const [chosen, choose] = useState<TaskStatus>(() => firstShown(columns));
  useFocusOfMoved(board);
  return (
    <>
      {columns.every(({ count }) => count === 0) && <Empty isFiltered={isFiltered} />}
      <ColumnTabs columns={columns} chosen={chosen} choose={choose} />
      <div class="board">
        {columns.map((column) => (
          <Column
            key={column.status}
            {...{ column, project_id, move }}
            isChosen={column.status === chosen}
            staysOpen={isFiltered}
          />
        ))}
      </div>
    </>
  );
}

const BEGIN = 'Make a new task, say what is to be done, and start it: the executor DEMO needs no account.';
const Empty = ({ isFiltered }: { isFiltered: boolean }) => (
  <p class="empty">{isFiltered ? 'No task matches.' : `The board is empty. ${BEGIN}`}</p>
);
