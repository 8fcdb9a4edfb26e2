import { type Board, nowhere } from '../board-fixture.js';
import { gate, givenAttemptWithoutSession } from '../board.js';
import { givenWorktree, moveMain } from '../delivery-ground.js';
import type { Json } from '../mcp-client.js';
import type { Mistake } from './mechanical-reader.js';

export { nowhere };
/** What went wrong, in words, and how: in a world of its own records or in the common one. */
export type Row = [what: string, mistake: (world: World) => Mistake | Promise<Mistake>];

/** The mistake in a call of which only some arguments are wrong. */
export const wrong = (tool: string, args: Json, right?: Json): Mistake => ({ tool, arguments: args, right });
/** The mistake after which another call has to follow. */
export const instead = (tool: string, args: Json, goal: string, right: Json): Mistake => ({
  tool,
  arguments: args,
  goal: { tool: goal, arguments: right },
});

/** A board with one project, Payments, and an attempt that has run. */
export class World {
  readonly user_id = 'ada';
  readonly title = 'Refund a payment twice';
  private untouched?: Promise<string>;
  private told?: Promise<string>;
  private broken?: Promise<string>;

  private constructor(
    readonly board: Board,
    readonly project_id: string,
    readonly repo_id: string,
    private readonly repository: { git: (...args: string[]) => string },
    readonly ended: Json,
  ) {}

  static async of(board: Board): Promise<World> {
    const { project_id, repo_id, repository } = await board.project({ name: 'Payments' });
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
    for (const user of ['ada', 'grace']) {
      await board.worker(`@${user}`, 'human', user);
      await board.member(project_id, `@${user}`);
    }
    const ended = await board.endedAttempt(project_id, 'echo new > new.txt; seq 50');
    return new World(board, project_id, repo_id, repository, ended);
  }

  /** The ids that a caller means, by the names of arguments. */
  get meant(): Json {
    const { task_id, attempt_id, latest_session_id } = this.ended;
    const { project_id, repo_id, user_id } = this;
    return { project_id, repo_id, user_id, task_id, attempt_id, session_id: latest_session_id };
  }

  get attempt_id(): string {
    return this.ended.attempt_id as string;
  }
  get session_id(): string {
    return this.ended.latest_session_id as string;
  }
  get execution_id(): string {
    return this.ended.latest_execution_process_id as string;
  }
  /** Of the attempt that has run. */
  get task_id(): string {
    return this.ended.task_id as string;
  }

  task(title = this.title): Promise<string> {
    return this.board.task(this.project_id, title, 'echo done');
  }
  /** Work that a merge would land, of which no reader runs or merges anything. */
  work(): Promise<string> {
    return (this.untouched ??= this.ownWork('more.txt'));
  }
  /** The same for one reader. */
  async ownWork(file: string): Promise<string> {
    return (await this.board.endedAttempt(this.project_id, `date +%N > ${file}`)).attempt_id as string;
  }
  /** For messages: whatever was sent before has run. */
  async atRest(): Promise<string> {
    const attempt_id = await (this.told ??= this.ownWork('told.txt'));
    await this.board.untilEnded(attempt_id);
    return attempt_id;
  }
  failed(): Promise<string> {
    const { board, project_id } = this;
    return (this.broken ??= board
      .endedAttempt(project_id, 'echo half > half.txt; exit 7')
      .then(({ attempt_id }) => attempt_id as string));
  }
  /** Made while an attempt runs, which ends afterwards. */
  async whileRunning(mistake: (attempt: Json) => Mistake): Promise<Mistake> {
    const { wait, open } = gate(this.board.server);
    const attempt = await this.board.attempt(this.project_id, `${wait}; date +%N > run.txt`);
    return { ...mistake(attempt), afterwards: open };
  }
  async withoutSession(): Promise<Json> {
    return givenAttemptWithoutSession(this.board.server, this.board.kanban, this.project_id);
  }
  /** Work that conflicts with main. */
  async conflicting(): Promise<string> {
    const { project_id, repository } = await this.board.project();
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
    const { attempt, tree } = await givenWorktree(this.board, project_id);
    tree.write({ 'readme.md': 'ours\n' });
    moveMain(repository, { 'readme.md': 'theirs\n' });
    return attempt.attempt_id as string;
  }
  /** Work whose target is checked out by the user. */
  async checkedOut(): Promise<string> {
    const { project_id } = await this.board.project();
    return (await this.board.endedAttempt(project_id, 'echo new > new.txt')).attempt_id as string;
  }
  async delivery(attempt_id: string): Promise<Json> {
    return (await this.board.kanban.call('get_attempt_delivery', { attempt_id })).repos[0] as Json;
  }

  /** A task as TaskFlow sees it, moved by these tools. */
  async flow(...moves: string[]): Promise<string> {
    const task_id = await this.task();
    for (const move of moves) await this.board.taskflow.call(`taskflow_${move}`, { user_id: this.user_id, task_id });
    return task_id;
  }
}
