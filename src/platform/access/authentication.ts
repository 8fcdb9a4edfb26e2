import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Environment } from '../../config/environment.js';
import { AppError } from '../errors/app-error.js';
import type { AccessWatch } from './access-watch.js';
import { type BearerSource, isRunToken, runPathOf, tokenDigest, tokenKey } from './bearer-tokens.js';
import { FailedLogins } from './caller-limits.js';
import { LocalCallers, SOCKET_HEADER } from './local-callers.js';
import type { RunProcesses } from './socket-holders.js';
import { localOwner, type Principal, servicePrincipal } from './principal.js';
import { bringsSession, requireOwnPage, sessionSecretOf } from './session-cookie.js';
import { type TokenChanges, VerifiedTokens } from './verified-tokens.js';

/** Where principals come from, besides the settings. */
export interface Callers {
  sources: readonly BearerSource[];
  /** People at the page, by the secret in their cookie. */
  sessions?: Pick<BearerSource, 'findPrincipal'>;
  /** Processes that are not the owner, though they are of the same user. */
  runs: RunProcesses;
  /** Of the owner, where runs reach this port, too: a call without credential is then nobody's. */
  localToken?: string | null;
  /** Without them every token is verified at each call. */
  changes?: TokenChanges;
  /** Notified of verified and refused credentials. */
  watch?: AccessWatch;
}

/** A token that is known without a look-up. */
interface OwnToken {
  digest: Buffer;
  principal: Principal;
}

const LOCAL_TOKEN =
  'Send the header "Authorization: Bearer <token>"; the token is in the file local-token of DATA_DIR, and the server ' +
  'printed the commands at its start.';
const SESSION_OVER = 'The session is over, or its cookie came without the header of the page: sign in again.';
const RUN_OVER = 'A run token is valid only during its run, which has ended.';

/** Finds out who calls: by one credential, of one source. Nothing falls back to another. */
export class Authentication {
  private readonly own: OwnToken[] = [];
  /** Nobody calls without a credential, from wherever. */
  readonly isClosed: boolean;
  private readonly failedLogins = new FailedLogins();
  private callers: Callers = { sources: [], runs: { pids: [] } };
  private localCallers = new LocalCallers(this.callers.runs);
  private verified: VerifiedTokens | null = null;

  constructor({ TASKFLOW_SERVICE_TOKEN, OIDC_ISSUER }: Environment) {
    this.isClosed = TASKFLOW_SERVICE_TOKEN !== '' || OIDC_ISSUER !== '';
    if (TASKFLOW_SERVICE_TOKEN)
      this.own.push({ digest: tokenDigest(TASKFLOW_SERVICE_TOKEN), principal: servicePrincipal });
  }

  accept(callers: Callers): void {
    if (callers.localToken) this.own.push({ digest: tokenDigest(callers.localToken), principal: localOwner });
    this.callers = callers;
    this.localCallers = new LocalCallers(callers.runs);
    this.verified = callers.changes ? new VerifiedTokens(callers.changes) : null;
  }

  /** @returns a promise where a token has to be looked up
   *  @throws AppError unauthenticated, auth_unavailable, rate_limited */
  identify(request: FastifyRequest, path: string): void | Promise<void> {
    requireOneCredential(request);
    const { authorization } = request.headers;
    if (authorization !== undefined) return this.identifyBearer(request, path, authorization);
    const secret = sessionSecretOf(request);
    if (secret !== null) return this.identifySession(request, secret);
    if (bringsSession(request)) throw new AppError('unauthenticated', {}, SESSION_OVER);
    if (this.isClosed) throw new AppError('unauthenticated');
    if (this.callers.localToken) throw new AppError('unauthenticated', {}, LOCAL_TOKEN);
    return this.identifyOwner(request);
  }

  private identifyBearer(request: FastifyRequest, path: string, authorization: string): void | Promise<void> {
    const [, token] = /^Bearer (.+)$/i.exec(authorization) ?? [];
    if (token === undefined) throw new AppError('unauthenticated');
    const key = tokenKey(token);
    const known = this.ownerOf(Buffer.from(key, 'base64')) ?? this.verified?.find(key);
    if (known) {
      request.principal = known;
      return undefined;
    }
    return this.verify(request, path, token, key);
  }

