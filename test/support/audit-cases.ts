import { expect } from '@jest/globals';
import type { Board } from './board-fixture.js';
import type { Json } from './mcp-client.js';

export interface Ground {
  project_id: string;
  task_id: string;
  place: string;
}
export type Operation = (ground: Ground) => Promise<unknown>;
/** What is done, the facts that are written down, how it is done, and what went before. */
export type AuditCase = [string, string[], Operation, Operation?];

/** Operations on a task of its own, on every surface, on behalf of this user where a surface asks for one. */
export function operationsOn(board: Board, user_id: string) {
  const rest =
    (method: string, path: (ground: Ground) => string, body?: object, user?: string): Operation =>
    (ground) =>
      (user ? board.as(user) : board.rest).send(method, path(ground), body);
  const task = (method: string, end: string, body?: object, user?: string): Operation =>
    rest(method, ({ place }) => `${place}${end}`, body, user);
  const project = (method: string, end: string, body?: object, user?: string): Operation =>
    rest(method, ({ project_id }) => `/api/projects/${project_id}${end}`, body, user);
  const kanban =
    (name: string, args: object = {}): Operation =>
    ({ task_id }) =>
      board.kanban.sdk.callTool({ name, arguments: { task_id, ...args } });
  const taskflow =
    (name: string, args: object = {}): Operation =>
    ({ task_id }) =>
      board.taskflow.sdk.callTool({ name: `taskflow_${name}`, arguments: { user_id, task_id, ...args } });
  const inProject =
    (name: string, args: object = {}): Operation =>
    ({ project_id }) =>
      board.taskflow.sdk.callTool({ name: `taskflow_${name}`, arguments: { user_id, project_id, ...args } });
  const colibri =
    (name: string, args: (ground: Ground) => object = () => ({})): Operation =>
    (ground) =>
      board.colibri.sdk.callTool({ name, arguments: args(ground) as Json });
  const patch = (fields: object): Operation =>
    colibri('task_update', ({ task_id }) => ({ id: task_id, patch: fields }));
  return { rest, task, project, kanban, taskflow, inProject, colibri, patch };
}

/** One after the other. */
export const all =
  (...operations: Operation[]): Operation =>
  async (ground) => {
    const answers: unknown[] = [];
    for (const operation of operations) answers.push(await operation(ground));
    return answers;
  };

/** How many of the answers are refusals, whichever surface they come from. */
const refused = (answers: unknown): number =>
  [answers].flat().filter((answer) => {
    const { status, isError, structuredContent } = answer as {
      status?: number;
      isError?: boolean;
      structuredContent?: Json;
    };
    return Number(status) >= 400 || isError === true || structuredContent?.data?.ok === false;
  }).length;

/** The rows that one operation writes are these facts, in order. */
export const writes =
  (board: Board, expectedRefusals = 0) =>
  async (_: string, expected: string[], operation: Operation, before: Operation = () => Promise.resolve([])) => {
    const project_id = await board.bareProject(undefined, 'Ground');
    const task_id = await board.task(project_id);
    const ground = { project_id, task_id, place: `/api/tasks/${task_id}` };
    expect(refused(await before(ground))).toBe(0);
    const [newest] = await board.server.query<{ last: string }>('SELECT max(number) AS last FROM audit_log');
    expect(refused(await operation(ground))).toBe(expectedRefusals);
    const rows = await board.server.query<{ action: string }>(
      'SELECT action FROM audit_log WHERE number > $1 ORDER BY number',
      [newest!.last],
    );
    expect(rows.map(({ action }) => action)).toEqual(expected);
  };
