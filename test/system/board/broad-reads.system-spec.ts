import { beforeAll, describe, expect, it } from '@jest/globals';
import { localOwner } from '../../../src/platform/access/principal.js';
import { BroadReads } from '../../../src/platform/access/broad-reads.js';
import { Database, type PreparedStatement } from '../../../src/platform/database/database.js';
import { termQuery } from '../../../src/platform/database/word-search.js';
import { SEARCH } from '../../../src/search/search.sql.js';
import { CARDS, COUNTS, FOUND_CARDS, MAX_COUNTED } from '../../../src/tasks/board.sql.js';
import { signOf } from '../../../src/tasks/found-tasks.sql.js';
import { LIST_OF_WORDS } from '../../../src/tasks/read-tasks.sql.js';
import { taskStatuses } from '../../../src/tasks/task-stage.js';
import { FAILED, REVIEWS } from '../../../src/inbox/inbox.repository.js';
import { givenProject } from '../../support/board.js';
import { InProcessServer } from '../../support/in-process-server.js';

const MANY = 100_000;
/** Numbers of the blocks that are read first. */
const BLOCK = 4_096;
/** All are common and in review, one in a thousand is rare, the oldest alone is in the first column. */
const TASKS = `INSERT INTO tasks (id, project_id, title, stage, priority, tags, assignee_text, archived_at)
   SELECT gen_random_uuid(), $1, 'Common ' || CASE WHEN n % 1000 = 0 THEN 'rare' ELSE 'usual' END,
     CASE n WHEN 1 THEN 'INIT' ELSE 'VERIFY' END, 'high', '{everywhere}', 'Grace',
     CASE WHEN n % 10 = 5 AND $3 THEN now() END
   FROM generate_series(1, $2::int) n`;
/** Of a project that has them before the very many ones and after, none archived. */
const FEW = 100;

const server = InProcessServer.use();
let [project_id, small_id] = ['', ''];
beforeAll(async () => {
  ({ project_id } = await givenProject(server, { name: 'Of very many tasks' }));
  ({ project_id: small_id } = await givenProject(server, { name: 'Of few tasks' }));
  // once it is analysed, which may be at any time, so few rows are read without their index
  await server.query('ALTER TABLE task_counts SET (autovacuum_enabled = off)');
  await server.query(TASKS, [small_id, FEW, false]);
  await server.query(TASKS, [project_id, MANY, true]);
  await server.query(TASKS, [small_id, 1, false]);
  await server.query('ANALYZE tasks');
}, 300_000);

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

interface Reads {
  read: number;
  answered: number;
  /** Blocks of terms. */
  blocks: number;
}

