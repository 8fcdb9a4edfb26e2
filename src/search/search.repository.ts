import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { membershipOf, projectScope } from '../platform/access/rights.js';
import { Database } from '../platform/database/database.js';
import { termQuery, wordsIn } from '../platform/database/word-search.js';
import { searchKinds, type SearchKind, type SearchResultOutput } from './search.dto.js';
import { SEARCH } from './search.sql.js';

export type FoundText = Omit<SearchResultOutput, 'attempt_id'> & { attempt_id: string | null; number: string };

interface Search {
  q: string;
  project_id?: string | undefined;
  kinds: readonly SearchKind[];
  /** Numbers below which the kinds begin. */
  below: Record<SearchKind, number>;
  /** Of each kind. */
  limit: number;
}

@Injectable()
export class SearchRepository {
  constructor(private readonly database: Database) {}

  /** The newest texts of each kind, in no order among the kinds. */
  find(principal: Principal, { q, project_id, kinds, below, limit }: Search): Promise<FoundText[]> {
    return this.database.queryPrepared<FoundText>(SEARCH, [
      projectScope(principal),
      membershipOf(principal),
      project_id ?? null,
      termQuery({ words: q, begun: 'last' }),
      searchKinds.map((kind) => below[kind]),
      searchKinds.map((kind) => (kinds.includes(kind) ? limit : 0)),
      wordsIn(q)[0],
    ]);
  }
}
