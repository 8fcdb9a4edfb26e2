import type { Task } from '../types.js';

interface OtherTextsProps {
  task: Task;
  keepMine: () => void;
  takeTheirs: () => void;
}

/** What somebody else has saved while this text was typed; both are there to choose from. */
export function OtherTexts({ task: { title, description }, keepMine, takeTheirs }: OtherTextsProps) {
  return (
    <section class="notice other-texts" role="alert" aria-label="Changed by somebody else">
      <p>
        <strong>Somebody has changed this task meanwhile.</strong> Yours is above and not saved; this is there now:
      </p>
      <p class="title">{title}</p>
      {/* to be scrolled and copied from with the keyboard, too */}
      <pre tabIndex={0}>{description ?? ''}</pre>
      <div class="bar">
        <button type="button" onClick={takeTheirs}>
          Take theirs
        </button>
        <button type="button" onClick={keepMine}>
          Save mine instead
        </button>
      </div>
    </section>
  );
}
