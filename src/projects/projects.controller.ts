import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import {
  CreateProjectInput,
  FindProjectsInput,
  ListProjectsOutput,
  ProjectAuditInput,
  ProjectDetailsOutput,
  ProjectTarget,
  UpdateProjectInput,
} from './project.dto.js';
import { AuditOutput } from '../audit/audit.dto.js';
import { AuditService } from '../audit/audit.service.js';
import { ProjectsService } from './projects.service.js';
import { RepoChanges } from './repo-changes.service.js';
import {
  AddRepoInput,
  ChangeRepoInput,
  ListReposInput,
  ListReposOutput,
  RemovedRepoOutput,
  RepoOutput,
  RepoTarget,
} from './repo.dto.js';

@ApiTags('projects')
@Controller('api/projects')
export class ProjectsController {
  constructor(
    private readonly projects: ProjectsService,
    private readonly repoChanges: RepoChanges,
    private readonly auditLog: AuditService,
  ) {}

  @Endpoint('GET', {
    summary: 'List projects, newest first; those of a repository by its path or remote.',
    scope: 'read',
    output: ListProjectsOutput,
  })
  listProjects(@Input() input: FindProjectsInput, @Caller() caller: Principal): Promise<ListProjectsOutput> {
    return this.projects.list(input, caller);
  }

  @Endpoint('POST', {
    summary: 'Create a project with its repositories.',
    scope: 'write',
    status: 201,
    location: '/api/projects/{project_id}',
    example: { name: 'Web shop', repos: [{ path: '/srv/git/web-shop', setup_script: 'npm ci' }] },
    output: ProjectDetailsOutput,
    errors: [
      'slug_taken',
      'too_much_stored',
      'repo_invalid',
      'branch_unknown',
      'repo_name_taken',
      'missing_target',
      'ambiguous_target',
      'git_failed',
      'workspace_unavailable',
    ],
  })
  createProject(@Input() input: CreateProjectInput, @Caller() caller: Principal): Promise<ProjectDetailsOutput> {
    return this.projects.create(input, caller);
  }

  @Endpoint('GET :project_id', {
    summary: 'Get a project.',
    scope: 'read',
    output: ProjectDetailsOutput,
    errors: ['project_not_found', 'not_a_member'],
  })
  getProject(@Input() input: ProjectTarget, @Caller() caller: Principal): Promise<ProjectDetailsOutput> {
    return this.projects.get(input.project_id, caller);
  }

  @Endpoint('PUT :project_id', {
    summary: 'Update a project: its texts, auto-commit, network, runners, required secrets, checks, review or retries.',
    scope: 'write',
    example: { name: 'Web shop', description: 'The shop and its API.' },
    output: ProjectDetailsOutput,
    errors: [
      'project_not_found',
      'not_a_member',
      'forbidden',
      'too_much_stored',
      'secret_name_reserved',
      'executor_unknown',
      'variant_unknown',
      'executor_without_mcp',
    ],
  })
  updateProject(@Input() input: UpdateProjectInput, @Caller() caller: Principal): Promise<ProjectDetailsOutput> {
    return this.projects.update(input, caller);
  }

  @Endpoint('GET :project_id/repos', {
    summary: 'List the repositories of a project.',
    scope: 'read',
    output: ListReposOutput,
    errors: ['project_not_found', 'not_a_member'],
  })
  listRepos(@Input() input: ListReposInput, @Caller() caller: Principal): Promise<ListReposOutput> {
    return this.projects.listRepos(input, caller);
  }

  @Endpoint('POST :project_id/repos', {
    summary: 'Add a repository by path or URL.',
    scope: 'write',
    status: 201,
    location: '/api/projects/{project_id}/repos',
    example: { url: 'https://git.example.com/web-shop.git', default_target_branch: 'main' },
    output: RepoOutput,
    errors: [
      'too_much_stored',
      'project_not_found',
      'not_a_member',
      'forbidden',
      'repo_invalid',
      'branch_unknown',
      'repo_name_taken',
      'git_failed',
      'workspace_unavailable',
    ],
  })
  addRepo(@Input() input: AddRepoInput, @Caller() caller: Principal): Promise<RepoOutput> {
    return this.projects.addRepo(input, caller);
  }

  @Endpoint('PATCH :project_id/repos/:repo_id', {
    summary: 'Change the default branch, the scripts or the runners of a repository, for what begins from then on.',
    scope: 'write',
    example: { default_target_branch: 'main', setup_script: 'npm ci' },
    output: RepoOutput,
    errors: [
      'too_much_stored',
      'project_not_found',
      'not_a_member',
      'forbidden',
      'repo_not_found',
      'branch_unknown',
      'git_failed',
      'workspace_unavailable',
    ],
  })
  changeRepo(@Input() input: ChangeRepoInput, @Caller() caller: Principal): Promise<RepoOutput> {
    return this.repoChanges.change(input, caller);
  }

  @Endpoint('DELETE :project_id/repos/:repo_id', {
    summary: 'Remove an unused repository from a project.',
    scope: 'write',
    output: RemovedRepoOutput,
    errors: ['project_not_found', 'not_a_member', 'repo_not_found', 'repo_in_use'],
  })
  removeRepo(@Input() input: RepoTarget, @Caller() caller: Principal): Promise<RemovedRepoOutput> {
    return this.projects.removeRepo(input, caller);
  }

  @Endpoint('GET :project_id/audit', {
    summary: 'List the audit log of a project, newest first.',
    scope: 'read',
    output: AuditOutput,
    errors: ['project_not_found', 'not_a_member'],
  })
  async getProjectAudit(@Input() input: ProjectAuditInput, @Caller() caller: Principal): Promise<AuditOutput> {
    const { project_id } = await this.projects.get(input.project_id, caller);
    return this.auditLog.ofProject(project_id, input);
  }
}
