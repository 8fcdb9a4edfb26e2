import { Controller } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { ProjectTarget } from './project.dto.js';
import { ProjectSecretsService } from './project-secrets.service.js';
import { ListSecretsOutput, RemovedSecretOutput, SecretOutput, SecretTarget, SetSecretInput } from './secret.dto.js';

@Controller('api')
export class ProjectSecretsController {
  constructor(private readonly secrets: ProjectSecretsService) {}

  @Endpoint('GET projects/:project_id/secrets', {
    tag: 'projects',
    summary: 'List the secrets of a project by name.',
    scope: 'read',
    role: 'member',
    output: ListSecretsOutput,
    errors: ['project_not_found', 'not_a_member', 'forbidden'],
  })
  listSecrets(@Input() input: ProjectTarget, @Caller() caller: Principal): Promise<ListSecretsOutput> {
    return this.secrets.list(input, caller);
  }

  @Endpoint('PUT projects/:project_id/secrets/:name', {
    tag: 'projects',
    summary: 'Set a secret for runs of a project; repeating the call changes nothing.',
    scope: 'write',
    role: 'maintainer',
    example: { value: 'npm_0123456789', expose: ['setup'] },
    output: SecretOutput,
    errors: ['project_not_found', 'not_a_member', 'forbidden', 'secret_name_reserved'],
  })
  setSecret(@Input() input: SetSecretInput, @Caller() caller: Principal): Promise<SecretOutput> {
    return this.secrets.set(input, caller);
  }

  @Endpoint('DELETE projects/:project_id/secrets/:name', {
    tag: 'projects',
    summary: 'Remove a secret of a project; it need not be there.',
    scope: 'write',
    role: 'maintainer',
    output: RemovedSecretOutput,
    errors: ['project_not_found', 'not_a_member', 'forbidden'],
  })
  removeSecret(@Input() input: SecretTarget, @Caller() caller: Principal): Promise<RemovedSecretOutput> {
    return this.secrets.remove(input, caller);
  }
}
