/** What is remembered of a credential, and who is told when it ends. */
import type { Principal } from './principal.js';

const KEPT_MS = 60_000;
const MAX_TOKENS = 10_000;

/** Announces revoked tokens, and says whether announcements arrive at present. */
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

  /** Finds nothing while announcements of revocations do not arrive. */
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

/** Timers of Node take no more. */
const MAX_WAIT_MS = 2 ** 31 - 1;
/** Announced when a project gets its first member and closes to everybody else. */
export const ALL_MEMBERS = 'member:all';

/** Announced when a worker is no longer a member. */
export const memberKey = (worker_id: string): string => `member:${worker_id}`;

/** Tells long work, such as a stream, that the credential or membership it began with ended, changed, or may have. */
export class CredentialEnds {
  private readonly listeners = new Map<string, Set<() => void>>();

  constructor(changes: Pick<TokenChanges, 'follow'>) {
    changes.follow((key) => this.heard(key));
  }

  /** @returns what stops listening */
  onEnd({ credential, worker }: Principal, listener: () => void): () => void {
    const keys = [
      ...(credential ? [`token:${credential.id}`] : []),
      ...(worker ? [memberKey(worker), ALL_MEMBERS] : []),
    ];
    for (const key of keys) this.listeners.set(key, (this.listeners.get(key) ?? new Set()).add(listener));
    const timer = credential ? endsIn(credential.expires_at, listener) : undefined;
    return () => {
      clearTimeout(timer);
      for (const key of keys) this.forget(key, listener);
    };
  }

  private forget(key: string, listener: () => void): void {
    const all = this.listeners.get(key);
    all?.delete(listener);
    if (all?.size === 0) this.listeners.delete(key);
  }

  private heard(key: string | null): void {
    const ended = key === null ? [...this.listeners.values()] : [this.listeners.get(key) ?? []];
    for (const listeners of ended) [...listeners].forEach((listener) => listener());
  }
}

function endsIn(expires_at: number | null, listener: () => void): NodeJS.Timeout | undefined {
  if (expires_at === null || expires_at - Date.now() > MAX_WAIT_MS) return undefined;
  return setTimeout(listener, Math.max(0, expires_at - Date.now())).unref();
}
