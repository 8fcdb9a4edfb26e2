import { LogEntryFields, LogPage, TailLogsOutput } from '../../executions/log.dto.js';
import { IntField, ListField, ObjectField, TimeField, UuidField } from '../../platform/fields/fields.js';

/** An entry of a page that says once what all of them share. */
class TailedEntry {
  @IntField('Position in the attempt and channel, starting at 0, without gaps, never reused. Integer.', {
    example: 42,
  })
  entry_index!: number;
  @UuidField('Execution that produced the entry (UUID), or null; absent if it stands above.', {
    optional: true,
    nullable: true,
  })
  execution_process_id?: string | null;
  @TimeField('When it was stored (RFC 3339); absent if it stands above.', { optional: true }) created_at?: string;
  @ObjectField('The entry.', () => LogEntryFields) entry!: LogEntryFields;
}

class TailedPage extends LogPage {
  @UuidField('Execution of all entries (UUID), if it is one, but not the latest; otherwise absent.', {
    optional: true,
    nullable: true,
  })
  execution_process_id?: string | null;
  @TimeField('When all entries were stored, if at once (RFC 3339); otherwise absent.', { optional: true })
  created_at?: string;
  @ListField('Entries in chronological order; none with format=text.', () => TailedEntry)
  declare entries: LogPage['entries'];
}

/** What a tail answers over MCP. */
export class TailedLogsOutput extends TailLogsOutput {
  @ObjectField('One page of entries.', () => TailedPage) declare page: TailedPage;
}

const SHARED = ['execution_process_id', 'created_at'] as const;

/** Entries are many and short: what is the same for all of them is said once. */
export function sharedOnce(output: TailLogsOutput): TailedLogsOutput {
  const { page } = output;
  const [first, ...others] = page.entries;
  if (first === undefined) return output;
  const shared: string[] = SHARED.filter((name) => others.every((row) => row[name] === first[name]));
  const [said] = split(first, shared);
  if (said.execution_process_id === output.execution_process_id) delete said.execution_process_id;
  return { ...output, page: { ...page, ...said, entries: page.entries.map((row) => split(row, shared)[1]) } };
}

/** @returns the fields of these names, and the others */
function split<T extends object>(row: T, names: readonly string[]): [Partial<T>, T] {
  const all = Object.entries(row);
  const part = (isNamed: boolean) => Object.fromEntries(all.filter(([name]) => names.includes(name) === isNamed));
  return [part(true) as Partial<T>, part(false) as T];
}
