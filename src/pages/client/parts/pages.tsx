import { useEffect, useRef, useState } from 'preact/hooks';
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

/** A list of the server, read page by page. What is shown stays shown, and is read again with its first page.
 *  @param key names the list: another key begins anew */
export function usePages<T>(
  key: string,
  read: (cursor?: number) => Promise<Page<T>>,
  concerns?: (event: BoardEvent) => boolean,
): Pages<T> {
  const first = useResource(key, () => read(), concerns);
  const [older, setOlder] = useState<Page<T>[]>([]);
  const turn = useRef(0); // a later read counts
  useEffect(() => {
    if (older.length === 0) return;
    const own = (turn.current += 1);
    pagesFrom(first.data?.next_cursor ?? null, older.length, read)
      .then((pages) => own === turn.current && setOlder(pages))
      .catch(() => undefined); // they stay as they are
  }, [first.data]);
  const next = (older.at(-1) ?? first.data)?.next_cursor ?? null;
  const more = useAction(async () => {
    const page = await read(next!);
    turn.current += 1;
    setOlder((before) => [...before, page]);
  });
  return {
    rows: first.data && [first.data, ...older].flatMap(({ rows }) => rows),
    error: first.error ?? more.error,
    reload: first.reload,
    more: next === null ? null : more,
  };
}

/** So many pages at the most. */
async function pagesFrom<T>(first: number | null, most: number, read: (cursor: number) => Promise<Page<T>>) {
  const pages: Page<T>[] = [];
  for (let cursor = first; cursor !== null && pages.length < most; cursor = pages.at(-1)!.next_cursor)
    pages.push(await read(cursor));
  return pages;
}

export const More = ({ more, words = 'Show older ones' }: { more: Action<[]> | null; words?: string }) =>
  more && (
    <button type="button" disabled={more.isRunning} onClick={() => more.run()}>
      {words}
    </button>
  );
