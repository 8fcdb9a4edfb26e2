import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  allRawLines,
  givenAttempt,
  givenEndedAttempt,
  givenProject,
  givenTask,
  untilEnded,
} from '../../support/board.js';
import { eventually } from '../../support/eventually.js';
import { InProcessServer } from '../../support/in-process-server.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { ParentProxy } from '../../support/parent-proxy.js';

/** Every name exists behind it, so nothing here depends on the network of the machine. */
let parent: ParentProxy;
let server: InProcessServer;
let client: McpClient;
beforeAll(async () => {
  parent = await ParentProxy.start();
  server = await InProcessServer.start({ RUN_NETWORK: 'auto', EGRESS_PROXY: parent.url });
  client = await server.mcp();
});
afterAll(async () => {
  await server.stop();
  parent.stop();
});

/** A script that says what each URL answers. */
const fetching = (...urls: string[]) =>
  [
    ...urls.map(
      (url) => `echo "${url} -> $(curl -s -p --noproxy "" -m 10 -w ' [%{http_code} %{http_connect}]' ${url})"`,
    ),
  ].join('\n');
const linesOf = async (attempt: Json) => allRawLines(client, attempt.attempt_id as string);
const networkOf = (attempt: Json) => server.rest.does('GET', `/api/attempts/${attempt.attempt_id as string}/network`);
const given = async (settings: object, more: object = {}) => {
  const { project_id } = await givenProject(server, more);
  await server.rest.does('PUT', `/api/projects/${project_id}`, settings);
  return project_id;
};

describe('a run with a list of hosts', () => {
  it('reaches what is listed and nothing else, and what it wanted beyond that is shown', async () => {
    const project_id = await given({ network: 'listed', allowed_hosts: ['a.example', '*.b.example:8080'] });
    const attempt = await givenEndedAttempt(
      client,
      project_id,
      fetching('http://a.example/x', 'http://c.b.example:8080/', 'http://b.example:8080/', 'http://no.example/'),
    );
    const lines = await linesOf(attempt);
    expect(lines[0]).toMatch(/a\.example\/x -> GET a\.example\/x \[200 200\]/);
    expect(lines[1]).toMatch(/-> GET c\.b\.example:8080\/ \[200 200\]/);
    expect(await networkOf(attempt)).toMatchObject({
      network: 'listed',
      reason: null,
      allowed: ['a.example', '*.b.example:8080'],
      denials: [
        { host: 'b.example', port: 8080, count: 1 },
        { host: 'no.example', port: 80, count: 1 },
      ],
    });
  });

  it('has no other network: no address, no name server, no socket of the machine', async () => {
    const project_id = await given({ network: 'listed', allowed_hosts: ['localhost', '127.0.0.1'] });
    const port = new URL(server.url).port;
    const script = [
      `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo reached the server`,
      '(exec 3<>/dev/tcp/192.0.2.1/80) 2>/dev/null && echo reached an address',
      '(echo x >/dev/udp/192.0.2.1/53) 2>/dev/null && echo reached a name server',
      'test "$(wc -l < /proc/net/route)" -gt 1 && echo has a route',
      'test -s /etc/resolv.conf && echo has a resolver',
      'grep -q @ /proc/net/unix && echo sees abstract sockets',
      fetching(`http://127.0.0.1:${port}/health/live`, `http://localhost:${port}/metrics`),
    ];
    const lines = await linesOf(await givenEndedAttempt(client, project_id, script.join('\n')));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('[000 403]');
    expect(lines[1]).toContain('[000 403]');
  });

  it('finds nothing that opens when its relay is gone', async () => {
    const project_id = await given({ network: 'listed', allowed_hosts: ['a.example'] });
    const script = [
      fetching('http://a.example/'),
      'pkill -9 -f "[r]elay.mjs"; while (exec 3<>/dev/tcp/127.0.0.1/3128) 2>/dev/null; do sleep 0.05; done',
      'curl -s -m 2 http://a.example/ || echo "curl $?"',
    ];
    const lines = await linesOf(await givenEndedAttempt(client, project_id, script.join('\n')));
    expect(lines).toEqual([expect.stringContaining('[200 200]'), 'curl 7']);
  });

  it('has a relay that knows nothing of its environment', async () => {
    const project_id = await given({ network: 'listed' });
    const script = 'wc -c < "/proc/$(pgrep -f "^[^ ]+ [^ ]*/relay.mjs")/environ"';
    expect(await linesOf(await givenEndedAttempt(client, project_id, script))).toEqual(['0']);
  });

  it('has its way out until it has ended, also when it is stopped', async () => {
    const project_id = await given({ network: 'listed', allowed_hosts: ['a.example'] });
    const say = 'curl -s -S -p -m 5 http://a.example/last-words';
    const script = `trap '' TERM; trap '${say}; exit' INT; echo up; sleep 60 & wait`;
    const { attempt_id } = await givenAttempt(client, project_id, script);
    await eventually('the script', async () => (await linesOf({ attempt_id })).includes('up'));
    await client.call('stop_attempt', { attempt_id });
    await untilEnded(client, attempt_id as string);
    expect(await linesOf({ attempt_id })).toEqual(['up', 'GET a.example/last-words']);
  });

  it('is told the list in its environment', async () => {
    const allowed_hosts = ['A.example.', 'a.example'];
    const project_id = await given({ network: 'listed', allowed_hosts, presets: ['crates'] });
    const say = 'echo "$TASKYARD_NETWORK $TASKYARD_ALLOWED_HOSTS $HTTPS_PROXY $no_proxy"';
    const lines = await linesOf(await givenEndedAttempt(client, project_id, say));
    expect(lines).toEqual([
      'listed crates.io,index.crates.io,static.crates.io,a.example http://127.0.0.1:3128 localhost,127.0.0.1,::1',
    ]);
  });

  it('shares it with its setup script', async () => {
    const setup_script = `${fetching('http://no.example/', 'http://a.example/')}`;
    const project_id = await given({ network: 'listed', allowed_hosts: ['a.example'] }, { setup_script });
    const lines = await linesOf(await givenEndedAttempt(client, project_id, 'true'));
    expect(lines.filter((line) => line.includes('->'))).toEqual([
      expect.stringContaining('403]'),
      expect.stringContaining('[200 200]'),
    ]);
  });
});

