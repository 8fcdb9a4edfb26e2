import { isIP } from 'node:net';
import path from 'node:path';
import { sortedLabels } from './labels.js';

/** One setting: how it is read, and what it means. */
export interface Variable<T> {
  default: string;
  meaning: string;
  parse: (text: string) => T;
}
const variable = <T>(value: string, meaning: string, parse: (text: string) => T): Variable<T> => ({
  default: value,
  meaning,
  parse,
});
export const text = (value: string, meaning: string): Variable<string> => variable(value, meaning, (v) => v);
export const folder = (value: string, meaning: string): Variable<string> =>
  variable(value, meaning, (v) => path.resolve(v));
export const choice = <T extends string>(value: T, allowed: readonly T[], meaning: string): Variable<T> =>
  variable(value, meaning, (v) => {
    if (!allowed.includes(v as T)) throw new Error(`must be one of ${allowed.join(', ')}`);
    return v as T;
  });

/** A century, so that the database can compute the time. */
const MAX_DAYS = 36_500;
export const int = (value: number, meaning: string, min = 0, max = Number.MAX_SAFE_INTEGER): Variable<number> =>
  variable(String(value), meaning, (v) => {
    const n = Number(v);
    if (!/^-?\d+$/.test(v) || n < min || n > max) throw new Error(`must be a whole number from ${min} to ${max}`);
    return n;
  });
/** A retention time in days; 0 keeps for ever. @param least of any other value */
export const days = (value: number, meaning: string, least = 1): Variable<number> => ({
  ...int(value, `${meaning}, in days; 0 keeps them forever.`),
  parse: (v) => {
    const given = int(value, meaning, 0, MAX_DAYS).parse(v);
    if (given > 0 && given < least) throw new Error(`must be 0 or at least ${least}`);
    return given;
  },
});
export const list = (meaning: string): Variable<string[]> => variable('', meaning, items);
export const labels = (meaning: string): Variable<string[]> => variable('', meaning, (v) => sortedLabels(items(v)));
export const paths = (meaning: string): Variable<string[]> =>
  variable('', meaning, (v) => items(v).map((item) => path.resolve(item)));
/** Some of the allowed values, comma-separated. */
export const choices = <T extends string>(value: T, allowed: readonly T[], meaning: string): Variable<T[]> =>
  variable(value, meaning, (v) => {
    const given = items(v);
    if (!given.every((item): item is T => allowed.includes(item as T)))
      throw new Error(`must be some of ${allowed.join(', ')}`);
    return given;
  });
export const networks = (meaning: string): Variable<string[]> =>
  variable('', meaning, (v) => {
    const given = items(v);
    if (!given.every(isNetwork)) throw new Error('must be IP addresses or CIDRs, comma-separated');
    return given;
  });
export const address = (value: string, meaning: string): Variable<string> => variable(value, meaning, parseAddress);

/** The same, but may be empty. */
export const optionalAddress = (meaning: string): Variable<string> =>
  variable('', meaning, (v) => (v === '' ? v : parseAddress(v)));

/** With a login, if it needs one, but without a path; or empty. */
export const proxy = (meaning: string): Variable<string> =>
  variable('', meaning, (v) => {
    const url = URL.canParse(v) ? new URL(v) : null;
    if (v !== '' && (!url || !/^https?:$/.test(url.protocol) || url.pathname + url.search + url.hash !== '/'))
      throw new Error('must be the URL of a proxy, such as http://proxy.example:3128');
    return v;
  });

/** Without a trailing slash, so that paths can be appended. */
export const prefix = (meaning: string): Variable<string> =>
  variable('', meaning, (v) => {
    const found = v.replace(/\/+$/, '');
    if (!/^(\/[\w.~-]+)*$/.test(found)) throw new Error('must be a path, such as /taskyard');
    return found;
  });

/** Scheme, host and port only, or empty. */
export const origin = (meaning: string): Variable<string> =>
  variable('', meaning, (v) => {
    if (v === '') return v;
    const url = URL.canParse(v) ? new URL(v) : null;
    if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
      throw new Error('must be an origin, such as https://taskyard.example');
    return url.origin;
  });

/** Kept exactly as written, because tokens name their issuer exactly. */
export const issuer = (meaning: string): Variable<string> =>
  variable('', meaning, (v) => {
    if (v !== '' && !isSecureAddress(v))
      throw new Error('must be an https URL without credentials or query; http is for loopback only');
    return v;
  });

const INSTANCE_ROLES = ['read', 'write', 'admin', 'act_as'] as const;
export type InstanceRole = (typeof INSTANCE_ROLES)[number];
/** The most that members of a group may do; `*` is everybody. */
export interface GroupRole {
  group: string;
  role: InstanceRole;
}
export const groupRoles = (meaning: string): Variable<GroupRole[]> =>
  variable('', meaning, (v) => items(v).map(toGroupRole));

export const pairs = (meaning: string): Variable<Record<string, string>> =>
  variable('', meaning, (v) => Object.fromEntries(items(v).map(toPair)));

export const counts = (meaning: string): Variable<Record<string, number>> =>
  variable('', meaning, (v) => Object.fromEntries(items(v).map(toCount)));

function items(given: string): string[] {
  return given
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
}

function isNetwork(item: string): boolean {
  const [, ip = item, bits = '0'] = /^(.+)\/(\d{1,3})$/.exec(item) ?? [];
  return isIP(ip) !== 0 && Number(bits) <= (isIP(ip) === 4 ? 32 : 128);
}

function toCount(item: string): [string, number] {
  const [, name, count] = /^([A-Z][A-Z0-9_]*)=([1-9]\d{0,5})$/.exec(item) ?? [];
  if (name === undefined) throw new Error('must be EXECUTOR=number, comma-separated');
  return [name, Number(count)];
}

function toPair(item: string): [string, string] {
  const [, name, command] = /^([A-Z][A-Z0-9_]*)=(.+)$/.exec(item) ?? [];
  if (name === undefined || command === undefined) throw new Error('must be EXECUTOR=command, comma-separated');
  return [name, command];
}

function toGroupRole(item: string): GroupRole {
  const [, group, word] = /^(.+)=(\w+)$/.exec(item) ?? [];
  const role = INSTANCE_ROLES.find((one) => one === word);
  if (group === undefined || role === undefined)
    throw new Error(`must be group=role, comma-separated, with a role of ${INSTANCE_ROLES.join(', ')}`);
  return { group, role };
}

export function isSecureAddress(given: string): boolean {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (!url || url.username || url.password || url.search || url.hash) return false;
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal);
}

/** Base of HTTP requests, without a trailing slash. */
function parseAddress(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  const isBase = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  if (!isBase) throw new Error('must be an http or https URL without credentials or query');
  return url.href.replace(/\/+$/, '');
}
