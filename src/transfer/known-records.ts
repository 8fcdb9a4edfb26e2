import type { ExternalRecordsRepository, FoundRecord, InnerKind, Origin } from './external-records.repository.js';

/** A record that lines may refer to, and the line it stands on; 0 where it was there before. */
export type KnownRecord = FoundRecord & { line: number };

/** What the lines of one round refer to: records of that round, of earlier ones and of earlier imports. */
export class KnownRecords {
  private readonly records = new Map<string, KnownRecord[]>();

  /** @param projects in which they are looked for */
  constructor(
    private readonly rows: ExternalRecordsRepository,
    private readonly projects: readonly string[],
  ) {}

  /** Looks for those that are not known yet. */
  async look(kind: InnerKind, origins: readonly Origin[]): Promise<void> {
    const unknown = new Map(origins.map((origin) => [keyOf(kind, origin), origin] as const));
    for (const key of unknown.keys()) if (this.records.has(key)) unknown.delete(key);
    const asked = [...unknown.values()];
    for (const key of unknown.keys()) this.records.set(key, []);
    for (const { position, id, project_id } of await this.rows.find(kind, this.projects, asked))
      this.records.get(keyOf(kind, asked[position]!))!.push({ id, project_id, line: 0 });
  }

  add(kind: InnerKind, origin: Origin, record: KnownRecord): void {
    const key = keyOf(kind, origin);
    this.records.set(key, [...(this.records.get(key) ?? []), record]);
  }

  /** In one project. */
  findIn(project_id: string, kind: InnerKind, origin: Origin): KnownRecord | undefined {
    return this.records.get(keyOf(kind, origin))?.find((record) => record.project_id === project_id);
  }

  /** What a line refers to. @returns the record, or what is wrong with the reference */
  get(kind: InnerKind, origin: Origin, line: number): KnownRecord | string {
    const found = this.records.get(keyOf(kind, origin))?.filter((record) => record.line < line) ?? [];
    const what = `${kind} ${origin.external_id} of ${origin.system}`;
    if (found.length > 1) return `refers to ${what}, which several projects have`;
    return found[0] ?? `refers to ${what}, which no earlier line has`;
  }
}

const keyOf = (kind: InnerKind, { system, external_id }: Origin): string => [kind, system, external_id].join('\0');
