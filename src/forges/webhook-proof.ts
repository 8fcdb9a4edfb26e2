import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { ForgeKind } from '../config/forges-file.js';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Whether the sender knows the secret: by a signature, or for GitLab by the secret itself. */
export function isProven(kind: ForgeKind, secret: string, headers: Headers, body: Buffer): boolean {
  const one = (name: string): string => {
    const value = headers[name];
    return typeof value === 'string' ? value : '';
  };
  if (kind === 'gitlab') return isSame(one('x-gitlab-token'), secret);
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  if (kind === 'github') return isSame(one('x-hub-signature-256'), `sha256=${signature}`);
  return isSame(one('x-gitea-signature') || one('x-forgejo-signature'), signature);
}

/** In constant time, whatever the lengths. */
const isSame = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected));
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
