import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { pageLimit } from '../platform/fields/paging.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { type BoardInput, type BoardOutput, MAX_CARDS } from './board.dto.js';
import { BoardRepository } from './board.repository.js';
import { taskStatuses } from './task-stage.js';

/** A project at a glance. */
@Injectable()
export class BoardService {
  constructor(
    private readonly projectRows: ProjectsRepository,
    private readonly board: BoardRepository,
  ) {}

  /** @throws AppError project_not_found, not_a_member */
  async get({ limit, ...filter }: BoardInput, principal: Principal): Promise<BoardOutput> {
    const { project_id } = filter;
    await this.projectRows.get(principal, project_id);
    const [counts, cards] = await Promise.all([
      this.board.count(filter),
      this.board.listCards(filter, pageLimit(limit, MAX_CARDS, MAX_CARDS)),
    ]);
    const columns = taskStatuses.map((status) => ({
      status,
      count: counts.get(status) ?? 0,
      cards: cards.filter((card) => card.status === status),
    }));
    return { project_id, columns };
  }
}
