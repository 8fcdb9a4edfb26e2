import { AsyncLocalStorage } from 'node:async_hooks';

/** A value that follows asynchronous work. All kinds share one AsyncLocalStorage, because before Node 24 every promise
 *  pays for each store. */
export class AsyncValue<T> {
  private static readonly values = new AsyncLocalStorage<readonly unknown[]>();
  private static kinds = 0;
  private readonly place = AsyncValue.kinds++;

  get(): T | undefined {
    return AsyncValue.values.getStore()?.[this.place] as T | undefined;
  }

  /** Runs `work` with this value added to those that already follow it. */
  run<R>(value: T, work: () => R): R {
    const values = AsyncValue.values.getStore()?.slice() ?? [];
    values[this.place] = value;
    return AsyncValue.values.run(values, work);
  }
}