/** How many rows of tables a statement looks at, under one plan for all values, and what it answers. */
async function readsOf({ text }: PreparedStatement, values: unknown[]): Promise<Reads> {
  const database = server.app.get(Database);
  return database.transaction(async () => {
    await database.query('SET LOCAL plan_cache_mode = force_generic_plan');
    const [row] = await database.queryPrepared<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      { name: '', text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}` },
      values,
    );
    const { Plan: top } = (row!['QUERY PLAN'] as unknown as { Plan: Plan }[])[0]!;
    const nodes = nodesOf(top);
    const sum = (of: (node: Plan) => number) => nodes.reduce((total, node) => total + of(node), 0);
    return {
      read: sum((node) => (node['Relation Name'] === undefined ? 0 : rowsAt(node) * node['Actual Loops'])),
      answered: top['Actual Rows'],
      blocks: sum((node) => (node['Index Name'] === 'tasks_by_terms' ? node['Actual Loops'] : 0)),
    };
  });
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
const rowsAt = (node: Plan): number =>
  node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);

const project = () => signOf.project(project_id);
const cards = (query: string, fields: unknown[] = [null, null, null, null, null]) =>
  readsOf(FOUND_CARDS, [project_id, taskStatuses, 50, query, ...fields]);

describe('a project of very many tasks', () => {
  it.each<[string, { words?: string; signs?: string[] }, number]>([
    ['a common word', { words: 'common' }, 51],
    ['the beginning of one', { words: 'com' }, 51],
    ['a rare word', { words: 'rare' }, 50],
    ['a word that nothing has', { words: 'missing' }, 0],
    ['a priority that all have', { signs: ['!high'] }, 51],
    ['a tag that all have', { signs: ['#everywhere'] }, 51],
    ['an executor that none has had', { signs: ['&CODEX'] }, 0],
  ])('is filtered by %s from the newest blocks', async (_, { signs = [], ...words }, shown) => {
    const { read, answered } = await cards(termQuery({ ...words, signs: [project(), ...signs] }));
    expect(answered).toBe(shown);
    expect(read).toBeLessThan(4 * BLOCK); // each column looks into its newest block
  });

  it('has its counts from what is stored', async () => {
    const { read } = await readsOf(COUNTS, [project_id]);
    expect(read).toBeLessThan(MANY / 1_000);
    const { body } = await server.rest.get(`/api/projects/${project_id}/board?search=common&limit=5`);
    expect(body.columns).toMatchObject([
      { status: 'todo', count: 1, has_more_matches: false },
      { status: 'inprogress', count: 0 },
      { status: 'inreview', count: MAX_COUNTED + 1, has_more_matches: true },
      { status: 'done', count: 0 },
      { status: 'cancelled', count: 0 },
    ]);
  });

  it('lists and searches by words from the newest block', async () => {
    const terms = (words: string) => termQuery({ words, signs: [project()] });
    const list = await readsOf(LIST_OF_WORDS, [project_id, null, 1e15, 51, null, terms('common')]);
    expect(list).toMatchObject({ answered: 51 });
    expect(list.read).toBeLessThan(2 * BLOCK);
    const below = [1e15, 1e15, 1e15, 1e15];
    const limits = [21, 21, 21, 21];
    const found = await readsOf(SEARCH, [null, null, null, termQuery({ words: 'common' }), below, limits, 'common']);
    expect(found).toMatchObject({ answered: 21 });
    expect(found.read).toBeLessThan(2 * BLOCK);
  });

  it.each([
    ['reviews', REVIEWS, 50],
    ['failures', FAILED, 0],
  ])('has %s in the inbox from the newest of the project', async (_, statement, shown) => {
    const { read, answered } = await readsOf(statement, [null, null, 50]);
    expect(answered).toBe(shown);
    expect(read).toBeLessThan(2_500);
  });

  it('has the cards of its columns from the newest of each', async () => {
    const { read, answered } = await readsOf(CARDS, [project_id, taskStatuses, 50]);
    expect(answered).toBe(51);
    expect(read).toBeLessThan(500);
  });
});

describe('a project of few tasks beside it', () => {
  const own = () => signOf.project(small_id);
  const found = (signs: string[], fields: unknown[]) =>
    readsOf(FOUND_CARDS, [small_id, taskStatuses, 50, termQuery({ signs: [own(), ...signs] }), ...fields]);

  it.each<[string, string[], unknown[], number]>([
    ['assignee', [signOf.assignee('Grace')], [null, null, null, 'Grace', null], 52],
    ['executor', [signOf.executor('CODEX')], [null, null, 'CODEX', null, null], 0],
  ])('is filtered by %s in its own two blocks, whatever else there is', async (_, signs, fields, shown) => {
    const { read, answered, blocks } = await found(signs, fields);
    expect({ answered, blocks }).toEqual({ answered: shown, blocks: 2 });
    expect(read).toBeLessThan(1_000);
  });

  it('has its cards, and its words in a list, from these alone', async () => {
    const cardsOf = await readsOf(CARDS, [small_id, taskStatuses, 50]);
    expect(cardsOf.read).toBeLessThan(500);
    const terms = termQuery({ words: 'rare', signs: [own()] });
    const list = await readsOf(LIST_OF_WORDS, [small_id, null, 1e15, 51, null, terms]);
    expect(list).toMatchObject({ answered: 0, blocks: 2 });
    expect(list.read).toBeLessThan(100);
  });
});

describe('reads that may be too broad', () => {
  it('are never compiled by the database, which takes longer than most of them', async () => {
    expect(await server.app.get(Database).query('SHOW jit')).toEqual([{ jit: 'off' }]);
  });

  const statement = async (): Promise<void> => {
    const database = server.app.get(Database);
    await database.transaction(async () => {
      await database.query("SET LOCAL statement_timeout = '50ms'");
      await database.query('SELECT pg_sleep(60)');
    });
  };

  it('say what to narrow where a statement reaches its time limit', async () => {
    const read = server.app.get(BroadReads).read(localOwner, 'a further word', statement);
    await expect(read).rejects.toMatchObject({
      code: 'query_too_broad',
      details: { narrow: 'a further word' },
      row: { status: 422, retryable: false },
    });
  });

  it('keep two statements of a caller busy, whoever else asks', async () => {
    const reads = new BroadReads();
    const busy = new Map<string, number>();
    let most = 0;
    const ends: (() => void)[] = [];
    const ask = (id: string) =>
      reads.read({ id }, 'less', async () => {
        busy.set(id, (busy.get(id) ?? 0) + 1);
        most = Math.max(most, busy.get(id)!);
        await new Promise<void>((resolve) => ends.push(resolve));
        busy.set(id, busy.get(id)! - 1);
      });
    const asked = [...Array.from({ length: 52 }, () => ask('one')), ask('other')];
    await expect(ask('one')).rejects.toMatchObject({ code: 'rate_limited' });
    expect(ends).toHaveLength(3);
    for (let done = 0; done < asked.length;) {
      const end = ends.shift();
      if (end) {
        end();
        done += 1;
      } else await new Promise(setImmediate);
    }
    await Promise.all(asked);
    expect([most, busy.get('one'), busy.get('other')]).toEqual([2, 0, 0]);
  });
});
