import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { PageInput, pageLimit } from '../platform/fields/paging.js';
import { OwnWorkOutput } from './own-work.dto.js';
import { OwnWorkRepository } from './own-work.repository.js';
import { SearchInput, SearchOutput } from './search.dto.js';
import { SearchService } from './search.service.js';

@ApiTags('tasks')
@Controller('api')
export class SearchController {
  constructor(
    private readonly search: SearchService,
    private readonly own: OwnWorkRepository,
  ) {}

  @Endpoint('GET search', {
    summary: 'Find tasks, messages, final answers and comments by words, in all your projects.',
    scope: 'read',
    output: SearchOutput,
    errors: ['project_not_found', 'not_a_member', 'query_too_broad'],
  })
  searchTexts(@Input() input: SearchInput, @Caller() caller: Principal): Promise<SearchOutput> {
    return this.search.find(input, caller);
  }

  @Endpoint('GET work', {
    summary: 'List the open tasks of all your projects that are assigned to you, newest first.',
    scope: 'read',
    output: OwnWorkOutput,
    errors: ['query_too_broad'],
  })
  async listOwnWork(@Input() { limit, cursor }: PageInput, @Caller() caller: Principal): Promise<OwnWorkOutput> {
    const { rows, ...page } = await this.own.list(caller, pageLimit(limit), cursor);
    return { tasks: rows.map(({ number: _, ...task }) => task), ...page };
  }
}