  /** The holder of a token, to begin a session of the page.
   *  @throws AppError unauthenticated, auth_unavailable, rate_limited */
  async findHolder(address: string, token: string): Promise<Principal> {
    const owner = this.ownerOf(tokenDigest(token));
    if (owner) return owner;
    const source = this.callers.sources.find((one) => one.recognises(token));
    const principal = (await source?.findPrincipal(token)) ?? null;
    if (principal === null || principal.attempt !== null) throw this.refuse(address, source !== undefined, token);
    this.callers.watch?.signedIn(principal);
    return principal;
  }

  private ownerOf(digest: Buffer): Principal | undefined {
    return this.own.find((one) => timingSafeEqual(one.digest, digest))?.principal;
  }

  private async identifySession(request: FastifyRequest, secret: string): Promise<void> {
    requireOwnPage(request);
    const key = tokenKey(secret);
    const known = this.verified?.find(key);
    const principal = known ?? (await this.callers.sessions?.findPrincipal(secret)) ?? null;
    if (principal === null) throw new AppError('unauthenticated', {}, SESSION_OVER);
    if (!known) this.verified?.keep(key, principal);
    request.principal = principal;
  }

  private async verify(request: FastifyRequest, path: string, token: string, key: string): Promise<void> {
    const source = this.callers.sources.find((one) => one.recognises(token));
    const principal = (await source?.findPrincipal(token)) ?? null;
    if (principal === null) throw this.refuse(request.ip, source !== undefined, token);
    requireOwnAttempt(request, path, principal);
    this.verified?.keep(key, principal);
    this.callers.watch?.signedIn(principal);
    request.principal = principal;
  }

  /** @throws AppError rate_limited after many of that address */
  private refuse(address: string, isRecognised: boolean, token: string): AppError {
    const reason = isRecognised ? 'the token is unknown or no longer valid' : 'the token is wrong';
    this.failedLogins.record(address, reason);
    this.callers.watch?.refused(address, reason);
    return new AppError('unauthenticated', {}, isRunToken(token) ? RUN_OVER : undefined);
  }

  private identifyOwner(request: FastifyRequest): void | Promise<void> {
    const inode = this.localCallers.requireOwner(request.socket);
    const passedOn = request.headers[SOCKET_HEADER];
    if (typeof passedOn !== 'string' && !(inode instanceof Promise)) return admitOwner(request, inode);
    return this.verifyOwner(request, inode, passedOn);
  }

  private async verifyOwner(
    request: FastifyRequest,
    looked: string | null | Promise<string | null>,
    passedOn: string | string[] | undefined,
  ): Promise<void> {
    const inode = await looked;
    if (typeof passedOn === 'string') await this.localCallers.requireNoRun(passedOn);
    admitOwner(request, inode);
  }
}

function admitOwner(request: FastifyRequest, inode: string | null): void {
  request.localSocket = inode ?? undefined;
  request.principal = localOwner;
}

/** A run is admitted to its own attempt only. */
function requireOwnAttempt({ query }: FastifyRequest, path: string, principal: Principal): void {
  const { attempt } = principal;
  const own = runPathOf(principal);
  if (attempt === null || (path === own && (query as { attempt_id?: unknown }).attempt_id === attempt)) return;
  throw new AppError('unauthenticated', {}, `A run token is valid only for ${own}?attempt_id=${attempt}.`);
}

/** Node takes the first of two headers; a proxy in front may have checked the second. */
function requireOneCredential(request: FastifyRequest): void {
  if (request.headers.authorization === undefined) return;
  if (timesSent(request, 'authorization') > 1 || bringsSession(request))
    throw new AppError('unauthenticated', {}, 'Send one credential: one Authorization header, or the session cookie.');
}

/** Node keeps the first of several. @param name in lower case */
export function timesSent({ raw: { rawHeaders } }: FastifyRequest, name: string): number {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === name.length && rawHeaders[at]?.toLowerCase() === name) times += 1;
  return times;
}
