import { ground } from './jest.config.mjs';

/** The real agents, from npm, against a model server on loopback: `npm run test:agents`. */
export default {
  ...ground,
  displayName: 'agents',
  testRegex: ['test/agents/.*\\.agent-spec\\.ts$'],
  globalSetup: '<rootDir>/test/agents/global-setup.mjs',
  globalTeardown: '<rootDir>/test/global-teardown.mjs',
  testTimeout: 180_000, // some agents take seconds to begin to speak
  maxWorkers: 1,
  verbose: true,
};
