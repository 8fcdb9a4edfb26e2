import { localOwner, type Principal } from '../platform/access/principal.js';

/** A caller of the gateway. Who it is and what it may do, the API decides from these headers. */
export interface ApiCaller extends Principal {
  readonly headers: Readonly<Record<string, string>>;
}

/** @param headers those that are not given are not sent */
export function apiCaller(headers: Readonly<Record<string, string | undefined>>): ApiCaller {
  const given = Object.entries(headers).filter((header): header is [string, string] => Boolean(header[1]));
  return { ...localOwner, id: 'api-caller', headers: Object.fromEntries(given) };
}

export const headersOf = (principal: Principal): Readonly<Record<string, string>> =>
  isApiCaller(principal) ? principal.headers : {};

const isApiCaller = (principal: Principal): principal is ApiCaller => 'headers' in principal;