describe('a run', () => {
  it('with an open network reaches public hosts by the proxy, and what a list would refuse is counted', async () => {
    const project_id = await given({});
    const port = new URL(server.url).port;
    const urls = [
      'http://any.example/',
      `http://127.0.0.1:${port}/metrics`,
      'http://169.254.169.254/',
      'http://10.0.0.1/',
    ];
    const attempt = await givenEndedAttempt(client, project_id, fetching(...urls));
    const lines = await linesOf(attempt);
    expect(lines.map((line) => line.slice(-9))).toEqual(['[200 200]', '[000 403]', '[000 403]', '[000 403]']);
    const network = await networkOf(attempt);
    expect(network).toMatchObject({ network: 'open', reason: expect.stringContaining('proxy') });
    expect(network.denials).toContainEqual(expect.objectContaining({ host: 'any.example', port: 80, count: 1 }));
  });

  it('without a network is told so', async () => {
    const project_id = await given({ network: 'none', allowed_hosts: ['a.example'] });
    const attempt = await givenEndedAttempt(client, project_id, fetching('http://a.example/'));
    expect(await linesOf(attempt)).toEqual([expect.stringContaining('403]')]);
    expect(await networkOf(attempt)).toMatchObject({ network: 'none', allowed: [] });
  });

  it('goes by the proxy of the company with its login', () => {
    expect(parent.requests).toContain('CONNECT a.example:80 user:pass word');
    expect(parent.requests.filter((line) => /no\.example|127\.0\.0\.1|169\.254/.test(line))).toEqual([]);
  });
});

describe('what decides where runs go and what they reach', () => {
  it('takes rules and presets that there are, and says which others are wrong', async () => {
    const { project_id } = await givenProject(server);
    const put = (body: object) => server.rest.answers(400, 'PUT', `/api/projects/${project_id}`, body);
    expect(await put({ allowed_hosts: ['https://a.example'] })).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('"https://a.example" is not host, *.host or host:port'),
    });
    expect(await put({ presets: ['nmp'] })).toMatchObject({
      message: expect.stringContaining('there are model, forge, npm'),
    });
  });

  it('is changed by maintainers, not by members, who may change the rest', async () => {
    const owner = server.rest.as('network-owner');
    const { project_id } = await owner.does('POST', '/api/projects', { name: 'Walled' });
    const place = `/api/projects/${project_id as string}`;
    const member = server.rest.as('@network-member');
    await member.get('/api/projects');
    await server.rest.does('POST', '/api/workers', { handle: '@network-member', name: 'Member', type: 'human' });
    await owner.does('POST', `${place}/members`, { handle: '@network-member' });
    expect(await member.answers(403, 'PUT', place, { network: 'none' })).toMatchObject({ code: 'forbidden' });
    expect(await member.answers(403, 'PUT', place, { allowed_hosts: ['a.example'] })).toMatchObject({
      code: 'forbidden',
    });
    expect(await member.answers(403, 'PUT', place, { runs_on: ['gpu'] })).toMatchObject({ code: 'forbidden' });
    const { dir: path } = server.repositories.repository('labelled');
    expect(await member.answers(403, 'POST', `${place}/repos`, { path, runs_on: ['gpu'] })).toMatchObject({
      code: 'forbidden',
    });
    await member.does('PUT', place, { description: 'Theirs.', network: 'open', presets: ['model'] });
    await owner.does('PUT', place, { network: 'none' });
  });

  it('is refused by name where there are no walls to keep it', async () => {
    const bare = await InProcessServer.start({ ISOLATION: 'none', RUN_NETWORK: 'auto' });
    try {
      const { project_id } = await givenProject(bare);
      await bare.rest.does('PUT', `/api/projects/${project_id}`, { network: 'listed' });
      const task_id = await givenTask(await bare.mcp(), project_id);
      const refused = await (await bare.mcp()).refused('start_task_attempt', { task_id, executor: 'SHELL' });
      expect(refused).toMatchObject({ code: 'network_unavailable', retryable: true });
      expect(refused.message).toContain('ISOLATION=none');
      const { network, network_reason } = await bare.rest.does('GET', '/api/executors');
      expect([network, network_reason]).toEqual(['host', 'runs have no walls: ISOLATION=none']);
    } finally {
      await bare.stop();
    }
  });
});
