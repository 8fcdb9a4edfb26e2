import { AppError } from '../platform/errors/app-error.js';
import type { DescribedPullRequest } from './forge.js';

/** Readers for untrusted answers of forges: what is missing reads as nothing. */
export type Json = Record<string, unknown>;

const MAX_TEXT = 65_536;
const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

export const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
export const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.map(objectOf) : []);
/** Without NUL, which the database refuses, and not longer than anybody reads. */
export const textOf = (value: unknown, most = MAX_TEXT): string =>
  typeof value === 'string' ? value.replaceAll('\0', '\ufffd').slice(0, most) : '';
export const textOrNull = (value: unknown, most?: number): string | null => textOf(value, most) || null;
export const numberOrNull = (value: unknown): number | null => (Number.isSafeInteger(value) ? (value as number) : null);
export const commitOrNull = (value: unknown): string | null =>
  typeof value === 'string' && COMMIT.test(value) ? value : null;
/** Addresses are shown as links, so only http and https are accepted. */
export const linkOrNull = (value: unknown): string | null =>
  typeof value === 'string' && /^https?:\/\/[^\s"<>]{1,2000}$/.test(value) ? value : null;
export const timeOf = (value: unknown): Date => {
  const time = new Date(typeof value === 'string' ? value : Number.NaN);
  return Number.isNaN(time.getTime()) ? new Date(0) : time;
};

type Unchecked = 'number' | 'url' | 'head_commit';
type Read = Omit<DescribedPullRequest, Unchecked> & Record<Unchecked, unknown>;

/** @throws AppError forge_failed where the answer lacks what everything else stands on */
export function checkedPullRequest(host: string, { number, url, head_commit, ...rest }: Read): DescribedPullRequest {
  const lacking = (what: string) => new AppError('forge_failed', { host, reason: `its answer lacks ${what}` });
  const known = numberOrNull(number);
  const link = linkOrNull(url);
  const commit = commitOrNull(head_commit);
  if (known === null || known < 1) throw lacking('the number of the pull request');
  if (link === null) throw lacking('the URL of the pull request');
  if (commit === null) throw lacking('the head commit of the pull request');
  return { ...rest, number: known, url: link, head_commit: commit };
}
