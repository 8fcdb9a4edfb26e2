import { useEffect, useState } from 'preact/hooks';
import { api, ApiError, must } from '../api.js';
import { rowOf } from '../attempt/tool-row.js';
import { Icon } from './icon.js';
import { duration } from './time.js';
import { costOf } from './usage.js';

const LOOK_MS = 5_000;
/** Counting lines costs the server more than the rest, and cards are many. */
const COUNT_MS = 15_000;
/** Of the newest entries, so many are searched for a tool. */
const NEWEST = 20;

/** Read again and again while somebody looks, and never twice at a time. What fails is left out until the next look. */
function useTicking<T>(attempt_id: string, every_ms: number, read: () => Promise<T>): T | null {
  const [data, setData] = useState<T | null>(null);
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout>;
    const look = async () => {
      const found = document.visibilityState === 'visible' ? await read().catch(orNothing) : null;
      if (isOver) return;
      if (found !== null) setData(found);
      timer = setTimeout(() => void look(), every_ms);
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [attempt_id]);
  return data;
}

function orNothing(error: unknown): null {
  if (!(error instanceof ApiError)) throw error;
  return null;
}

const useLines = (attempt_id: string) =>
  useTicking(attempt_id, COUNT_MS, async () => {
    const params = { path: { attempt_id } };
    const { added, deleted } = (await must(api.GET('/api/attempts/{attempt_id}/changes', { params }))).summary;
    return added + deleted > 0 ? { added, deleted } : null;
  });

/** The run and the tool that it uses. */
const useWork = (attempt_id: string) =>
  useTicking(attempt_id, LOOK_MS, async () => {
    const path = { attempt_id };
    const [{ executions }, { page }] = await Promise.all([
      must(api.GET('/api/attempts/{attempt_id}/executions', { params: { path, query: { limit: 1 } } })),
      must(api.GET('/api/attempts/{attempt_id}/logs', { params: { path, query: { limit: NEWEST } } })),
    ]);
    const tool = page.entries.map(({ entry }) => entry).findLast(({ type }) => type === 'tool_use');
    return { run: executions[0], row: tool && rowOf(tool) };
  });

/** Time, cost, lines and the latest tool of a run, ticking. */
export function LiveFacts({ attempt_id }: { attempt_id: string }) {
  const { run, row } = useWork(attempt_id) ?? {};
  const lines = useLines(attempt_id);
  return (
    <p class="live facts">
      {run?.started_at && (
        <span class="fact">
          <Icon name="clock" /> <Elapsed since={run.started_at} />
        </span>
      )}
      {run?.usage?.cost_usd != null && <span>{costOf(run.usage)}</span>}
      {lines && (
        <span>
          <span class="added">+{lines.added}</span> <span class="deleted">−{lines.deleted}</span>
        </span>
      )}
      {row && (
        <span class="fact">
          <Icon name={row.icon} /> {row.verb} <code>{row.what}</code>
        </span>
      )}
    </p>
  );
}

function Elapsed({ since }: { since: string }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return <time dateTime={since}>{duration(Math.max(0, Math.floor((now - Date.parse(since)) / 1_000)) * 1_000)}</time>;
}
