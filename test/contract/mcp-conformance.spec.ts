import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runConformance } from '../support/conformance.js';
import { type SampleApp, startSampleApp } from '../support/sample-app.js';

let app: SampleApp;
beforeAll(async () => {
  app = await startSampleApp();
});
afterAll(() => app.close());

/** Everything that needs no fixture tool, no fixture resource and no session. */
const domainScenarios = [
  'server-initialize',
  'ping',
  'logging-set-level',
  'completion-complete',
  'tools-list',
  'resources-list',
  'resources-subscribe',
  'resources-unsubscribe',
  'prompts-list',
  'dns-rebinding-protection',
];

it('passes every conformance scenario that a domain server can pass', async () => {
  const { exitCode, output, scenarios } = await runConformance(app.url);
  expect({ exitCode, output: exitCode === 0 ? '' : output }).toEqual({ exitCode: 0, output: '' });
  expect(Object.keys(scenarios)).toHaveLength(30);
  expect(
    Object.keys(scenarios)
      .filter((name) => scenarios[name] === 'SUCCESS')
      .sort(),
  ).toEqual([...domainScenarios].sort());
});
