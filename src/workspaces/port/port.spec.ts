import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { PortProcess } from '../../../test/support/port-process.js';
import { WorkspaceSandbox, wideGuard } from '../../../test/support/workspace-sandbox.js';
import type { Workspace } from '../workspace-host.js';
import { PortClient } from './port-client.js';
import { portBy } from './port-methods.js';

const SECRET = 'a secret that both ends of the cluster know';
const GUARD = { guard: wideGuard, force: false };

/** The home of an attempt, asked by another process. */
describe('the workspace port', () => {
  let box: WorkspaceSandbox;
  let home: PortProcess;
  let workspace: Workspace;
  const clients: PortClient[] = [];
  const servers: Server[] = [];

  beforeAll(async () => {
    box = new WorkspaceSandbox();
    workspace = await box.prepared(box.repository('app'));
    box.tree(workspace).write({ 'readme.md': 'changed\n' });
    home = await PortProcess.start(box.dataDir, SECRET, 'runner-1');
  });
  afterEach(() => {
    clients.splice(0).forEach((client) => client.close());
    servers.splice(0).forEach((server) => server.close());
  });
  afterAll(async () => {
    await home.end();
    box.remove();
  });

  type Remote = {
    address?: string;
    runner_id?: string;
    secret?: string;
    limits?: { silenceMs: number; timeoutMs?: number };
  };
  const remote = ({ address = home.address, runner_id = 'runner-1', secret = SECRET, limits }: Remote = {}) => {
    const client = new PortClient(secret, limits);
    clients.push(client);
    return portBy((method, args) => client.call({ runner_id, address }, method, args));
  };
  const unavailable = (reason: RegExp) => ({
    code: 'workspace_unavailable',
    details: { reason: expect.stringMatching(reason) as unknown },
  });
  const listening = async (server: Server) => {
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const answering = (answer: (response: ServerResponse) => void) =>
    listening(
      createServer((request, response) => {
        request.resume();
        response.on('error', () => undefined);
        answer(response);
      }),
    );

  it('answers what the home itself answers', async () => {
    const tree = box.tree(workspace);
    tree.write({ 'src/ä b.txt': 'new\n'.repeat(10) });
    tree.write({ 'large.txt': `${'€𝄞x'.repeat(60_000)}\n` });
    const [near, far] = [box.host, remote()];
    const file = { path: 'app/large.txt', start: 0, max_bytes: 500_000 };
    const patch = { paths: ['app'], max_bytes: 2_000_000, ...GUARD };
    expect(await far.changes(workspace, GUARD)).toEqual(await near.changes(workspace, GUARD));
    expect(await far.file(workspace, file)).toEqual(await near.file(workspace, file));
    expect((await far.patch(workspace, patch)).bytes).toBeGreaterThan(400_000);
    expect(await far.patch(workspace, patch)).toEqual(await near.patch(workspace, patch));
    expect(await far.standing(workspace)).toEqual(await near.standing(workspace));
    expect(await far.isDirty(workspace)).toBe(true);
    expect(await far.branches(workspace.repos[0]!.repo_path, 5)).toEqual(['main', workspace.branch]);
  });

  it('works on the worktrees: commits, updates, renames and removes', async () => {
    const far = remote();
    const workspace = await box.prepared(box.repository('other'));
    box.tree(workspace).write({ 'a.txt': 'work\n' });
    expect(Object.keys(await far.commit(workspace, 'Work'))).toEqual(['other']);
    expect(await far.updateBranch(workspace, { repo_name: 'other', method: 'merge', message: 'Work' })).toMatchObject({
      outcome: 'up_to_date',
    });
    await far.renameBranch(workspace, 'feature/renamed');
    const renamed = { ...workspace, branch: 'feature/renamed' };
    await expect(far.dispose(renamed, { deleteBranch: false })).resolves.toBeUndefined();
    await expect(far.changes(renamed, GUARD)).rejects.toMatchObject({
      code: 'workspace_lost',
      details: { workspace_branch: 'feature/renamed', reason: 'the folder of other is gone' },
    });
    expect(Object.keys(await far.prepare(renamed))).toEqual(['other']);
  });

  it('passes refusals through as they were thrown', async () => {
    const far = remote();
    const missing = far.file(workspace, { path: 'app/none.txt', start: 0, max_bytes: 10 });
    await expect(missing).rejects.toMatchObject({ code: 'file_not_found', details: { path: 'app/none.txt' } });
    await expect(far.inspect('/nowhere')).rejects.toMatchObject({ code: 'repo_invalid', row: { status: 400 } });
  });

  it('refuses another secret, and says where to look', async () => {
    await expect(remote({ secret: 'another' }).isDirty(workspace)).rejects.toMatchObject(unavailable(/CLUSTER_SECRET/));
  });

  it('refuses a request that is meant for another runner', async () => {
    const wrong = remote({ runner_id: 'runner-2' }).isDirty(workspace);
    await expect(wrong).rejects.toMatchObject(unavailable(/another runner has this address/));
  });

  it.each([3_600_000, -86_400_000])('works with a clock that is %d ms ahead', async (aheadMs) => {
    const skewed = await PortProcess.start(box.dataDir, SECRET, 'runner-3', aheadMs);
    try {
      const far = remote({ address: skewed.address, runner_id: 'runner-3' });
      expect(await far.isDirty(workspace)).toBe(true);
      expect(await far.isDirty(workspace)).toBe(true);
    } finally {
      await skewed.end();
    }
  });

  it('answers a request once: what was overheard opens nothing', async () => {
    const overheard: { headers: Record<string, string>; url: string; body: string }[] = [];
    const listener = await listening(
      createServer((request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          overheard.push({ headers: request.headers as Record<string, string>, url: request.url!, body });
          response.destroy();
        });
      }),
    );
    await expect(remote({ address: listener }).isDirty(workspace)).rejects.toMatchObject(unavailable(/no connection/));
    const [{ headers, url, body }] = overheard as [(typeof overheard)[0]];
    expect(JSON.stringify(overheard)).not.toContain(SECRET);
    const send = (change: { body?: string; url?: string; headers?: Record<string, string> } = {}) => {
      const others = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('taskyard-')));
      return fetch(`http://${home.address}${change.url ?? url}`, {
        method: 'POST',
        headers: { ...others, ...change.headers },
        body: change.body ?? body,
      }).then((response) => response.status);
    };
    expect(await send({ body: body.replace('app', 'apx') })).toBe(401);
    expect(await send({ url: url.replace('isDirty', 'changes') })).toBe(401);
    expect(await send({ headers: { 'taskyard-time': String(Date.now() + 1) } })).toBe(401);
    expect(await send()).toBe(200);
    expect(await send()).toBe(401);
  });

  it.each([
    ['/workspaces/1/isDirty', 426],
    ['/workspaces/2/constructor', 404],
    ['/', 404],
  ])('answers %s with %d', async (url, status) => {
    expect((await fetch(`http://${home.address}${url}`, { method: 'POST', body: '[]' })).status).toBe(status);
  });

  it('takes no endless request', async () => {
    const body = 'x'.repeat(5 * 1024 * 1024);
    const sent = fetch(`http://${home.address}/workspaces/2/isDirty`, { method: 'POST', body });
    const answer = await sent.then(
      ({ status }) => status,
      () => 'cut',
    );
    expect([401, 'cut']).toContain(answer);
    expect(await remote().isDirty(workspace)).toBe(true);
  });

  it('gives up on a runner that hangs, and goes on with one that wakes', async () => {
    home.signal('SIGSTOP');
    const far = remote({ limits: { silenceMs: 300 } });
    await expect(far.isDirty(workspace)).rejects.toMatchObject(unavailable(/it is silent/));
    home.signal('SIGCONT');
    expect(await remote().isDirty(workspace)).toBe(true);
  });

  it('gives up on one that is gone, or cuts the answer short', async () => {
    const gone = await listening(createTcpServer((socket) => socket.destroy()));
    await expect(remote({ address: gone }).isDirty(workspace)).rejects.toMatchObject(unavailable(/ECONNRESET/));
    await new Promise((resolve) => servers.pop()!.close(resolve));
    await expect(remote({ address: gone }).isDirty(workspace)).rejects.toMatchObject(unavailable(/ECONNREFUSED/));
    const cutting = await answering((response) => {
      response.write('{"result":');
      setTimeout(() => response.destroy(), 50);
    });
    await expect(remote({ address: cutting }).isDirty(workspace)).rejects.toMatchObject(unavailable(/./));
    const short = await answering((response) => response.end('{"result":false,"text_bytes":0}\n'));
    await expect(remote({ address: short }).isDirty(workspace)).rejects.toMatchObject(unavailable(/cut short/));
  });

  it('believes nobody without the secret', async () => {
    const lying = await answering((response) => response.end(`{"result":false,"text_bytes":0}\n${'0'.repeat(64)}`));
    await expect(remote({ address: lying }).isDirty(workspace)).rejects.toMatchObject(unavailable(/not signed/));
    const late = await answering((response) => {
      response.writeHead(401, { 'taskyard-time': '5', 'taskyard-time-signature': '0'.repeat(64) });
      response.end('no');
    });
    await expect(remote({ address: late }).isDirty(workspace)).rejects.toMatchObject(unavailable(/refused with 401/));
  });

  it('is not flooded: by an endless line, by more than was announced, by endless signs of life', async () => {
    const flooding = (text: string, first = '') =>
      answering((response) => {
        response.write(first);
        const chunk = Buffer.from(text.repeat(1024 * 1024));
        const pour = () => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on('drain', pour);
        pour();
      });
    const line = await flooding('x');
    await expect(remote({ address: line }).isDirty(workspace)).rejects.toMatchObject(unavailable(/too large/));
    const more = await flooding('x', '{"result":false,"text_bytes":0}\n');
    await expect(remote({ address: more }).isDirty(workspace)).rejects.toMatchObject(unavailable(/more than it/));
    const announced = await answering((response) => response.end('{"text_bytes":99999999999}\n'));
    await expect(remote({ address: announced }).isDirty(workspace)).rejects.toMatchObject(unavailable(/too large/));
    const beats = await answering((response) => void setInterval(() => response.write('\n'), 20).unref());
    const limited = remote({ address: beats, limits: { silenceMs: 10_000, timeoutMs: 500 } });
    await expect(limited.isDirty(workspace)).rejects.toMatchObject(unavailable(/takes too long/));
  });

  it('opens a connection again that has broken while it rested', async () => {
    const sockets = new Set<ReturnType<typeof connect>>();
    const [host, port] = home.address.split(':') as [string, string];
    const line = await listening(
      createTcpServer((near) => {
        const far = connect(Number(port), host);
        sockets.add(near);
        near.pipe(far).pipe(near);
        near.on('error', () => far.destroy());
        far.on('error', () => near.destroy());
      }),
    );
    const far = remote({ address: line });
    expect(await far.isDirty(workspace)).toBe(true);
    sockets.forEach((socket) => socket.destroy());
    expect(await far.isDirty(workspace)).toBe(true);
    sockets.forEach((socket) => socket.destroy());
  });
});
