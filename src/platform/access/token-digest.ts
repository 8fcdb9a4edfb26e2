import { hash } from 'node:crypto';

/** By which a token is known without being kept. */
export const tokenKey = (token: string): string => hash('sha256', token, 'base64');

/** The stored form of a token. Digests have one length, so that comparing them reveals nothing about the token. */
export const tokenDigest = (token: string): Buffer => Buffer.from(tokenKey(token), 'base64');
