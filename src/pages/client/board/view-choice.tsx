type Shown = Partial<Record<'view' | 'status', string>>;
export interface ChoiceProps {
  change: (shown: Shown) => void;
}

/** Columns or a list. */
export function ViewChoice({ view, change }: ChoiceProps & { view: string | undefined }) {
  return (
    <select aria-label="Shown as" value={view ?? ''} onChange={(event) => change({ view: event.currentTarget.value })}>
      <option value="">Board</option>
      <option value="list">List</option>
    </select>
  );
}
