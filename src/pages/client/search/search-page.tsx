import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import type { components } from '../generated/api.js';
import { useProjects } from '../projects.js';
import { Refusal } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { useTitle } from '../parts/tab-state.js';
import { to } from '../routes.js';
import { useAddress } from './use-address.js';
import { useFound } from './use-found.js';

type Found = components['schemas']['SearchOutput'];
type Result = Found['results'][number];
type Kind = Result['kind'];

const KINDS: readonly [Kind, string][] = [
  ['task', 'Tasks'],
  ['message', 'Messages'],
  ['answer', 'Answers'],
  ['comment', 'Comments'],
];
const NOTHING: Found = { results: [], next_cursor: null };

/** Everything that was written, by words; the address holds what is asked. */
export function SearchPage() {
  useTitle('Search');
  const [{ q = '', kind = '', project = '' }, change] = useAddress(['q', 'kind', 'project']);
  const asked = { q: q.trim(), kinds: kind ? [kind as Kind] : undefined, project_id: project || undefined };
  const search = (cursor?: string, signal?: AbortSignal) =>
    must(api.GET('/api/search', { params: { query: { ...asked, cursor } }, signal }));
  const key = asked.q && JSON.stringify(asked);
  const found = useFound(key, NOTHING, (signal) => search(undefined, signal));
  const [older, setOlder] = useState(NOTHING);
  useEffect(() => setOlder(NOTHING), [found.data]);
  const next = (older === NOTHING ? found.data : older).next_cursor;
  const more = useAction(async () => {
    const page = await search(next!);
    setOlder({ ...page, results: [...older.results, ...page.results] });
  });
  const results = [...found.data.results, ...older.results];
  return (
    <>
      <h1>Search</h1>
      <search class="bar">
        <input
          type="search"
          aria-label="Search everywhere"
          placeholder="Titles, texts, messages, answers, comments"
          value={q}
          onInput={(event) => change({ q: event.currentTarget.value })}
        />
        <select aria-label="Only kind" value={kind} onChange={(event) => change({ kind: event.currentTarget.value })}>
          <option value="">Any kind</option>
          {KINDS.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
        <ProjectChoice value={project} change={(value) => change({ project: value })} />
      </search>
      <Refusal error={found.error ?? more.error} />
      <p role="status" class="quiet">
        {wordsFor(asked.q, found.isAsking, results.length, next !== null)}
      </p>
      <ul class="plain-list found">
        {results.map((result, place) => (
          <Line key={place} result={result} words={asked.q} />
        ))}
      </ul>
      {next !== null && (
        <button type="button" disabled={more.isRunning} onClick={() => more.run()}>
          Show older ones
        </button>
      )}
    </>
  );
}

function wordsFor(q: string, isAsking: boolean, count: number, hasMore: boolean): string {
  if (!q) return 'All words have to be there; the last one may be only begun.';
  if (isAsking) return 'Searching…';
  if (count === 0) return 'Nothing was found: try fewer words, or another project.';
  return `${count}${hasMore ? ' newest' : ''} found`;
}

function ProjectChoice({ value, change }: { value: string; change: (project_id: string) => void }) {
  const { data } = useProjects();
  return (
    <select aria-label="Only project" value={value} onChange={(event) => change(event.currentTarget.value)}>
      <option value="">Any project</option>
      {data?.projects.map(({ project_id, name }) => (
        <option key={project_id} value={project_id}>
          {name}
        </option>
      ))}
    </select>
  );
}

const NAMES: Record<Kind, string> = { task: 'Task', message: 'Message', answer: 'Answer', comment: 'Comment' };

function Line({ result, words }: { result: Result; words: string }) {
  const { kind, project_id, task_id, attempt_id, title, excerpt, at } = result;
  return (
    <li class="card">
      <div class="row">
        <a href={attempt_id ? to.attempt(project_id, attempt_id) : to.task(project_id, task_id)}>{title}</a>
        <span class="quiet">
          {NAMES[kind]} · <Time at={at} />
        </span>
      </div>
      {excerpt && (
        <p class="quiet">
          {markedIn(excerpt, words).map((part, place) => (place % 2 ? <mark key={place}>{part}</mark> : part))}
        </p>
      )}
    </li>
  );
}

/** Parts of the text; every second one begins with a word that was asked for. */
function markedIn(text: string, words: string): string[] {
  const asked = words.match(/[\p{L}\p{N}]+/gu);
  return asked ? text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${asked.join('|')})`, 'iu')) : [text];
}
