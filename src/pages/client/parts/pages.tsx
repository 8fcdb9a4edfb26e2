import { useEffect, useState } from 'preact/hooks';
import { type Action, useAction } from '../action.js';
import type { ApiError } from '../api.js';
import type { BoardEvent } from '../feed.js';
import { type Resource, useResource } from '../resource.js';

interface Page<T> {
  rows: T[];
  next_cursor: number | null;
}

interface Pages<T> extends Omit<Resource<unknown>, 'data'> {
  /** What has been read so far; null before the first answer. */
  rows: T[] | null;
  error: ApiError | null;
  /** Reads the next page; null where there is none. */
  more: Action<[]> | null;
}

/** A list of the server, read page by page.
 *  @param key names the list: another key begins anew */
export function usePages<T>(
  key: string,
  read: (cursor?: number) => Promise<Page<T>>,
  concerns?: (event: BoardEvent) => boolean,
): Pages<T> {
  const first = useResource(key, () => read(), concerns);
  const [older, setOlder] = useState<Page<T> | null>(null);
  useEffect(() => setOlder(null), [first.data]);
  const next = (older ?? first.data)?.next_cursor ?? null;
  const more = useAction(async () => {
    const page = await read(next!);
    setOlder({ ...page, rows: [...(older?.rows ?? []), ...page.rows] });
  });
  return {
    rows: first.data && [...first.data.rows, ...(older?.rows ?? [])],
    error: first.error ?? more.error,
    reload: first.reload,
    more: next === null ? null : more,
  };
}

export const More = ({ more, words = 'Show older ones' }: { more: Action<[]> | null; words?: string }) =>
  more && (
    <button type="button" disabled={more.isRunning} onClick={() => more.run()}>
      {words}
    </button>
  );
