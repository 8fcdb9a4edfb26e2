import type { Principal } from './principal.js';
import type { TokenChanges } from './verified-tokens.js';

/** Timers of Node take no more. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/** Tells what goes on for long, such as a stream, that the credential it began with has changed, is over, or may be. */
export class CredentialEnds {
  private readonly listeners = new Map<string, Set<() => void>>();

  constructor(changes: Pick<TokenChanges, 'follow'>) {
    changes.follow((key) => this.heard(key));
  }

  /** @returns what stops listening */
  onEnd({ credential }: Principal, listener: () => void): () => void {
    if (credential === null) return () => undefined;
    const key = `token:${credential.id}`;
    const all = this.listeners.get(key) ?? new Set();
    this.listeners.set(key, all.add(listener));
    const timer = endsIn(credential.expires_at, listener);
    return () => {
      clearTimeout(timer);
      all.delete(listener);
      if (all.size === 0 && this.listeners.get(key) === all) this.listeners.delete(key);
    };
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
