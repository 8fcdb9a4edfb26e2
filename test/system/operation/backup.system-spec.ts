import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { BackupGround, rowsIn, withManifest } from '../../support/backup-ground.js';
import { givenProject, givenTask } from '../../support/board.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { tokenOf } from '../../support/local-tokens.js';
import { Program } from '../../support/program.js';
import { CLUSTER_SECRET, TestServer } from '../../support/server.js';

const WRITERS = ['a', 'b', 'c', 'd'];

describe('taskyard backup and restore', () => {
  const ground = new BackupGround();
  const server = TestServer.use({ CLUSTER_SECRET });
  const whole = ground.file('whole.tar.gz');
  let project_id: string;
  let target: TestDatabase;

  const backupSettings = () => ({ TASKYARD_URL: server.url, TASKYARD_TOKEN: tokenOf(server.url) ?? '' });
  const backUp = (file: string) => ground.types(['backup', file], backupSettings());
  const here = (more: Record<string, string> = {}) => ({
    ...{ DATA_DIR: ground.file('place'), DATABASE_URL: target.url, CLUSTER_SECRET },
    ...more,
  });
  const restore = (file: string, more?: Record<string, string>) => ground.types(['restore', file], here(more));

  beforeAll(async () => {
    ({ project_id } = await givenProject(server));
    await givenTask(await server.mcp(), project_id, 'true', 'kept');
    expect(await backUp(whole)).toMatchObject({ code: 0, stderr: '' });
  });
  beforeEach(async () => {
    target = await createTestDatabase();
  });
  afterEach(() => target.drop());
  afterAll(() => ground.remove());

  it('fills an empty place, in which numbers go on', async () => {
    expect(statSync(whole).mode & 0o777).toBe(0o600);
    expect(await restore(whole)).toMatchObject({ code: 0, stderr: '  next: taskyard serve\n' });
    const rows = 'SELECT id, title, number FROM tasks ORDER BY number';
    expect(await rowsIn(target.url, rows)).toEqual(await server.query(rows));
    const [next] = await rowsIn(target.url, "SELECT nextval(pg_get_serial_sequence('tasks', 'number')) AS number");
    expect(Number(next!.number)).toBeGreaterThan(Number((await rowsIn(target.url, rows))[0]!.number));
    const enabled = "SELECT 1 FROM pg_trigger WHERE tgenabled = 'D'";
    expect(await rowsIn(target.url, enabled)).toEqual([]);
  });

  it('tells where CLUSTER_SECRET differs, and never writes it', async () => {
    const { code, stderr } = await restore(whole, { CLUSTER_SECRET: 'another-secret-of-more-than-32-characters' });
    expect([code, stderr]).toEqual([0, expect.stringContaining('CLUSTER_SECRET differs')]);
    const copy = ground.file('inside');
    mkdirSync(copy);
    writeFileSync(`${copy}/whole.tar`, await withManifest(whole, (manifest) => manifest));
    expect(readFileSync(`${copy}/whole.tar`).includes(CLUSTER_SECRET)).toBe(false);
  });

  it('refuses a place with rows, and touches none', async () => {
    expect(await restore(whole)).toMatchObject({ code: 0 });
    expect(await restore(whole)).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') });
    expect(await rowsIn(target.url, 'SELECT title FROM tasks')).toEqual([{ title: 'kept' }]);
    const { code, stderr } = await ground.types(['restore', whole], { DATA_DIR: server.environment.DATA_DIR });
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not empty')]);
  });

  it('refuses what is cut, changed, or no backup, before it touches anything', async () => {
    const bytes = readFileSync(whole);
    const damaged = Buffer.from(bytes);
    damaged[bytes.length >> 1]! ^= 0xff;
    const files = { cut: bytes.subarray(0, -9), half: bytes.subarray(0, bytes.length >> 1), damaged, empty: '' };
    for (const [name, content] of Object.entries({ ...files, else: gzipSync('else'), text: 'text' })) {
      writeFileSync(ground.file(name), content);
      const refused = await restore(ground.file(name));
      expect([name, refused.code, refused.stderr]).toEqual([name, 1, expect.stringMatching(/is no (whole )?backup/)]);
    }
    expect(await rowsIn(target.url, 'SELECT 1 FROM projects')).toEqual([]);
  });

  it('refuses another version, schema and format', async () => {
    const others = { version: '0.9.0', schema: 'CreateMore1999999999999', format: 2 };
    for (const [name, value] of Object.entries(others)) {
      writeFileSync(ground.file(name), await withManifest(whole, (manifest) => ({ ...manifest, [name]: value })));
      const { code, stderr } = await restore(ground.file(name));
      expect([code, stderr]).toEqual([1, expect.stringContaining(String(value))]);
    }
  });

  it('under load holds what each writer has written until one moment', async () => {
    let isOver = false;
    const write = async (writer: string) => {
      const client = await server.mcp();
      for (let at = 1; !isOver; at += 1) await givenTask(client, project_id, 'true', `${writer} ${at}`);
    };
    const writing = WRITERS.map(write);
    const file = ground.file('load.tar.gz');
    await eventually('tasks of each', async () => {
      const [row] = await server.query<{ count: string }>("SELECT count(*) FROM tasks WHERE title LIKE '% 3'");
      return Number(row!.count) === WRITERS.length || undefined;
    });
    const backed = await backUp(file);
    isOver = true;
    await Promise.all(writing);
    expect(backed).toMatchObject({ code: 0 });
    expect(await restore(file)).toMatchObject({ code: 0 });
    for (const writer of WRITERS) {
      const rows = await rowsIn(target.url, `SELECT title FROM tasks WHERE title LIKE '${writer} %' ORDER BY number`);
      expect(rows.length).toBeGreaterThan(2);
      expect(rows.map(({ title }) => title)).toEqual(rows.map((_, at) => `${writer} ${at + 1}`));
    }
  });

  it('leaves nothing where it is interrupted', async () => {
    const folder = ground.file('interrupted');
    mkdirSync(folder);
    const lock = new pg.Client({ connectionString: server.database.url });
    await lock.connect();
    await lock.query('BEGIN; LOCK TABLE webhook_bodies IN ACCESS EXCLUSIVE MODE');
    const program = Program.start('cli', ['backup', `${folder}/it.tar.gz`], backupSettings());
    await eventually('the first bytes', () => Promise.resolve(readdirSync(folder).length > 0 || undefined));
    expect(await program.end('SIGINT')).toBe(130);
    expect(program.stderr).toContain('interrupted');
    expect(readdirSync(folder)).toEqual([]);
    await lock.end();
  });

  it('is for admins, and for none of some projects alone', async () => {
    const grants = { admin: { scopes: ['write'] }, forbidden: { scopes: ['admin'], project_ids: [project_id] } };
    for (const [name, grant] of Object.entries(grants)) {
      const { token } = await server.rest.does('POST', '/api/tokens', { name, ...grant });
      const settings = { TASKYARD_URL: server.url, TASKYARD_TOKEN: token as string };
      const { code, stderr } = await ground.types(['backup', ground.file('none')], settings);
      expect([code, stderr]).toEqual([1, expect.stringMatching(name === 'admin' ? /scope admin/ : /every project/)]);
    }
    expect(existsSync(ground.file('none'))).toBe(false);
  });

  it('says what to type where no server is, and refuses what a server uses', async () => {
    const gone = await ground.types(['backup', 'it.tar.gz'], { TASKYARD_URL: 'http://127.0.0.1:1' });
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('taskyard backup --offline it.tar.gz')]);
    const used = { DATA_DIR: ground.file('place'), DATABASE_URL: server.database.url, CLUSTER_SECRET };
    const live = await ground.types(['backup', '--offline', 'it.tar.gz'], used);
    expect([live.code, live.stderr]).toEqual([1, expect.stringContaining('stop it')]);
  });
});
