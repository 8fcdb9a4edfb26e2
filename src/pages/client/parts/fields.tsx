import type { ComponentChildren } from 'preact';
import { useDraft } from './draft.js';

/** Fields of a form, kept as a draft until they are sent: those that were changed stand over what they began with.
 *  @param form names it, with the id of what it is about */
export function useFields<T extends object>(form: string, initial: T) {
  const [draft, keep] = useDraft(form, '{}');
  const changed = JSON.parse(draft) as Partial<T>;
  return {
    fields: { ...initial, ...changed },
    changed,
    isChanged: draft !== '{}',
    change: (next: Partial<T>) => keep(JSON.stringify({ ...changed, ...next })),
    clear: () => keep('{}'),
  };
}

interface LineProps {
  label: string;
  value: string;
  set: (value: string) => void;
  type?: 'text' | 'date' | 'number';
  min?: number;
  max?: number;
  placeholder?: string;
  maxLength?: number;
  disabled?: boolean;
  /** Id of a datalist. */
  list?: string;
  autocomplete?: 'off';
}

/** One line of text, a day or a number, with its label. */
export function Line({ label, value, set, type = 'text', ...rest }: LineProps) {
  const attributes: object = { type, ...rest }; // Preact's types know one kind of input at a time
  return (
    <label>
      {label}
      <input spellcheck={false} value={value} onInput={(event) => set(event.currentTarget.value)} {...attributes} />
    </label>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  set: (value: T) => void;
  options: readonly (readonly [value: T, words: string])[];
  /** Where the label is seen otherwise. */
  isBare?: boolean;
  disabled?: boolean;
}

export function Choice<T extends string>({ label, value, set, options, isBare, disabled }: ChoiceProps<T>) {
  const select = (
    <select
      value={value}
      disabled={disabled}
      aria-label={isBare ? label : undefined}
      onChange={(event) => set(event.currentTarget.value as T)}
    >
      {options.map(([one, words]) => (
        <option key={one} value={one}>
          {words}
        </option>
      ))}
    </select>
  );
  if (isBare) return select;
  return (
    <label>
      {label}
      {select}
    </label>
  );
}

interface TickProps {
  isOn: boolean;
  toggle: () => void;
  children: ComponentChildren;
}

export const Tick = ({ isOn, toggle, children }: TickProps) => (
  <label class="tick">
    <input type="checkbox" checked={isOn} onChange={toggle} /> {children}
  </label>
);

/** Words of a text, at spaces, commas and line ends. */
export const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** The submission of a form, by a function instead of by the browser. */
export const onSubmit = (act: () => void) => (event: Event) => {
  event.preventDefault();
  act();
};
