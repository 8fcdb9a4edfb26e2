import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { agentEnvironment, gitEnvironment } from './child-environment.js';
import { EnvironmentError, loadEnvironment } from './environment.js';
import { variables } from './variables.js';

describe('the settings', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'taskyard-settings-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const file = (content: string): string => {
    const name = path.join(folder, 'value');
    writeFileSync(name, content);
    return name;
  };

  it('need nothing: every one has a default that is valid, and says what it means', () => {
    const environment = loadEnvironment({});
    expect(Object.keys(environment)).toEqual(Object.keys(variables));
    expect(environment).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 8000,
      DATABASE_URL: '',
      DATA_DIR: path.resolve('data'),
      ROLE: 'all',
      ALLOWED_ORIGINS: [],
      VK_IDEMPOTENCY_COMPLETED_TTL_SECS: 604_800,
    });
    for (const { meaning } of Object.values(variables)) expect(meaning).toMatch(/^\w.*\.$/);
  });

  it('are read by their type, and an empty one counts as not given', () => {
    expect(
      loadEnvironment({
        PORT: '0',
        DATA_DIR: '/srv/../data/',
        ALLOWED_HOSTS: ' a.example, ,b.example ',
        RUNNER_LABELS: 'java21, gpu,java21',
        ROLE: '',
        MAX_CONCURRENT_EXECUTIONS: '2',
      }),
    ).toMatchObject({
      PORT: 0,
      DATA_DIR: '/data',
      ALLOWED_HOSTS: ['a.example', 'b.example'],
      RUNNER_LABELS: ['gpu', 'java21'],
      ROLE: 'all',
      MAX_CONCURRENT_EXECUTIONS: 2,
    });
  });

  it('are none where a cluster sets them for its Services', () => {
    const links = { MCP_PORT: 'tcp://10.0.0.1:80', INTERNAL_PORT: 'tcp://[fd00::1]:8002', PORT: '' };
    expect(loadEnvironment(links)).toMatchObject({ MCP_PORT: 8001, INTERNAL_PORT: 8002, PORT: 8000 });
    expect(() => loadEnvironment({ MCP_PORT: 'tcp://' })).toThrow(EnvironmentError);
  });

  it('are not repeated with a password', () => {
    const wrong = { EGRESS_PROXY: 'http://ada:open sesame@proxy.example/path' };
    expect(() => loadEnvironment(wrong)).toThrow(/^EGRESS_PROXY="http:\/\/\*\*\*@proxy.example\/path" is not valid/);
  });

  it.each([
    ['EGRESS_PROXY', 'socks5://proxy.example'],
    ['EGRESS_PROXY', 'http://proxy.example/path'],
    ['RUN_NETWORK', 'closed'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', '0x50'],
    ['PORT', '1e3'],
    ['PORT', ' 80'],
    ['PORT', '99999999999999999999'],
    ['LOG_LEVEL', 'INFO'],
    ['ROLE', 'worker'],
    ['SHELL_EXECUTOR', 'yes'],
    ['MAX_BODY_BYTES', '1'],
    ['RUN_LOG_MAX_BYTES', 'all'],
    ['EXECUTION_TIMEOUT_SECS', '604801'],
    ['APPROVAL_TIMEOUT_SECS', '2147484'],
    ['PUBLIC_URL', 'taskyard.example'],
    ['PUBLIC_URL', 'https://taskyard.example/board'],
    ['PUBLIC_URL', 'https://user@taskyard.example'],
    ['OIDC_ISSUER', 'http://login.example'],
    ['OIDC_ISSUER', 'http://127.0.0.1.evil.example'],
    ['OIDC_ISSUER', 'https://login.example#tenant'],
    ['OIDC_ROLES', 'eng'],
    ['OIDC_ROLES', 'eng=root'],
    ['OIDC_ROLES', '=read'],
    ['OIDC_CLOCK_SKEW_SECS', '301'],
  ])('refuse %s=%s with one line that names it', (name, value) => {
    expect(() => loadEnvironment({ [name]: value })).toThrow(EnvironmentError);
    expect(() => loadEnvironment({ [name]: value })).toThrow(
      new RegExp(`^${name}="${value}" is not valid: must be [^\\n]+$`),
    );
  });

  it('name an identity provider as its tokens do, and what its groups may do', () => {
    expect(
      loadEnvironment({
        PUBLIC_URL: 'https://Taskyard.example:443/',
        OIDC_ISSUER: 'https://login.example/tenant/',
        OIDC_ROLES: 'taskyard-admins=admin, /eng/a=b=write,*=read',
      }),
    ).toMatchObject({
      PUBLIC_URL: 'https://taskyard.example',
      OIDC_ISSUER: 'https://login.example/tenant/',
      OIDC_AUDIENCE: [],
      OIDC_ROLES: [
        { group: 'taskyard-admins', role: 'admin' },
        { group: '/eng/a=b', role: 'write' },
        { group: '*', role: 'read' },
      ],
      OIDC_GROUPS_CLAIM: 'groups',
      OIDC_CLOCK_SKEW_SECS: 60,
    });
  });

  it('may stand in a file, whose end of line does not count; the variable itself wins', () => {
    expect(loadEnvironment({ TASKFLOW_SERVICE_TOKEN_FILE: file('s3cret\r\n') }).TASKFLOW_SERVICE_TOKEN).toBe('s3cret');
    expect(
      loadEnvironment({ TASKFLOW_SERVICE_TOKEN: 'given', TASKFLOW_SERVICE_TOKEN_FILE: file('other') })
        .TASKFLOW_SERVICE_TOKEN,
    ).toBe('given');
    expect(() => loadEnvironment({ PORT_FILE: file('eighty') })).toThrow(/^PORT="eighty" is not valid/);
    expect(loadEnvironment({ EXECUTORS_FILE: file('{"executors": []}') }).EXECUTORS).toEqual([]);
    expect(() => loadEnvironment({ DATABASE_URL_FILE: path.join(folder, 'missing') })).toThrow(
      `DATABASE_URL_FILE="${folder}/missing" cannot be read.`,
    );
  });
});

describe('what children see of the environment', () => {
  const source = {
    PATH: '/bin',
    HOME: '/root',
    LANG: 'C',
    DATABASE_URL: 'postgres://',
    TASKFLOW_SERVICE_TOKEN: 't',
    GIT_DIR: '/x',
    NODE_OPTIONS: '--inspect',
    LD_PRELOAD: 'x',
    ANTHROPIC_API_KEY: 'k',
  };

  it('is a list of harmless names for agents, and what the operator adds', () => {
    expect(agentEnvironment([], source)).toEqual({ PATH: '/bin', HOME: '/root', LANG: 'C' });
    expect(agentEnvironment(['ANTHROPIC_API_KEY', 'NOT_SET'], source)).toEqual({
      PATH: '/bin',
      HOME: '/root',
      LANG: 'C',
      ANTHROPIC_API_KEY: 'k',
    });
  });

  it('is where programs and settings are for git, nothing else', () => {
    expect(gitEnvironment(source)).toEqual({ PATH: '/bin', HOME: '/root' });
  });
});
