import { jest } from '@jest/globals';

// An attack is never tried twice, so that a machine which is merely busy must not look like one that gave in.
jest.setTimeout(120_000);
