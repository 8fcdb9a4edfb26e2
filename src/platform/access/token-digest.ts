import { createHash } from 'node:crypto';

/** The stored form of a token. Digests have one length, so that comparing them reveals nothing about the token. */
export const tokenDigest = (token: string): Buffer => createHash('sha256').update(token).digest();
