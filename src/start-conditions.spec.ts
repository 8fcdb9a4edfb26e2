import { describe, expect, it } from '@jest/globals';
import { EnvironmentError, loadEnvironment } from './config/environment.js';
import { requireOidcSettings, requireProtection, requireRunnerLife, UnsafeBindError } from './start-conditions.js';

const oidc = { OIDC_ISSUER: 'https://login.example', OIDC_ROLES: '*=read', PUBLIC_URL: 'https://taskyard.example' };
const open = { HOST: '0.0.0.0' };
const token = { TASKFLOW_SERVICE_TOKEN: 'x'.repeat(32) };

describe('the settings of an identity provider', () => {
  it.each([[{}], [oidc], [{ ...oidc, OIDC_AUDIENCE: 'taskyard' }], [{ PUBLIC_URL: oidc.PUBLIC_URL }]])(
    'may be %j',
    (settings) => {
      expect(() => requireOidcSettings(loadEnvironment(settings))).not.toThrow();
    },
  );

  it.each([
    [{ ...oidc, PUBLIC_URL: '' }, /^OIDC_ISSUER requires PUBLIC_URL: [^\n]+$/],
    [{ ...oidc, OIDC_ROLES: '' }, /^OIDC_ISSUER requires OIDC_ROLES: [^\n]+$/],
    [{ OIDC_AUDIENCE: 'taskyard' }, /^OIDC_AUDIENCE and OIDC_ROLES [^\n]+ OIDC_ISSUER[^\n]+$/],
    [{ OIDC_ROLES: '*=read' }, /^OIDC_AUDIENCE and OIDC_ROLES [^\n]+ OIDC_ISSUER[^\n]+$/],
  ])('may not be %j', (settings, line) => {
    const require = () => requireOidcSettings(loadEnvironment(settings));
    expect(require).toThrow(EnvironmentError);
    expect(require).toThrow(line);
  });
});

describe('a server beyond loopback', () => {
  it.each([[{}], [token], [{ ...open, ...token }], [{ ...open, ...oidc }], [{ ...open, ...oidc, ...token }]])(
    'may start with %j',
    (settings) => {
      expect(() => requireProtection(loadEnvironment(settings))).not.toThrow();
    },
  );

  it.each([
    [open, /set TASKFLOW_SERVICE_TOKEN or OIDC_ISSUER/],
    [{ ...open, TASKFLOW_SERVICE_TOKEN: 'short' }, /fewer than 32 characters/],
    [{ ...open, ...oidc, TASKFLOW_SERVICE_TOKEN: 'short' }, /fewer than 32 characters/],
  ])('does not start with %j', (settings, problem) => {
    expect(() => requireProtection(loadEnvironment(settings))).toThrow(UnsafeBindError);
    expect(() => requireProtection(loadEnvironment(settings))).toThrow(problem);
  });
});

describe('a runner that ends, or takes no turns', () => {
  const runner = { ROLE: 'runner', CLUSTER_SECRET: 'x'.repeat(32), RUNNER_LIFE: 'keeper' };

  it.each([[{}], [{ WORKSPACE_STORE: 'none' }], [runner], [{ ...runner, RUNNER_LIFE: 'attempt' }]])(
    'may start with %j',
    (settings) => {
      expect(() => requireRunnerLife(loadEnvironment(settings))).not.toThrow();
    },
  );

  it.each([
    [{ ...runner, ROLE: 'all' }, /^RUNNER_LIFE=keeper requires ROLE=runner: /],
    [{ ...runner, CLUSTER_SECRET: '' }, /^RUNNER_LIFE=keeper requires CLUSTER_SECRET: /],
    [{ ...runner, RUNNER_LIFE: 'attempt', WORKSPACE_STORE: 'none' }, /^RUNNER_LIFE=attempt requires a WORKSPACE_STORE/],
  ])('does not start with %j', (settings, problem) => {
    expect(() => requireRunnerLife(loadEnvironment(settings))).toThrow(problem);
  });
});
