import { AsyncLocalStorage } from 'node:async_hooks';
import type { Transaction } from '../database/database.js';
import type { Scope } from '../telemetry/scope.js';

/** What goes along with work, however often it waits. */
export interface AsyncContext {
  readonly scope?: Scope;
  readonly transaction?: Transaction;
}

/** One for all of it: until Node 24 every promise pays for each of them. */
const contexts = new AsyncLocalStorage<AsyncContext>();
const NOTHING: AsyncContext = {};

export const asyncContext = (): AsyncContext => contexts.getStore() ?? NOTHING;

/** Runs `work` with this beside what goes along already. */
export const runWith = <T>(more: AsyncContext, work: () => T): T => contexts.run({ ...asyncContext(), ...more }, work);
