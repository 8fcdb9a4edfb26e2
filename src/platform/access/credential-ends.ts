import type { Principal } from './principal.js';
import type { TokenChanges } from './verified-tokens.js';

/** Timers of Node take no more. */
const MAX_WAIT_MS = 2 ** 31 - 1;
/** Announced where a project is closed to all who were no members of it. */
export const ALL_MEMBERS = 'member:all';

/** Announced where a worker is a member no longer. */
export const memberKey = (worker_id: string): string => `member:${worker_id}`;

/** Tells what goes on for long, such as a stream, that the credential or the membership it began with has changed, is
 *  over, or may be. */
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
