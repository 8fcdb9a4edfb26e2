import type { Principal } from '../platform/access/principal.js';
import type { AppError } from '../platform/errors/app-error.js';
import type { RunReach } from '../platform/access/rights.js';
import type { Scope } from '../platform/access/scopes.js';
import type { CallContext } from './tool.js';

/** What is listed for a caller. */
export interface Offer {
  /** Only tools that these allow. Default: all. */
  scopes: readonly Scope[];
  /** A run calls: only tools for runs that reach so far. */
  run: RunReach | null;
  /** Pull requests can be opened. */
  hasForge: boolean;
  /** A project of the caller has its work checked. */
  hasChecks: boolean;
}

/** Says what is listed for a caller. Provided by the module that knows rights and forges. */
export abstract class Offers {
  abstract of(principal: Principal): Promise<Offer>;
}

/** Says whether an endpoint may be bound to an attempt by `?attempt_id=`. Provided by the module that owns attempts. */
export abstract class AttemptBinding {
  /** @throws AppError attempt_not_found where the principal has no such attempt. */
  abstract check(attempt_id: string, principal: Principal): Promise<void>;
}

/** Values an agent or a person may type for an argument. Provided by the module that knows them. */
export abstract class CompletionSource {
  /** @param argument its name; @param value what is typed so far; @param context arguments already chosen.
   *  @returns the best first, of any number; nothing for an argument it does not know. */
  abstract complete(
    argument: string,
    value: string,
    context: Readonly<Record<string, string>>,
    call: CallContext,
  ): Promise<string[]>;
}

/** What a run passes to a tool as it may be stored. Provided by the module that knows the secrets of runs. */
export abstract class RunInput {
  abstract storable(args: unknown, run: Principal): Promise<unknown>;
}

/** What a refused value was taken for. */
export interface Recognised {
  error: AppError;
  /** Those of the call, with the right id; null where there is more than one. */
  arguments: Record<string, unknown> | null;
}

/** Knows what callers mean by an id or a name. Provided by the module that knows the records. */
export abstract class References {
  /** The arguments with ids in the place of the names of projects and repositories, where only one is called so. */
  abstract named(args: unknown, principal: Principal): Promise<unknown>;

  /** @returns null where the refusal is about no id, or nothing that the caller may see stands behind it */
  abstract recognise(refused: AppError, args: unknown, principal: Principal): Promise<Recognised | null>;
}

export interface InvocationStart {
  toolset: string;
  tool: string;
  context: CallContext;
}

/** Notified of every tool call, at its begin and end. Provided by the module that records them. */
export abstract class InvocationSink {
  /** Called once the tool is known, before it runs; who acted is known at the end.
   *  @returns a function to call at the end, with the code of a refusal or null */
  abstract enter(call: InvocationStart): (code: string | null) => void;
}
