// Real processes, killed, frozen and cut off for minutes: only when asked for by name (`npm run test:chaos`).
import { ground } from './jest.config.mjs';

export default { ...ground, testRegex: ['test/chaos/.*\\.chaos-spec\\.ts$'] };
