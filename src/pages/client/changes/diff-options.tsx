import { useState } from 'preact/hooks';

const KEY = 'diff-options';
const OPTIONS = { isSplit: 'Side by side', wraps: 'Wrap lines', ignoresSpace: 'Ignore white space' };

/** How this browser shows every diff. */
export type DiffOptions = Readonly<Partial<Record<keyof typeof OPTIONS, boolean>>>;

export function useDiffOptions() {
  const [options, setOptions] = useState(() => JSON.parse(localStorage.getItem(KEY) ?? '{}') as DiffOptions);
  const choose = (next: DiffOptions) => {
    localStorage.setItem(KEY, JSON.stringify(next));
    setOptions(next);
  };
  return { options, choose };
}

export const DiffOptionsBox = ({ options, choose }: ReturnType<typeof useDiffOptions>) => (
  <fieldset class="diff-options">
    <legend class="visually-hidden">How lines are shown</legend>
    {Object.entries(OPTIONS).map(([name, label]) => {
      const key = name as keyof DiffOptions;
      return (
        <label key={name}>
          <input
            type="checkbox"
            checked={options[key] ?? false}
            onChange={() => choose({ ...options, [key]: !options[key] })}
          />{' '}
          {label}
        </label>
      );
    })}
  </fieldset>
);
