import path from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ages, KanbanFile } from '../../../test/support/vibe-kanban/ages.js';
import { type Imported, linesOf, type Place } from './lines.js';
import { ageOf, readRecords } from './records.js';
import { SourceDatabase } from './source-database.js';

const LAST = path.join(import.meta.dirname, '../../../test/fixtures/vibe-kanban.sqlite');
const PROJECT = '11111111-1111-4111-8111-111111111111';
const TASK = '22222222-2222-4222-8222-222222222222';
const ATTEMPT = '33333333-3333-4333-8333-333333333333';

const made: KanbanFile[] = [];
afterEach(() => made.splice(0).forEach((file) => file.remove()));

function fileOf(sql: string): string {
  const file = new KanbanFile(sql);
  made.push(file);
  return file.path;
}
const everywhere = (given: string): Promise<Place> => Promise.resolve({ path: given });

async function imported(file: string, placeOf: (given: string) => Promise<Place | null> = everywhere) {
  const source = SourceDatabase.open(file);
  try {
    return { age: ageOf(source), ...(await linesOf(readRecords(source), placeOf)) };
  } finally {
    source.close();
  }
}

const ofKind = ({ lines }: Imported, kind: string) => lines.filter((line) => line.kind === kind);

describe('a database of the last release', () => {
  it('yields every project, task, attempt, session and turn, what is above before what is below', async () => {
    const found = await imported(LAST);
    expect(found.age).toBe('2026-03-17 (76 migrations, workspaces)');
    const kinds = found.lines.map(({ kind }) => kind);
    expect(kinds.slice(0, 3)).toEqual(['header', 'project', 'repository']);
    expect(kinds.at(-1)).toBe('end');
    expect(ofKind(found, 'end')).toEqual([{ kind: 'end', records: kinds.length - 2 }]);
    const counts = ['task', 'attempt', 'session', 'turn'].map((kind) => ofKind(found, kind).length);
    expect(counts).toEqual([4, 4, 4, 12]);
    expect(ofKind(found, 'repository')).toEqual([
      expect.objectContaining({ path: '/srv/git/workshop/vk/repo', setup_script: 'echo setup' }),
    ]);
    expect(ofKind(found, 'task')[0]).toMatchObject({
      title: 'Task 1 ü',
      description: 'line1\nline2',
      stage: 'DONE',
      created_at: '2026-11-22T13:20:03.968Z',
    });
    expect(ofKind(found, 'attempt')[0]).toMatchObject({
      branch: 'vk-5434-task-1',
      delivery_state: 'merged',
      pr_url: 'https://github.com/o/r/pull/7',
      repositories: [expect.objectContaining({ target_branch: 'main' })],
    });
    expect(ofKind(found, 'turn').filter(({ final_message }) => final_message)).toEqual([
      expect.objectContaining({ final_message: 'I did the thing, ümlaut', run_reason: 'codingagent', exit_code: 0 }),
    ]);
  });

  it('yields nothing of a project whose repository is not found, which is named', async () => {
    const found = await imported(LAST, () => Promise.resolve(null));
    expect(found.lines.map(({ kind }) => kind)).toEqual(['header', 'end']);
    expect(found.missing).toEqual([{ project: 'Web shöp', paths: ['/srv/git/workshop/vk/repo'] }]);
  });
});

