import { ground } from './jest.config.mjs';

/** The images, built and run by buildah and podman: `npm run test:image`. */
export default {
  ...ground,
  displayName: 'image',
  testRegex: ['test/image/.*\\.image-spec\\.ts$'],
  globalSetup: '<rootDir>/test/image/global-setup.mjs',
  globalTeardown: '<rootDir>/test/global-teardown.mjs',
  testTimeout: 180_000,
  maxWorkers: 1,
  verbose: true,
};
