import type { Principal } from './principal.js';

const KEPT_MS = 60_000;
const MAX_TOKENS = 10_000;

/** Tells of revoked tokens, and whether it hears of them at present. */
export interface TokenChanges {
  readonly isListening: boolean;
  /** @param listener is given `token:<id>`, or null where changes may have been missed */
  follow(listener: (key: string | null) => void): void;
}

interface Verified {
  principal: Principal;
  /** Epoch in milliseconds. */
  until: number;
}

/** Principals by the digest of their token, so that a token is verified once a minute at most. */
export class VerifiedTokens {
  private readonly byDigest = new Map<string, Verified>();
  private readonly digests = new Map<string, Set<string>>();

  constructor(private readonly changes: TokenChanges) {
    changes.follow((key) => this.forget(key));
  }

  /** Nothing while revocations cannot be heard. */
  find(digest: string): Principal | null {
    const found = this.byDigest.get(digest);
    if (found === undefined || !this.changes.isListening) return null;
    return found.until > Date.now() ? found.principal : null;
  }

  keep(digest: string, principal: Principal): void {
    const { credential } = principal;
    if (credential === null) return;
    const until = Math.min(Date.now() + KEPT_MS, credential.expires_at ?? Infinity);
    this.drop(digest);
    this.byDigest.set(digest, { principal, until });
    this.digests.set(credential.id, (this.digests.get(credential.id) ?? new Set()).add(digest));
    for (const oldest of this.byDigest.keys()) {
      if (this.byDigest.size <= MAX_TOKENS) break;
      this.drop(oldest);
    }
  }

  private forget(key: string | null): void {
    if (key === null) {
      this.byDigest.clear();
      this.digests.clear();
    } else if (key.startsWith('token:')) {
      for (const digest of this.digests.get(key.slice('token:'.length)) ?? []) this.drop(digest);
    }
  }

  private drop(digest: string): void {
    const id = this.byDigest.get(digest)?.principal.credential?.id;
    this.byDigest.delete(digest);
    if (id === undefined) return;
    const others = this.digests.get(id);
    others?.delete(digest);
    if (others?.size === 0) this.digests.delete(id);
  }
}
