import { Controller } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { RepoTarget } from '../projects/repo.dto.js';
import { RepoChecksOutput, SetChecksInput } from './repo-checks.dto.js';
import { RepoChecksService } from './repo-checks.service.js';

@Controller('api')
export class RepoChecksController {
  constructor(private readonly checks: RepoChecksService) {}

  @Endpoint('GET projects/:project_id/repos/:repo_id/checks', {
    tag: 'projects',
    summary: 'Show what is checked in a repository.',
    scope: 'read',
    output: RepoChecksOutput,
    errors: ['project_not_found', 'not_a_member', 'repo_not_found'],
  })
  getRepoChecks(@Input() input: RepoTarget, @Caller() caller: Principal): Promise<RepoChecksOutput> {
    return this.checks.get(input, caller);
  }

  @Endpoint('PUT projects/:project_id/repos/:repo_id/checks', {
    tag: 'projects',
    summary: 'Set what is checked in a repository, in place of what was; results of before are stale.',
    scope: 'write',
    role: 'maintainer',
    example: { checks: [{ name: 'tests', command: 'npm test', timeout_secs: 600, required: true }] },
    output: RepoChecksOutput,
    errors: ['project_not_found', 'not_a_member', 'forbidden', 'repo_not_found', 'too_much_stored'],
  })
  setRepoChecks(@Input() input: SetChecksInput, @Caller() caller: Principal): Promise<RepoChecksOutput> {
    return this.checks.set(input, caller);
  }
}