describe('a database of an earlier release', () => {
  const attempts: Record<string, object> = {
    'June 2025': { branch: 'old-1', delivery_state: 'merged', repositories: [] },
    'August 2025': {
      branch: 'vk-old-1',
      delivery_state: 'pr_open',
      pr_url: 'https://forge/o/r/pull/1',
      repositories: [{ repository: { external_id: PROJECT }, target_branch: 'main' }],
    },
    'December 2025': {
      branch: 'vk-old-1',
      delivery_state: 'none',
      repositories: [{ repository: { external_id: '77777777-7777-4777-8777-777777777777' }, target_branch: 'trunk' }],
    },
  };
  it.each(Object.keys(ages))('of %s yields the same records', async (age) => {
    const found = await imported(fileOf(ages[age]!('/srv/git/shop')));
    expect(found.missing).toEqual([]);
    expect(ofKind(found, 'project')).toEqual([expect.objectContaining({ external_id: PROJECT, name: 'Old shop' })]);
    expect(ofKind(found, 'repository')).toEqual([
      expect.objectContaining({ project: { external_id: PROJECT }, path: '/srv/git/shop', setup_script: 'npm ci' }),
    ]);
    expect(ofKind(found, 'task')).toEqual([expect.objectContaining({ external_id: TASK, stage: 'DONE' })]);
    expect(ofKind(found, 'attempt')).toEqual([expect.objectContaining({ external_id: ATTEMPT, ...attempts[age] })]);
    expect(ofKind(found, 'session')).toEqual([expect.objectContaining({ attempt: { external_id: ATTEMPT } })]);
  });

  it('tells its executors in the words of today, and its turns without previews of the page', async () => {
    const found = await imported(fileOf(ages['August 2025']!('/srv/git/shop')));
    expect(ofKind(found, 'session')).toEqual([expect.objectContaining({ executor: 'CLAUDE_CODE' })]);
    expect(ofKind(found, 'turn')).toEqual([
      expect.objectContaining({ prompt: 'Do it', final_message: 'Did it', started_at: '2025-08-18T09:02:00.000Z' }),
    ]);
    const later = await imported(fileOf(ages['December 2025']!('/srv/git/shop')));
    expect(ofKind(later, 'session')).toEqual([expect.objectContaining({ executor: 'CODEX', variant: 'HIGH' })]);
  });
});

it('a database that is written meanwhile is read with what its log holds', async () => {
  const file = fileOf(ages['June 2025']!('/srv/git/shop'));
  const writer = new sqlite.Database(file);
  const log = 'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;';
  writer.exec(`${log} UPDATE tasks SET title = 'Told late'`);
  const found = await imported(file);
  writer.close();
  expect(ofKind(found, 'task')).toEqual([expect.objectContaining({ title: 'Told late' })]);
});

describe('workspaces without a task', () => {
  const workspaces = (project: string) => `
    ${ages['December 2025']!('/srv/git/shop')}
    DROP TABLE task_attempts; DROP TABLE attempt_repos; ${project}
    CREATE TABLE workspaces (
      id BLOB PRIMARY KEY, task_id BLOB, branch TEXT, name TEXT, archived INTEGER, updated_at TEXT
    );
    INSERT INTO workspaces VALUES (x'3333', NULL, 'vk-loose', 'Loose ends', 1, '2026-03-01 10:00:00');
    INSERT INTO workspaces VALUES (x'3334', NULL, 'vk-homeless', NULL, 0, NULL);
    CREATE TABLE workspace_repos (workspace_id BLOB, repo_id BLOB, target_branch TEXT);
    INSERT INTO workspace_repos VALUES (x'3333', x'77777777777747778777777777777777', 'main');
  `;
  it.each([
    ['in the project of their repository', '', 'Old shop'],
    ['in a project of their repository, where it is in none', 'DELETE FROM project_repos;', 'shop'],
  ])('become tasks of their name, %s', async (_, change, project) => {
    const found = await imported(fileOf(workspaces(change)));
    expect(ofKind(found, 'task').filter(({ external_id }) => external_id !== TASK)).toEqual([
      expect.objectContaining({ title: 'Loose ends', stage: 'INIT', archived_at: '2026-03-01T10:00:00.000Z' }),
    ]);
    expect(ofKind(found, 'attempt')).toEqual([
      expect.objectContaining({ task: { external_id: '3333' }, branch: 'vk-loose' }),
    ]);
    expect(ofKind(found, 'project')).toContainEqual(expect.objectContaining({ name: project }));
    expect(found.homeless).toBe(1);
  });
});

it('what is no database of Vibe Kanban is refused', () => {
  expect(() => SourceDatabase.open(import.meta.filename)).toThrow(/is no database of Vibe Kanban/);
  expect(() => SourceDatabase.open('/nowhere/db.sqlite')).toThrow(/there is no file/);
  const other = fileOf('CREATE TABLE projects (id)');
  expect(() => SourceDatabase.open(other)).toThrow(/is no database of Vibe Kanban/);
});
