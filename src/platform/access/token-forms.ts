import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

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

/** Bytes from 248 on are left out, so that each character is equally likely. */
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
