import { createHash } from 'node:crypto';

/** What is kept of a token. All have one length, so that to compare them tells nothing about the token's. */
export const tokenDigest = (token: string): Buffer => createHash('sha256').update(token).digest();
