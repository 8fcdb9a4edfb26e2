import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { IssueImports } from './issue-imports.service.js';
import { ImportIssuesInput, ImportOutput } from './transfer.dto.js';
import { IMPORT_ERRORS } from './transfer.errors.js';

@ApiTags('transfer')
@Controller('api')
export class IssuesController {
  constructor(private readonly issues: IssueImports) {}

  @Endpoint('POST projects/:project_id/issues::import', {
    summary: 'Import the issues of a repository on GitHub as tasks: all of them, or none.',
    scope: 'write',
    role: 'maintainer',
    output: ImportOutput,
    errors: [
      ...IMPORT_ERRORS,
      'forge_unconfigured',
      'forge_repository_not_found',
      'forge_failed',
      'forge_rate_limited',
      'forge_auth_failed',
    ],
  })
  importIssues(@Input() input: ImportIssuesInput, @Caller() caller: Principal): Promise<ImportOutput> {
    return this.issues.importIssues(input, caller);
  }
}
