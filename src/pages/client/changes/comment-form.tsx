import { useLayoutEffect, useRef } from 'preact/hooks';
import { useAction } from '../action.js';
import { Refusal } from '../parts/notice.js';
import { useDraft } from '../parts/draft.js';

interface CommentFormProps {
  /** Names what is typed, which is kept until it is saved. */
  draft: string;
  initial?: string;
  /** What is written on its button. */
  verb: string;
  done: string;
  /** Lines that a suggestion begins with; none are suggested without. */
  suggest?: () => string;
  save: (key: string, text: string) => Promise<void>;
  close: () => void;
}

export function CommentForm({ draft, initial = '', verb, done, suggest, save, close }: CommentFormProps) {
  const [text, setText] = useDraft(draft);
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    if (text === '') setText(initial);
    box.current?.focus();
    return () => before?.focus();
  }, []);
  const saving = useAction(async (key) => {
    await save(key, text.trim());
    setText('');
    close();
  }, done);
  const submit = (event: Event) => {
    event.preventDefault();
    if (text.trim()) saving.run();
  };
  return (
    <form class="remark" onSubmit={submit}>
      <label>
        Comment
        <textarea
          ref={box}
          rows={3}
          maxLength={10_000}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') close();
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
          }}
        />
      </label>
      <Refusal error={saving.error} />
      <div class="bar">
        {suggest && (
          <button type="button" onClick={() => setText(`${text}${text && '\n'}\`\`\`suggestion\n${suggest()}\n\`\`\``)}>
            Suggest a change
          </button>
        )}
        <button
          type="button"
          onClick={() => {
            setText('');
            close();
          }}
        >
          Cancel
        </button>
        <button class="primary" disabled={!text.trim() || saving.isRunning}>
          {verb}
        </button>
      </div>
    </form>
  );
}
