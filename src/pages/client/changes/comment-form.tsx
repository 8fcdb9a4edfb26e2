import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { useComments } from './comments.js';
import type { DiffLine } from './unified-diff.js';

export function CommentForm({ add, close }: { add: (text: string) => void; close: () => void }) {
  const [text, setText] = useState('');
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  const submit = (event: Event) => {
    event.preventDefault();
    if (!text.trim()) return;
    add(text.trim());
    close();
  };
  return (
    <form class="remark" onSubmit={submit}>
      <label>
        Comment
        <textarea
          ref={box}
          rows={3}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') close();
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
          }}
        />
      </label>
      <div class="bar">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button class="primary" disabled={!text.trim()}>
          Add comment
        </button>
      </div>
    </form>
  );
}

interface RemarksProps {
  review: ReturnType<typeof useComments>;
  path: string;
  line: number;
  kind: DiffLine['kind'];
}

/** Unsent comments on a line. */
export function Remarks({ review, path, line, kind }: RemarksProps) {
  if (kind === 'hunk') return null;
  return (
    <>
      {review.comments.map(
        (comment, index) =>
          comment.path === path &&
          comment.line === line && (
            <div class="remark" key={index}>
              <p>{comment.text}</p>
              <button type="button" class="plain" onClick={() => review.remove(index)}>
                Remove
              </button>
            </div>
          ),
      )}
    </>
  );
}
