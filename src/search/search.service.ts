import { Injectable } from '@nestjs/common';
import { BroadReads } from '../platform/access/broad-reads.js';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import { pageLimit } from '../platform/fields/paging.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import {
  MAX_RESULTS,
  type SearchInput,
  type SearchKind,
  searchKinds,
  type SearchOutput,
  type SearchResultOutput,
  USUAL_RESULTS,
} from './search.dto.js';
import { type FoundText, SearchRepository } from './search.repository.js';

/** Of each kind the number that was answered last. */
type Cursor = Record<SearchKind, number>;

@Injectable()
export class SearchService {
  constructor(
    private readonly texts: SearchRepository,
    private readonly projectRows: ProjectsRepository,
    private readonly broad: BroadReads,
  ) {}

  /** @throws AppError project_not_found, not_a_member, query_too_broad, invalid_argument for a cursor */
  async find({ q, kinds = [...searchKinds], ...input }: SearchInput, principal: Principal): Promise<SearchOutput> {
    const { project_id } = input;
    if (project_id !== undefined) await this.projectRows.get(principal, project_id);
    const below = readCursor(input.cursor);
    const limit = pageLimit(input.limit, USUAL_RESULTS, MAX_RESULTS);
    const search = { q, project_id, kinds, below, limit: limit + 1 };
    const found = await this.broad.read(principal, 'a further word, kinds or project_id', () =>
      this.texts.find(principal, search),
    );
    return newestOf(found, below, limit);
  }
}

/** The newest of all kinds. Within its kind each comes by its number, so that a page ends at one number of each. */
function newestOf(found: readonly FoundText[], below: Cursor, limit: number): SearchOutput {
  const left = searchKinds.map((kind) =>
    found.filter((text) => text.kind === kind).sort((a, b) => Number(b.number) - Number(a.number)),
  );
  const results: SearchResultOutput[] = [];
  const reached = { ...below };
  while (results.length < limit) {
    const next = left.reduce((one, other) => (atOf(other) > atOf(one) ? other : one)).shift();
    if (next === undefined) break;
    reached[next.kind] = Number(next.number);
    results.push(toOutput(next));
  }
  const next_cursor = left.some((texts) => texts.length > 0)
    ? searchKinds.map((kind) => reached[kind]).join('.')
    : null;
  return { results, next_cursor };
}

const atOf = ([first]: readonly FoundText[]): string => first?.at ?? '';

const toOutput = ({ number: _, attempt_id, excerpt, ...text }: FoundText): SearchResultOutput => ({
  ...text,
  ...(attempt_id === null ? {} : { attempt_id }),
  excerpt: excerpt.replace(/\s+/g, ' ').trim(),
});

function readCursor(cursor: string | undefined): Cursor {
  const parts = cursor?.split('.') ?? searchKinds.map(() => String(Number.MAX_SAFE_INTEGER));
  if (parts.length !== searchKinds.length || !parts.every((part) => /^\d{1,16}$/.test(part))) {
    const message = 'cursor is no next_cursor of a search';
    throw new AppError('invalid_argument', { summary: message, fields: [{ field: 'cursor', message }] });
  }
  return Object.fromEntries(searchKinds.map((kind, at) => [kind, Number(parts[at])])) as Cursor;
}
