import { describe, expect, it } from '@jest/globals';
import { loadEnvironment } from './config/environment.js';
import { greeting } from './greeting.js';

const url = 'http://127.0.0.1:8000';
const sandbox: Parameters<typeof greeting>[2] = {
  isolation: 'none',
  reason: 'ISOLATION=none',
  limits: { memory: 'prlimit', processes: 'none', disk: 'none', reason: null },
};
const linkInto = (page: string) => `${page}#sign-in=code`;
/** The lines below "Taskyard is ready.", up to what each agent is told. */
const lines = (settings: Record<string, string> = {}) => {
  const [, , ...said] = greeting(url, loadEnvironment(settings), sandbox, linkInto).split('\n');
  return said.slice(0, said.indexOf('')).map((line) => line.trim());
};

describe('the greeting', () => {
  it('names the page for people first', () => {
    expect(lines().slice(0, 3)).toEqual([`Page     ${url}/ui`, `MCP      ${url}/mcp`, `Swagger  ${url}/api/docs`]);
  });

  it('names the page where people reach it: behind a proxy, below its path', () => {
    const [page, mcp] = lines({ PUBLIC_URL: 'https://taskyard.example', BASE_PATH: '/taskyard' });
    expect(page).toBe('Page     https://taskyard.example/taskyard/ui');
    expect(mcp).toBe('MCP      https://taskyard.example/mcp');
  });

  it.each([
    ['the page is off', { PAGES: 'off' }, ['MCP', 'Swagger', 'Runs']],
    ['it only serves requests', { ROLE: 'api' }, ['Page', 'MCP', 'Swagger']],
    ['it only runs agents', { ROLE: 'runner' }, ['Probes', 'Metrics', 'Runs']],
  ])('names what there is where %s', (_, settings, names) => {
    expect(lines(settings as Record<string, string>).map((line) => line.split(' ')[0])).toEqual(names);
  });

  it('tells each agent how to connect, with a token only where the server has one', () => {
    const told = (settings: Record<string, string>) => greeting(url, loadEnvironment(settings), sandbox, linkInto);
    expect(told({})).toContain(`claude mcp add --transport http taskyard ${url}/mcp\n`);
    expect(told({})).not.toContain('Authorization');
    expect(told({ TASKFLOW_SERVICE_TOKEN: 'x'.repeat(32) })).toContain('--header "Authorization: Bearer $TASKFLOW');
    expect(told({ ROLE: 'runner' })).not.toContain('claude mcp add');
  });

  it('S3: has the local token and a link for the page where walls keep runs from the token', () => {
    const walled = { ...sandbox, isolation: 'bubblewrap' as const, reason: null };
    const told = greeting(url, loadEnvironment({ DATA_DIR: '/srv/yard' }), walled, linkInto);
    expect(told).toContain(`Sign in  ${url}/ui#sign-in=code (once, within 10 minutes)\n`);
    expect(told).toContain(`taskyard ${url}/mcp --header "Authorization: Bearer $(cat '/srv/yard/local-token')"\n`);
    expect(told).toContain(`export TASKYARD_TOKEN="$(cat '/srv/yard/local-token')"\n`);
    expect(told).toContain('bearer_token_env_var = "TASKYARD_TOKEN"');
    expect(told).toContain('{"Authorization":"Bearer $TASKYARD_TOKEN"}');
  });
});
