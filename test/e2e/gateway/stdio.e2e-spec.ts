import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { toolsets } from '../../../src/toolsets/toolsets.js';
import { givenEndedAttempt, givenProject, givenTask, type Project, untilEnded } from '../../support/board.js';
import { OidcProvider } from '../../support/oidc-provider.js';
import { type Json, McpClient } from '../../support/mcp-client.js';
import { Program, programEnvironment, programFile } from '../../support/program.js';
import { RestClient } from '../../support/rest-client.js';
import { modernMeta, sendLegacy, sendModern } from '../../support/rpc.js';
import { TestServer } from '../../support/server.js';

const TOKEN = 'stdio-token';
const authorized = { authorization: `Bearer ${TOKEN}` };
let server: TestServer;
let direct: McpClient;
let project: Project;
beforeAll(async () => {
  server = await TestServer.start({ TASKFLOW_SERVICE_TOKEN: TOKEN });
  direct = await McpClient.connect(`${server.url}/mcp`, authorized);
});
afterAll(async () => {
  await direct.close();
  await server.stop();
});

const settings = () => ({ TASKFLOW_API_URL: server.url, TASKFLOW_SERVICE_TOKEN: TOKEN });
const start = (args: string[], more: Record<string, string> = {}) =>
  Program.start('cli', args, { ...settings(), ...more });
const request = (id: number, method: string, params: Json = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const messagesOf = (program: Program) =>
  program.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);

/** Everything a program answers to these lines, when it has read all of them. */
async function answersTo(lines: string, args: string[] = [], more: Record<string, string> = {}): Promise<Json[]> {
  const program = start(['mcp', '--stdio', ...args], more);
  program.child.stdin.end(lines);
  expect(await program.ended).toBe(0);
  expect(program.stderr).toBe('');
  return messagesOf(program).sort((a, b) => (a.id as number) - (b.id as number));
}

