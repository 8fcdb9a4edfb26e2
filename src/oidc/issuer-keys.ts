import { Logger } from '@nestjs/common';
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { AppError } from '../platform/errors/app-error.js';
import { isRecord } from '../platform/fields/normalise.js';
import { ForeignAddress, IssuerConnection, PAUSE_MS } from './issuer-connection.js';

/** Minimum time between fetches for unknown keys, because anybody can invent a key id. */
export const COOLDOWN_MS = 30_000;
/** How long a key that the issuer withdrew is still trusted. */
const KEPT_MS = 600_000;

interface KeySet {
  url: string;
  foundAt: number;
  find: JWTVerifyGetKey;
}

/** The public keys of the issuer, fetched with the first token and when keys change. */
export class IssuerKeys {
  private readonly connection: IssuerConnection;
  private readonly logger = new Logger('Oidc');
  private keySet: KeySet | null = null;
  private discovery: Promise<KeySet> | null = null;
  private reportedAt = -Infinity;

  constructor(private readonly issuer: string) {
    this.connection = new IssuerConnection(issuer);
  }

  /** @throws AppError auth_unavailable if the issuer does not answer, JOSEError if it has no such key */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    try {
      const { find } = await this.currentKeySet();
      return await find(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      this.report(error);
      throw error instanceof ForeignAddress ? keysElsewhere(error) : new AppError('auth_unavailable');
    }
  };

  /** Known keys stay valid if the issuer is down when its metadata is fetched again. */
  private async currentKeySet(): Promise<KeySet> {
    const known = this.keySet;
    if (known && Date.now() - known.foundAt < KEPT_MS) return known;
    this.discovery ??= this.discover().finally(() => (this.discovery = null));
    try {
      this.keySet = await this.discovery;
    } catch (error) {
      if (known === null) throw error;
    }
    return this.keySet ?? this.discovery;
  }

  /** Logged once, not for every token that arrives meanwhile. */
  private report(error: unknown): void {
    if (Date.now() - this.reportedAt < PAUSE_MS) return;
    this.reportedAt = Date.now();
    this.logger.warn({ issuer: this.issuer, reason: reasonOf(error) }, 'the issuer does not tell its keys');
  }

  private async discover(): Promise<KeySet> {
    const answer = await this.connection.get(`${this.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const metadata: unknown = await answer.json();
    if (!isRecord(metadata) || metadata.issuer !== this.issuer || typeof metadata.jwks_uri !== 'string')
      throw new Error(`the metadata is not that of ${this.issuer}`);
    const url = metadata.jwks_uri;
    const find = this.keySet?.url === url ? this.keySet.find : this.keysAt(url);
    return { url, foundAt: Date.now(), find };
  }

  private keysAt(url: string): JWTVerifyGetKey {
    return createRemoteJWKSet(new URL(url), {
      cooldownDuration: COOLDOWN_MS,
      cacheMaxAge: KEPT_MS,
      [customFetch]: (address) => this.connection.get(address),
    });
  }
}

/** Only the issuer's own origin is called, whatever a token or its metadata says. */
const keysElsewhere = ({ url }: ForeignAddress): AppError =>
  new AppError(
    'auth_unavailable',
    { jwks_uri: url },
    'The issuer publishes its keys at {jwks_uri}. They must be on the origin of OIDC_ISSUER: no other is asked.',
  );

/** `fetch` hides what went wrong in the cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
