import { localOwner, type Principal } from '../platform/access/principal.js';

/** A caller of the gateway. Who it is and what it may do, the API decides from these headers. */
export interface ApiCaller extends Principal {
  readonly headers: Readonly<Record<string, string>>;
}

/** @param token used where the caller brings no credentials; empty for none */
export function apiCaller(
  token: string,
  {
    authorization = token && `Bearer ${token}`,
    'x-user-id': userId,
  }: { authorization?: string; 'x-user-id'?: string | string[] } = {},
): ApiCaller {
  return {
    ...localOwner,
    id: 'api-caller',
    headers: { ...(authorization ? { authorization } : {}), ...(userId ? { 'x-user-id': String(userId) } : {}) },
  };
}

export const headersOf = (principal: Principal): Readonly<Record<string, string>> =>
  isApiCaller(principal) ? principal.headers : {};

const isApiCaller = (principal: Principal): principal is ApiCaller => 'headers' in principal;
