import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { Board } from '../board-fixture.js';
import { givenUncommittedWork } from '../delivery-ground.js';
import { eventually } from '../eventually.js';
import { type GitRepository, GitSandbox } from '../git-repository.js';
import type { Envelope, Json } from '../mcp-client.js';
import { untouchedCheckouts } from '../user-checkout.js';
import type { ForgeRepository, TestPull } from './forge-repository.js';
import { TestForge, type TestForgeKind } from './test-forge.js';

/** On which forges a suite runs: what goes through the port is the same on each, so one is enough for the fast tier. */
export const testForges = (process.env.TEST_FORGES ?? 'github').split(' ') as TestForgeKind[];

/** The same work by each executor. */
const works = { SHELL: 'echo new > new.txt', DEMO: 'write new.txt <<< new' };

/** An attempt with work, in a repository whose origin is on the forge. */
export interface ForgeAttempt {
  project_id: string;
  attempt_id: string;
  task_id: string;
  repository: GitRepository;
  remote: ForgeRepository;
}

/** A board whose server knows one forge. After each test the checkouts of the users are what they were. */
export class ForgeGround {
  forge!: TestForge;
  board!: Board;
  private sandbox!: GitSandbox;
  private readonly keep = untouchedCheckouts();

  private constructor(
    private readonly kind: TestForgeKind,
    private readonly settings: Record<string, string>,
  ) {}

  /** One for all tests of the `describe` that asks for it. */
  static use(kind: TestForgeKind, settings: Record<string, string> = {}): ForgeGround {
    const ground = new ForgeGround(kind, settings);
    beforeAll(() => ground.open());
    afterAll(() => ground.close());
    beforeEach(() => {
      ground.forge.faults.length = 0;
      ground.forge.requests.length = 0;
    });
    return ground;
  }

  call(tool: string, input: object): Promise<Json> {
    return this.board.kanban.call(tool, input);
  }

  refused(tool: string, input: object): Promise<Envelope> {
    return this.board.kanban.refused(tool, input);
  }

  /** The newest pull request of the repository, as the forge has it. */
  pullOf({ remote }: ForgeAttempt): TestPull {
    return remote.find(remote.pulls.length)!;
  }

  /** @param by null where no run has to have made the work */
  async attempt(by: keyof typeof works | null = 'SHELL'): Promise<ForgeAttempt> {
    const { project_id, repository } = await this.board.project();
    const remote = this.published(repository);
    const { attempt_id, task_id } =
      by === null
        ? await givenUncommittedWork(this.board, project_id)
        : await this.board.endedAttempt(project_id, works[by], { executor: by });
    return { project_id, attempt_id: attempt_id as string, task_id: task_id as string, repository, remote };
  }

  /** Its origin is on the forge from now on, and nothing of its checkout changes until the test ends. */
  published(repository: GitRepository): ForgeRepository {
    const remote = this.forge.create(`team/web-${randomUUID().slice(0, 8)}`);
    repository.git('push', '--quiet', remote.git.dir, 'main');
    repository.git('remote', 'add', 'origin', `${this.forge.url}/${remote.full_name}.git`);
    this.keep(repository);
    return remote;
  }

  async opened(by?: keyof typeof works | null): Promise<ForgeAttempt & { head: string; url: string }> {
    const place = await this.attempt(by);
    const { repos } = await this.call('open_pull_request', { attempt_id: place.attempt_id, action: 'open' });
    const { head_commit: head, url } = repos[0].pull_request as { head_commit: string; url: string };
    return { ...place, head, url };
  }

  async taskOf(task_id: string): Promise<Json> {
    return (await this.call('get_task', { task_id })).task as Json;
  }

  untilDone(task_id: string): Promise<boolean> {
    return eventually('a task that is done', async () => (await this.taskOf(task_id)).status === 'done');
  }

  private async open(): Promise<void> {
    this.sandbox = new GitSandbox();
    this.forge = await TestForge.start(this.kind, this.sandbox.path('forge'));
    this.board = await Board.start({
      FORGES_FILE: this.forge.settingsFile(this.sandbox.dir),
      FORGE_POLL_SECS: '1',
      ...this.settings,
      GIT_REMOTE_TIMEOUT_SECS: '10',
      REPOSITORY_HOSTS: this.forge.host,
    });
  }

  private async close(): Promise<void> {
    await this.board?.stop(); // undefined where the start failed
    await this.forge.stop();
    this.sandbox.remove();
  }
}
