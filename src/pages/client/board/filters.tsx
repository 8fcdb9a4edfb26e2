import { useAddress } from '../search/use-address.js';
import type { Board, Card } from '../types.js';

const FIELDS = ['executor', 'priority', 'assignee', 'tag'] as const;
type Field = (typeof FIELDS)[number];
const OTHERS = ['search', 'archived', 'deleted', 'view', 'status'] as const;
export type Filters = Partial<Record<Field | 'search' | 'archived', string>>;
type Asked = Filters & { deleted?: string | undefined };
const WHICH = ['archived', 'deleted'] as const;

/** Labels must differ from those of form fields on the same page. */
const LABELS: Record<Field, string> = {
  executor: 'Run by',
  priority: 'Only priority',
  assignee: 'Only assignee',
  tag: 'Only tag',
};

const valuesOf: Record<Field, (card: Card) => (string | null)[]> = {
  executor: ({ executor }) => [executor],
  priority: ({ priority }) => [priority],
  assignee: ({ assignee }) => [assignee],
  tag: ({ tags }) => tags,
};

/** The filters of the board, and how it is shown, kept in the address so that links include them. */
export function useFilters() {
  const [{ view, status, deleted, ...filters }, change] = useAddress([...FIELDS, ...OTHERS]);
  return { view, status, deleted, filters, change };
}

export interface ViewProps {
  change: (shown: Partial<Record<'view' | 'status', string>>) => void;
}

/** Columns or a list. */
export const ViewChoice = ({ view, change }: ViewProps & { view: string | undefined }) => (
  <select aria-label="Shown as" value={view ?? ''} onChange={(event) => change({ view: event.currentTarget.value })}>
    <option value="">Board</option>
    <option value="list">List</option>
  </select>
);

interface BarProps {
  board: Board | null;
  filters: Filters;
  deleted: string | undefined;
  change: (next: Asked) => void;
}

/** The search, and a choice for each field of which the cards have values. */
export function FilterBar({ board, filters, deleted, change }: BarProps) {
  const cards = board?.columns.flatMap((column) => column.cards) ?? [];
  const asked: Asked = { ...filters, deleted };
  return (
    <div class="filters">
      {FIELDS.map((field) => (
        <Choice key={field} field={field} cards={cards} value={filters[field] ?? ''} change={change} />
      ))}
      <select
        aria-label="Which tasks"
        value={WHICH.find((one) => asked[one]) ?? ''}
        onChange={({ currentTarget: { value } }) =>
          change({ archived: value === 'archived' ? 'true' : '', deleted: value === 'deleted' ? 'true' : '' })
        }
      >
        <option value="">On the board</option>
        <option value="archived">Archived</option>
        <option value="deleted">Deleted lately</option>
      </select>
      <input
        type="search"
        aria-label="Search tasks"
        placeholder="Search tasks"
        value={filters.search ?? ''}
        onInput={(event) => change({ search: event.currentTarget.value })}
      />
    </div>
  );
}

interface ChoiceProps extends Pick<BarProps, 'change'> {
  field: Field;
  cards: Card[];
  value: string;
}

function Choice({ field, cards, value, change }: ChoiceProps) {
  const found = new Set(cards.flatMap(valuesOf[field]).filter((one) => one !== null));
  if (value) found.add(value);
  if (found.size < (value ? 1 : 2)) return null;
  return (
    <select
      aria-label={LABELS[field]}
      value={value}
      onChange={(event) => change({ [field]: event.currentTarget.value })}
    >
      <option value="">Any {field}</option>
      {[...found].sort().map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}
