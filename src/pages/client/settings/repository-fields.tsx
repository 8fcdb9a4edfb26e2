import { Line, wordsOf } from '../parts/fields.js';
import type { Repo } from '../types.js';

/** As they are typed. */
export interface RepositorySettings {
  branch: string;
  setup: string;
  cleanup: string;
  runs_on: string;
}

interface FieldsProps {
  fields: RepositorySettings;
  change: (next: Partial<RepositorySettings>) => void;
  /** Whether one may say which runners take its runs. */
  mayRoute: boolean;
}

/** Where attempts begin in a repository, what runs around them, and on which runners. */
export function RepositoryFields({ fields, change, mayRoute }: FieldsProps) {
  const script = (label: string, field: 'setup' | 'cleanup', placeholder: string) => (
    <label>
      {label}
      <textarea
        rows={3}
        spellcheck={false}
        placeholder={placeholder}
        value={fields[field]}
        onInput={(event) => change({ [field]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <>
      <Line
        label="Target branch"
        value={fields.branch}
        placeholder="the current one"
        set={(branch) => change({ branch })}
      />
      {script('Set-up script, before the agent', 'setup', 'npm ci')}
      {script('Clean-up script, after each turn', 'cleanup', 'npm run format')}
      {mayRoute && (
        <Line
          label="Labels of its runners"
          value={fields.runs_on}
          placeholder="any runner"
          set={(runs_on) => change({ runs_on })}
        />
      )}
    </>
  );
}

export const settingsOf = (repo: Repo): RepositorySettings => ({
  branch: repo.default_target_branch,
  setup: repo.setup_script ?? '',
  cleanup: repo.cleanup_script ?? '',
  runs_on: repo.runs_on.join(', '),
});

/** As the server takes them; what is left out stays as it is. */
export const bodyOf = ({ branch, setup, cleanup, runs_on }: Partial<RepositorySettings>) => ({
  default_target_branch: branch?.trim() || undefined,
  setup_script: setup,
  cleanup_script: cleanup,
  runs_on: runs_on === undefined ? undefined : wordsOf(runs_on),
});
