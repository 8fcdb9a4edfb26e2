/** Bearer tokens: their forms, the digest by which they are known, and who finds out whose they are. */
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Principal } from './principal.js';

/** One kind of bearer token. The form of a token decides which source, if any, it belongs to. */
export interface BearerSource {
  recognises(token: string): boolean;
  /** @returns null where the token is not, or no longer, valid
   *  @throws AppError auth_unavailable where that cannot be found out now */
  findPrincipal(token: string): Promise<Principal | null>;
}

/** Identifies a token without keeping it. */
export const tokenKey = (token: string): string => hash('sha256', token, 'base64');

/** The stored form of a token. Digests have one length, so that comparing them reveals nothing about the token. */
export const tokenDigest = (token: string): Buffer => Buffer.from(tokenKey(token), 'base64');

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_CHARS = 8;
const SECRET_CHARS = 32;
const CHECK_CHARS = 6;
const SERVICE_TOKEN = /^ty_st_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** `ty_st_<8 that name it>_<32 random: 190 bits><6 of CRC-32>`: secret scanners find it, a typo needs no look-up. */
export function newServiceToken(): string {
  const body = `ty_st_${randomBase62(ID_CHARS)}_${randomBase62(SECRET_CHARS)}`;
  return body + checksumOf(body);
}

export const isServiceToken = (token: string): boolean =>
  SERVICE_TOKEN.test(token) && checksumOf(token.slice(0, -CHECK_CHARS)) === token.slice(-CHECK_CHARS);

/** The part that may be shown. */
export const publicPartOf = (token: string): string => token.slice(0, 'ty_st_'.length + ID_CHARS);

/** Three parts in base64url, as every signed token of an identity provider has. */
export const isJwt = (token: string): boolean => JWT.test(token);

/** Bytes from 248 on are skipped, so that every character is equally likely. */
function randomBase62(length: number): string {
  let text = '';
  while (text.length < length)
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += BASE62[byte % 62];
  return text;
}

function checksumOf(text: string): string {
  let left = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECK_CHARS; place += 1) {
    digits = BASE62[left % 62]! + digits;
    left = Math.floor(left / 62);
  }
  return digits;
}

/** The one address that the token of a run opens, with `?attempt_id=` of the run. */
export const RUN_PATH = '/mcp';
/** The same for a run that reviews. */
export const REVIEW_PATH = '/mcp/review';

export const runPathOf = ({ isReviewer }: Pick<Principal, 'isReviewer'>): string =>
  isReviewer ? REVIEW_PATH : RUN_PATH;

const PREFIX = 'ty_run_';
const FORM = new RegExp(`^${PREFIX}[\\w-]{43}$`);

/** An unguessable token; its prefix distinguishes it from the token of the server. */
export const newRunToken = (): string => `${PREFIX}${randomBytes(32).toString('base64url')}`;
export const isRunToken = (token: string): boolean => FORM.test(token);

/** Tokens that agents are given while they run. Provided by the module that knows runs. */
export abstract class RunTokens implements BearerSource {
  recognises(token: string): boolean {
    return isRunToken(token);
  }

  /** @returns the agent, bound to the attempt it works on; null where no such run is live */
  abstract findPrincipal(token: string): Promise<Principal | null>;
}
