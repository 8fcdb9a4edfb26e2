import { useEffect, useMemo, useState } from 'preact/hooks';
import { Loading, Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';
import { CommentForm, Remarks } from './comment-form.js';
import type { useComments } from './comments.js';
import { readPatch } from './patches.js';
import { type DiffLine, linesOf } from './unified-diff.js';
import { type FileStat, markOf, type useViewed } from './viewed.js';

/** Longer files start folded. */
const FOLDED_FROM_LINES = 500;

interface FileDiffProps {
  id: string;
  attempt_id: string;
  file: FileStat;
  review: ReturnType<typeof useComments>;
  viewed: ReturnType<typeof useViewed>;
}

export function FileDiff({ id, attempt_id, file, review, viewed }: FileDiffProps) {
  const isViewed = viewed.has(file);
  const [isOpen, setOpen] = useState(!isViewed && file.added + file.deleted < FOLDED_FROM_LINES);
  useEffect(() => {
    if (isViewed) setOpen(false);
  }, [isViewed]);
  return (
    <div id={id} class="file">
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class="path">{file.path}</span>
          {file.old_path && <span class="quiet">from {file.old_path}</span>}
          <span class="added">+{file.added}</span>
          <span class="deleted">−{file.deleted}</span>
        </summary>
        {isOpen && <Patch {...{ attempt_id, file, review }} />}
      </details>
      <label class="viewed">
        <input type="checkbox" checked={isViewed} onChange={() => viewed.toggle(file)} /> Viewed
      </label>
    </div>
  );
}

function Patch({ attempt_id, file, review }: Pick<FileDiffProps, 'attempt_id' | 'file' | 'review'>) {
  const patch = useResource(`patch:${attempt_id}:${markOf(file)}`, () => readPatch(attempt_id, file));
  const text = patch.data?.text ?? '';
  const lines = useMemo(() => linesOf(text), [text]);
  const [asked, setAsked] = useState<number | null>(null);
  const remarked = new Set(review.comments.filter(({ path }) => path === file.path).map(({ line }) => line));
  if (!patch.data) return patch.error ? <Refusal error={patch.error} /> : <Loading />;
  if (lines.length === 0)
    return <p class="quiet">{patch.data.hint ?? 'No lines to show: a binary file or a change of mode.'}</p>;
  return (
    <div class="patch" role="group" aria-label={`Changes of ${file.path}`}>
      {lines.map((line, index) => (
        <>
          {shown(line, () => setAsked(index))}
          {remarked.has(numberOf(line)) && (
            <Remarks review={review} path={file.path} line={numberOf(line)} kind={line.kind} />
          )}
          {asked === index && (
            <CommentForm
              close={() => setAsked(null)}
              add={(said) => review.add({ path: file.path, line: numberOf(line), quote: line.text, text: said })}
            />
          )}
        </>
      ))}
      {patch.data.hint && <p class="notice">{patch.data.hint}</p>}
    </div>
  );
}

const numberOf = (line: DiffLine) => line.new ?? line.old ?? 0;
const SIGNS = { added: '+', deleted: '−', context: ' ', hunk: ' ' };

/** Elements rather than a component, because there are thousands. */
const shown = (line: DiffLine, ask: () => void) => (
  <div class={`diff-line ${line.kind}`}>
    <span class="number">{line.old}</span>
    <span class="number">{line.new}</span>
    <span class="sign">
      {line.kind !== 'hunk' && (
        <button
          type="button"
          class="comment"
          aria-label="Comment"
          title={`Comment on line ${numberOf(line)}`}
          onClick={ask}
        >
          ＋
        </button>
      )}
      {SIGNS[line.kind]}
    </span>
    <span class="text">{line.text}</span>
  </div>
);
