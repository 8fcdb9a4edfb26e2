import { Injectable } from '@nestjs/common';
import { localOwner, type Principal } from '../platform/access/principal.js';
import { newRunToken, RunTokens } from '../platform/access/run-tokens.js';
import { tokenDigest } from '../platform/access/token-digest.js';
import { ExecutionsRepository } from './executions.repository.js';

/** Lets a running agent in at its own attempt. Only hashes are stored; with the run its token ends. */
@Injectable()
export class RunTokensService extends RunTokens {
  constructor(private readonly executions: ExecutionsRepository) {
    super();
  }

  /** A token for this run; an earlier one of the run is void. */
  async issue(execution_id: string): Promise<string> {
    const token = newRunToken();
    await this.executions.setToken(execution_id, tokenDigest(token));
    return token;
  }

  async findPrincipal(token: string): Promise<Principal | null> {
    const run = await this.executions.findByToken(tokenDigest(token));
    return (
      run && {
        ...localOwner,
        id: `run:${run.id}`,
        actor: { name: `@${run.executor.toLowerCase()}`, type: 'agent' },
        projects: [run.project_id],
        attempt: run.attempt_id,
      }
    );
  }
}
