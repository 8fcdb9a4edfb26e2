import { AsyncLocalStorage } from 'node:async_hooks';

/** A value that goes along with work, however often that waits; made once a process for each kind of value. All of them
 *  are kept in one store: until Node 24 every promise pays for each store. */
export class AsyncValue<T> {
  private static readonly values = new AsyncLocalStorage<readonly unknown[]>();
  private static kinds = 0;
  private readonly place = AsyncValue.kinds++;

  get(): T | undefined {
    return AsyncValue.values.getStore()?.[this.place] as T | undefined;
  }

  /** Runs `work` with the value beside those that go along already. */
  run<R>(value: T, work: () => R): R {
    const values = AsyncValue.values.getStore()?.slice() ?? [];
    values[this.place] = value;
    return AsyncValue.values.run(values, work);
  }
}
