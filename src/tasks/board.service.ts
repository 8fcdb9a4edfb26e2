import { Injectable } from '@nestjs/common';
import { BroadReads } from '../platform/access/broad-reads.js';
import type { Principal } from '../platform/access/principal.js';
import { pageLimit } from '../platform/fields/paging.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { type BoardInput, type BoardOutput, MAX_CARDS } from './board.dto.js';
import { BoardRepository } from './board.repository.js';

/** A project at a glance. */
@Injectable()
export class BoardService {
  constructor(
    private readonly projectRows: ProjectsRepository,
    private readonly board: BoardRepository,
    private readonly broad: BroadReads,
  ) {}

  /** @throws AppError project_not_found, not_a_member, query_too_broad */
  async get({ limit: asked, project_id, ...filter }: BoardInput, principal: Principal): Promise<BoardOutput> {
    await this.projectRows.get(principal, project_id);
    const limit = pageLimit(asked, MAX_CARDS, MAX_CARDS);
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const columns = isFiltered
      ? await this.broad.read(principal, 'a further word, tag, priority, assignee or executor', () =>
          this.board.readFound(project_id, filter, limit),
        )
      : await this.board.readAll(project_id, limit);
    return { project_id, columns };
  }
}
