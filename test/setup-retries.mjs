// A busy machine may starve a test of real processes once: it has a second try, and the first failure is printed.
import { jest } from '@jest/globals';

if (process.env.CI) jest.retryTimes(1, { logErrorsBeforeRetry: true });
