/** Native-ESM Jest on Node 20: run with `node --experimental-vm-modules` (the npm test script does). */
// ESM-only packages that CommonJS packages require(): Jest has require(esm) only on Node >= 24.9, so they are down-levelled.
const requiredEsm = ['content-disposition', 'cookie'];

const allBut = (packages) => `/node_modules/(?!(?:.*/node_modules/)?(?:${packages.join('|')})/)`;

/** What every kind of test stands on. */
export const ground = {
  rootDir: '.',
  testEnvironment: 'node',
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json'],
  extensionsToTreatAsEsm: ['.ts'],
  setupFilesAfterEnv: ['<rootDir>/src/error-catalogue.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transformIgnorePatterns: [allBut(requiredEsm)],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          target: 'es2023',
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
    '^.+\\.js$': ['@swc/jest', { swcrc: false, jsc: { target: 'es2023' }, module: { type: 'commonjs' } }],
  },
};

// Clients of the server, which nearly every test calls it with: loaded once a process, like the server itself.
const clients = ['supertest', '@modelcontextprotocol/sdk'];

const here = import.meta.dirname.replace(/[^\w/]/g, '\\$&');

/** For tests of the server as built: see `built-environment.mjs`. */
const built = {
  ...ground,
  testEnvironment: '<rootDir>/test/built-environment.mjs',
  transform: {
    [`^${here}/src/.+\\.ts$`]: '<rootDir>/test/built-transform.mjs',
    '/node_modules/@modelcontextprotocol/sdk/.+\\.js$': '<rootDir>/test/built-transform.mjs',
    '/node_modules/supertest/.+\\.js$': ['<rootDir>/test/built-transform.mjs', { required: true }],
    ...ground.transform,
  },
  transformIgnorePatterns: [allBut([...requiredEsm, ...clients])],
  globalSetup: '<rootDir>/test/global-setup.mjs',
  globalTeardown: '<rootDir>/test/global-teardown.mjs',
};

export default {
  testTimeout: 240_000, // ends what hangs; a busy machine is no failure
  maxWorkers: 3, // one more than the cores it is meant for: many tests wait for clocks, databases and processes
  reporters: ['default', '<rootDir>/test/support/summary-reporter.mjs', '<rootDir>/test/support/attack-reporter.mjs'],
  // Native ESM modules are never collected, and to start a process costs a large worker several times what it costs a
  // small one: one that has grown gives way to a new one.
  workerIdleMemoryLimit: '500MB',
  projects: [
    { ...ground, displayName: 'unit', testRegex: ['src/.*\\.spec\\.ts$', 'test/contract/.*\\.spec\\.ts$'] },
    // The chart of Kubernetes, rendered by the real Helm.
    {
      ...ground,
      displayName: 'chart',
      testRegex: ['test/chart/.*\\.chart-spec\\.ts$'],
      globalSetup: '<rootDir>/test/chart/global-setup.mjs',
    },
    // Each behaviour of the product once.
    {
      ...built,
      displayName: 'e2e',
      testRegex: ['test/e2e/.*\\.e2e-spec\\.ts$'],
    },
    // Loads, races of many rounds, faults, clusters, walls, and servers as processes of their own, which are killed,
    // stopped and started again.
    {
      ...built,
      displayName: 'system',
      testRegex: ['test/system/.*\\.system-spec\\.ts$'],
    },
    {
      ...built,
      displayName: 'pages',
      testRegex: ['test/pages/.*\\.page-spec\\.ts$'],
    },
    {
      ...built,
      displayName: 'attacks',
      testRegex: ['test/attacks/.*\\.attack-spec\\.ts$'],
    },
  ],
};
