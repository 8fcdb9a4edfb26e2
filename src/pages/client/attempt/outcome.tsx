import { api, must } from '../api.js';
import { concernsAttempt } from '../feed.js';
import { Icon } from '../parts/icon.js';
import { Markdown } from '../parts/markdown.js';
import { useResource } from '../resource.js';
import { to } from '../routes.js';
import type { AttemptStatus, Changes } from '../types.js';
import { plainText } from './ansi.js';

const MOST_FILES = 8;

interface OutcomeProps {
  status: AttemptStatus;
  project_id: string;
  /** What the agent said last, as Markdown; null where it says nothing, as scripts do. */
  answer: string | null;
}

/** What came of an attempt: its final answer and its files. */
export function Outcome({ status, project_id, answer }: OutcomeProps) {
  const { attempt_id, final_message } = status;
  const params = { path: { attempt_id }, query: { detail: true } };
  const { data } = useResource<Changes>(
    `outcome:${attempt_id}`,
    () => must(api.GET('/api/attempts/{attempt_id}/changes', { params })),
    concernsAttempt(attempt_id),
  );
  const hasFiles = (data?.file_stats?.length ?? 0) > 0;
  if (answer === null && !final_message && !hasFiles) return null;
  return (
    <section class="outcome" aria-label="Outcome">
      {answer !== null && <Markdown text={plainText(answer)} />}
      {answer === null && final_message && <pre>{plainText(final_message)}</pre>}
      {hasFiles && <Files changes={data!} address={to.part(project_id, attempt_id, 'changes')} />}
    </section>
  );
}

function Files({ changes: { file_stats = [], summary }, address }: { changes: Changes; address: string }) {
  const more = summary.file_count - MOST_FILES;
  return (
    <ul class="files-changed" aria-label="Changed files">
      {file_stats.slice(0, MOST_FILES).map(({ path, added, deleted }) => (
        <li key={path}>
          <Icon name="file" /> <code>{path}</code>
          {added > 0 && <span class="added">+{added}</span>}
          {deleted > 0 && <span class="deleted">−{deleted}</span>}
        </li>
      ))}
      {more > 0 && (
        <li>
          <a href={address}>{more === 1 ? 'One more file' : `${more} more files`}</a>
        </li>
      )}
    </ul>
  );
}
