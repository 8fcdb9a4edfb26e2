import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Database, type Transaction } from '../../../src/platform/database/database.js';
import { AppError } from '../../../src/platform/errors/app-error.js';
import { givenEndedAttempt } from '../../support/board.js';
import { eventually } from '../../support/eventually.js';
import { GitHttpServer } from '../../support/git-http-server.js';
import { GitRepository, GitSandbox } from '../../support/git-repository.js';
import { InProcessServer } from '../../support/in-process-server.js';
import { CLUSTER_SECRET } from '../../support/server.js';

const box = new GitSandbox();
const origin = new GitRepository(box.path('origin.git'));
let server: InProcessServer;
let forge: GitHttpServer;

beforeAll(async () => {
  execFileSync('git', ['clone', '--quiet', '--bare', box.repository('app', { 'a.txt': 'a\n' }).dir, origin.dir]);
  origin.git('config', 'http.receivepack', 'true');
  forge = await GitHttpServer.start(box.dir);
  server = await InProcessServer.start({ CLUSTER_SECRET, WORKSPACE_STORE: 'remote', REPOSITORY_HOSTS: '127.0.0.1' });
});
afterAll(async () => {
  await server.stop();
  await forge.stop();
  box.remove();
});

/** The transaction that stores saved work is committed, and its answer lost. @returns how often that was so */
function loseAnswerOfSave(): () => number {
  const database = server.app.get(Database);
  const transaction = database.transaction.bind(database);
  let lost = 0;
  database.transaction = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    if (database.isInTransaction) return transaction(work);
    const before = await countSaves();
    const result = await transaction(work);
    if (lost > 0 || (await countSaves()) === before) return result;
    lost += 1;
    throw new AppError('database_unavailable', { reason: 'the answer was lost' });
  };
  return () => lost;
}

const countSaves = async (): Promise<number> =>
  (await server.query<{ n: number }>('SELECT count(*)::int AS n FROM workspace_snapshots'))[0]!.n;
const saves = (): string => origin.git('for-each-ref', '--format=%(refname)', 'refs/taskyard');

it('an end that is written twice, since its answer was lost, keeps the work that the first one saved', async () => {
  const body = { name: 'Cloned', repos: [{ url: `http://${forge.host}/origin.git`, name: 'web' }] };
  const { project_id } = await server.rest.answers(201, 'POST', '/api/projects', body);
  const client = await server.mcp();
  const lost = loseAnswerOfSave();
  const { attempt_id } = await givenEndedAttempt(client, project_id as string, 'echo own > own.txt');
  await eventually('its answer to be lost', () => lost() > 0); // the end is told as soon as it is committed
  expect(lost()).toBe(1);
  const rows = await server.query<{ remote: string }>('SELECT remote FROM workspace_snapshots');
  expect(rows).toHaveLength(1);
  await givenEndedAttempt(client, project_id as string, 'echo other > own.txt'); // what was to be deleted is by then
  expect(saves()).toContain(rows[0]!.remote);
  expect(rows[0]!.remote).toContain(attempt_id as string);
});
