import { useState } from 'preact/hooks';
import type { ApiError } from '../api.js';
import { RunChecks } from '../checks/run-checks.js';
import { Dialog } from '../parts/dialog.js';
import { dropDraft, useDraft } from '../parts/draft.js';
import { onSubmit } from '../parts/fields.js';

/** A person's reason to deliver in spite of the checks. */
export interface Override {
  reason: string;
}

const LACKS = [
  ['missing', 'Have not run:'],
  ['failed', 'Have failed:'],
  ['errored', 'Could not be run:'],
  ['stale', 'Are of other work than this:'],
  ['tampering', 'Changed, and nobody has said yes to it:'],
] as const;

interface RequiredProps {
  attempt_id: string;
  error: ApiError | null;
  /** Whether one may deliver all the same. */
  mayOverride: boolean;
  isBusy: boolean;
  deliver: (override: Override) => void;
}

/** What is missing to a delivery that the checks refuse, and the ways on. */
export function ChecksRequired({ attempt_id, error, mayOverride, isBusy, deliver }: RequiredProps) {
  const [isAsked, setAsked] = useState(false);
  if (error?.code !== 'checks_required') return null;
  const details = error.details as Partial<Record<(typeof LACKS)[number][0], string[]>>;
  const lacks = LACKS.filter(([kind]) => details[kind]?.length);
  return (
    <>
      <ul aria-label="What is missing">
        {lacks.map(([kind, words]) => (
          <li key={kind}>{`${words} ${details[kind]!.join(', ')}`}</li>
        ))}
      </ul>
      <div class="bar start">
        <RunChecks attempt_id={attempt_id} />
        {mayOverride && (
          <button type="button" class="danger" disabled={isBusy} onClick={() => setAsked(true)}>
            Deliver anyway…
          </button>
        )}
      </div>
      {isAsked && <Reason {...{ attempt_id, deliver }} close={() => setAsked(false)} />}
    </>
  );
}

const formOf = (attempt_id: string) => `override:${attempt_id}`;

/** What was typed is kept until it is delivered. */
export const overridden = (attempt_id: string): void => dropDraft(formOf(attempt_id));

function Reason({ attempt_id, deliver, close }: Pick<RequiredProps, 'attempt_id' | 'deliver'> & { close: () => void }) {
  const [reason, setReason] = useDraft(formOf(attempt_id));
  const submit = () => {
    close();
    deliver({ reason: reason.trim() });
  };
  return (
    <Dialog title="Deliver without the checks" close={close}>
      <form onSubmit={onSubmit(submit)}>
        <label>
          Why? It is recorded with your name.
          <textarea rows={2} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
        <div class="bar">
          <button class="danger" disabled={!reason.trim()}>
            Deliver anyway
          </button>
        </div>
      </form>
    </Dialog>
  );
}
