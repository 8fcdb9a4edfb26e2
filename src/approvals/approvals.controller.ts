import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { ListApprovalsInput, ListApprovalsOutput } from './approval.dto.js';
import { ApprovalsService } from './approvals.service.js';

@ApiTags('approvals')
@Controller('api/approvals')
export class ApprovalsController {
  constructor(private readonly approvals: ApprovalsService) {}

  @Endpoint('GET', {
    summary: 'List approval requests.',
    scope: 'read',
    output: ListApprovalsOutput,
  })
  listApprovals(@Input() input: ListApprovalsInput, @Caller() caller: Principal): Promise<ListApprovalsOutput> {
    return this.approvals.list(input, caller);
  }
}
