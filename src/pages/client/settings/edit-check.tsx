import { useAction } from '../action.js';
import { Dialog } from '../parts/dialog.js';
import { Choice, Line, onSubmit, Tick, useFields } from '../parts/fields.js';
import { Refusal } from '../parts/notice.js';
import type { CheckDefinition } from '../types.js';

const NETWORKS = [
  ['inherit', 'What runs of the project reach'],
  ['none', 'Nothing'],
] as const;

interface EditProps {
  /** Names its draft. */
  form: string;
  /** Undefined for a new one. */
  check: CheckDefinition | undefined;
  put: (check: CheckDefinition) => Promise<void>;
  close: () => void;
}

/** One check: a command that proves something where it ends with 0. */
export function EditCheck({ form, check, put, close }: EditProps) {
  const { fields, isChanged, change, clear } = useFields(form, typedOf(check));
  const end = () => {
    clear();
    close();
  };
  const save = useAction(() => put(checkOf(fields)).then(end), 'Checks saved');
  return (
    <Dialog title={check ? `Edit ${check.name}` : 'Add a check'} close={close}>
      <form onSubmit={onSubmit(() => save.run())}>
        <Line label="Name" value={fields.name} placeholder="unit tests" set={(name) => change({ name })} />
        <Area label="Command" value={fields.command} placeholder="npm test" set={(command) => change({ command })} />
        <Line
          label="Seconds that it may take"
          type="number"
          min={1}
          value={fields.timeout}
          set={(timeout) => change({ timeout })}
        />
        <Tick isOn={fields.required} toggle={() => change({ required: !fields.required })}>
          required
        </Tick>
        <Tick isOn={fields.rerun_on_failure} toggle={() => change({ rerun_on_failure: !fields.rerun_on_failure })}>
          run once more where it fails
        </Tick>
        <Choice label="It reaches" value={fields.network} options={NETWORKS} set={(network) => change({ network })} />
        <Area
          label="Only where one of these was changed, one a line"
          value={fields.paths}
          placeholder="always"
          set={(paths) => change({ paths })}
        />
        <div class="bar">
          {isChanged && (
            <button type="button" class="plain" onClick={end}>
              Discard
            </button>
          )}
          <button class="primary" disabled={save.isRunning || !fields.name.trim() || !fields.command.trim()}>
            Save
          </button>
        </div>
        <Refusal error={save.error} />
      </form>
    </Dialog>
  );
}

interface AreaProps {
  label: string;
  value: string;
  placeholder: string;
  set: (value: string) => void;
}

const Area = ({ label, value, placeholder, set }: AreaProps) => (
  <label>
    {label}
    <textarea
      rows={2}
      spellcheck={false}
      {...{ value, placeholder }}
      onInput={(event) => set(event.currentTarget.value)}
    />
  </label>
);

const NEW: CheckDefinition = {
  name: '',
  command: '',
  timeout_secs: 600,
  required: true,
  paths: null,
  network: 'inherit',
  rerun_on_failure: false,
};

/** As it is typed. */
const typedOf = ({ timeout_secs, paths, ...check }: CheckDefinition = NEW) => ({
  ...check,
  timeout: String(timeout_secs),
  paths: paths?.join('\n') ?? '',
});

/** As the server takes it. */
function checkOf({ timeout, paths, ...check }: ReturnType<typeof typedOf>): CheckDefinition {
  const globs = paths
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  return { ...check, timeout_secs: Number(timeout), paths: globs.length > 0 ? globs : null };
}
