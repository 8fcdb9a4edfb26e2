import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { localOwner, type Principal } from '../platform/access/principal.js';
import { newRunToken, RunTokens, tokenDigest } from '../platform/access/bearer-tokens.js';
import type { Scope } from '../platform/access/scopes.js';
import { ExecutionsRepository } from './executions.repository.js';

const OWN: readonly Scope[] = ['read', 'write', 'deliver'];
const OF_REVIEWER: readonly Scope[] = ['read'];

/** Admits a running agent to its own attempt. Only hashes are stored; a token ends with its execution. */
@Injectable()
export class RunTokensService extends RunTokens {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly executionRows: ExecutionsRepository,
  ) {
    super();
  }

  /** A new token for this execution, which replaces an earlier one. */
  async issue(execution_id: string): Promise<string> {
    const token = newRunToken();
    await this.executionRows.setToken(execution_id, tokenDigest(token));
    return token;
  }

  async findPrincipal(token: string): Promise<Principal | null> {
    const execution = await this.executionRows.findByToken(tokenDigest(token));
    if (execution === null) return null;
    const isReviewer = execution.run_reason === 'review';
    return {
      ...localOwner,
      id: `run:${execution.id}`,
      kind: 'run',
      name: execution.executor.toLowerCase(),
      actor: { name: `@${execution.executor.toLowerCase()}`, type: 'agent' },
      projects: [execution.project_id],
      attempt: execution.attempt_id,
      task: execution.task_id,
      // whether a delivery needs approval is decided by the delivery itself
      scopes: isReviewer ? OF_REVIEWER : this.ownScopes,
      chargedTo: execution.started_by,
      isReviewer,
      isFreeAmongTasks: !isReviewer && this.environment.AGENT_SCOPES.includes('tasks'),
    };
  }

  private get ownScopes(): readonly Scope[] {
    return this.environment.AGENT_SCOPES.includes('attempts') ? [...OWN, 'execute'] : OWN;
  }
}