describe('taskyard mcp --stdio', () => {
  it('walks the loop with the client of the SDK', async () => {
    project = await givenProject({ rest: new RestClient(server.url, authorized), repositories: server.repositories });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [programFile('cli'), 'mcp', '--stdio'],
      env: programEnvironment(settings()),
      stderr: 'pipe',
    });
    const client = await McpClient.over(transport);
    const task_id = await givenTask(client, project.project_id, 'echo hello > greeting.txt\necho done');
    const { attempt_id } = await client.call('start_task_attempt', { task_id, executor: 'SHELL' });
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({ state: 'completed', final_message: 'done' });
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'sleep 60' });
    expect(await client.call('stop_attempt', { attempt_id })).toMatchObject({ stopped: true });
    expect(await client.refused('get_task', { task_id: attempt_id })).toEqual(
      await direct.refused('get_task', { task_id: attempt_id }),
    );
    await client.close();
  });

  it.each([
    ['all tools', [], ''],
    ['the oneof profile', ['--schema', 'oneof'], '?schema=oneof'],
    [
      'the flat profile, read only',
      ['--schema=flat', '--readonly', '--toolset', 'kanban'],
      '?schema=flat&readonly=true',
    ],
  ])('shows the tools as the server does, in both eras: %s', async (_, args, query) => {
    const [legacy, modern] = await answersTo(
      request(1, 'tools/list') + request(2, 'tools/list', { _meta: modernMeta }),
      args,
    );
    expect(legacy).toEqual(
      JSON.parse((await sendLegacy(`${server.url}/mcp${query}`, 'tools/list', {}, authorized)).text),
    );
    expect({ ...modern, id: 1 }).toEqual(
      JSON.parse((await sendModern(`${server.url}/mcp${query}`, 'tools/list', {}, authorized)).text),
    );
  });

  it('answers calls and resources of the revision of 2026, whatever their names hold', async () => {
    const call = (id: number, name: string) => request(id, 'tools/call', { name, _meta: modernMeta });
    const answers = await answersTo(
      call(1, 'list_projects') +
        call(2, ' Namé =?base64?eA==?=') +
        request(3, 'resources/read', { uri: 'taskyard://nothing', _meta: modernMeta }) +
        request(4, 'tools/list', { _meta: { ...modernMeta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } }),
    );
    expect(answers).toMatchObject([
      { result: { resultType: 'complete', structuredContent: { projects: expect.any(Array) } } },
      { error: { code: -32602, data: { code: 'tool_unknown' } } },
      { error: { code: -32602 } },
      { error: { code: -32022 } },
    ]);
  });

  it('is bound to an attempt', async () => {
    const { attempt_id } = await givenEndedAttempt(direct, project.project_id);
    const answers = await answersTo(request(1, 'tools/call', { name: 'get_context', arguments: {} }), [
      '--attempt-id',
      attempt_id as string,
    ]);
    expect(answers[0]!.result.structuredContent).toMatchObject({ attempt_id });
  });

  it('answers a bad line with a parse error and goes on', async () => {
    const program = start(['mcp', '--stdio']);
    program.child.stdin.end(
      `{"jsonrpc":\n\n  \r\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n[]\n"text"\n\u2028\n` +
        `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"text":"\u2028\u2029\u0085"}}`,
    );
    expect(await program.ended).toBe(0);
    expect(messagesOf(program)).toEqual([
      {
        jsonrpc: '2.0',
        id: null,
        error: {
          code: -32700,
          message: expect.any(String),
          data: expect.objectContaining({ code: 'malformed_body', hint: expect.stringContaining('a line') }),
        },
      },
      ...[-32600, -32600].map((code) => ({ jsonrpc: '2.0', id: null, error: { code, message: expect.any(String) } })),
      { jsonrpc: '2.0', id: 7, result: {} },
    ]);
  });

  it('carries messages of any size, cut anywhere', async () => {
    const description = 'Grüße 😀 '.repeat(100_000);
    const program = start(['mcp', '--stdio']);
    const bytes = Buffer.from(
      request(1, 'tools/call', {
        name: 'create_task',
        arguments: { project_id: project.project_id, title: 'Large', description },
      }),
    );
    for (let at = 0; at < bytes.length; at += 65_537) program.child.stdin.write(bytes.subarray(at, at + 65_537));
    program.child.stdin.end();
    expect(await program.ended).toBe(0);
    const { task_id } = messagesOf(program)[0]!.result.structuredContent;
    expect((await direct.call('get_task', { task_id })).task.description).toBe(description);
  });

  it('says so where the server is away, and logs only on standard error', async () => {
    const program = start(['mcp', '--stdio'], { TASKFLOW_API_URL: 'http://127.0.0.1:1' });
    program.child.stdin.end(request(1, 'tools/call', { name: 'list_projects' }) + request(2, 'ping'));
    expect(await program.ended).toBe(0);
    expect(messagesOf(program)).toMatchObject([
      { id: 2, result: {} },
      { id: 1, result: { isError: true, structuredContent: { code: 'api_unavailable', retryable: true } } },
    ]);
    const log = program.stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Json);
    expect(log).toMatchObject([
      { level: 'warn', api: 'http://127.0.0.1:1', msg: 'the API does not respond', err: { code: 'ECONNREFUSED' } },
    ]);
  });

  it('ends quietly when nobody reads any more', async () => {
    const program = start(['mcp', '--stdio']);
    program.child.stdin.write(request(1, 'ping'));
    await program.says(/"id":1/);
    program.child.stdout.destroy();
    program.child.stdin.write(request(2, 'tools/list'));
    expect([await program.ended, program.stderr]).toEqual([0, '']);
  });

  it.each([
    [['mcp'], 'expected the command "mcp --stdio"'],
    [['mcp', '--stdio', '--colour'], "Unknown option '--colour'"],
    [['mcp', '--stdio', 'more'], 'expected the command "mcp --stdio"'],
    [
      ['mcp', '--stdio', '--toolset', 'nothing'],
      `unknown toolset nothing, expected one of ${toolsets.map(({ id }) => id).join(', ')}`,
    ],
    [['mcp', '--stdio', '--schema', 'strict'], 'Schema profile strict does not exist'],
    [['mcp', '--stdio', '--attempt-id', '17'], 'attempt_id must be a UUID'],
    [['mcp', '--stdio', '--readonly=yes'], "Option '--readonly' does not take an argument"],
  ])('refuses the arguments %j in one line', async (args, problem) => {
    const program = start(args);
    expect([await program.ended, program.stdout]).toEqual([2, '']);
    expect(program.stderr).toContain(problem);
    expect(program.stderr).toMatch(/^taskyard: .*; usage: taskyard mcp --stdio .*\n$/);
  });

  it('refuses a bad setting in one line', async () => {
    const program = start(['mcp', '--stdio'], { TASKFLOW_API_URL: 'ftp://somewhere' });
    expect([await program.ended, program.stdout]).toEqual([1, '']);
    expect(program.stderr).toMatch(/^taskyard: TASKFLOW_API_URL="ftp:\/\/somewhere" is not valid.*\n$/);
  });
});

describe('who calls over a pipe', () => {
  let provider: OidcProvider;
  let guarded: TestServer;
  beforeAll(async () => {
    provider = await OidcProvider.start();
    const OIDC = { PUBLIC_URL: 'https://taskyard.example', OIDC_ISSUER: provider.issuer, OIDC_ROLES: 'eng=write' };
    guarded = await TestServer.start({ ...OIDC, TASKFLOW_SERVICE_TOKEN: TOKEN });
  });
  afterAll(async () => {
    await guarded.stop();
    await provider.stop();
  });
  const listAs = (token: string) =>
    answersTo(request(1, 'tools/list') + request(2, 'tools/call', { name: 'create_task', arguments: {} }), [], {
      ...{ TASKFLOW_API_URL: guarded.url, TASKFLOW_SERVICE_TOKEN: token },
    });
  const codeOf = ({ result }: Json = {}) => result?.structuredContent?.code as string;

  it('is whoever the token of the process names: a person, or a narrow service token', async () => {
    const [, byPerson] = await listAs(await provider.tokenOf('ada', 'https://taskyard.example/mcp'));
    expect(codeOf(byPerson)).toBe('invalid_argument'); // it may, and names no project
    const admin = new RestClient(guarded.url, authorized);
    const { token } = await admin.answers(201, 'POST', '/api/tokens', { name: 'reader', scopes: ['read'] });
    const [, byReader] = await listAs(token as string);
    expect(codeOf(byReader)).toBe('insufficient_scope');
  });

  it('is nobody with a token of another issuer', async () => {
    const foreign = await provider.sign({ aud: 'https://taskyard.example/mcp', iss: 'https://other.example' });
    const [, answer] = await listAs(foreign);
    expect(codeOf(answer)).toBe('unauthenticated');
  });
});
