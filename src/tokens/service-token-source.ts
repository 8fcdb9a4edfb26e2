import { Injectable } from '@nestjs/common';
import { type BearerSource, isServiceToken, tokenDigest } from '../platform/access/bearer-tokens.js';
import { type Actor, localOwner, type Principal } from '../platform/access/principal.js';
import { type TokenRow, TokensRepository } from './tokens.repository.js';

/** Admits who has a service token. */
@Injectable()
export class ServiceTokenSource implements BearerSource {
  constructor(private readonly tokenRows: TokensRepository) {}

  recognises(token: string): boolean {
    return isServiceToken(token);
  }

  async findPrincipal(token: string): Promise<Principal | null> {
    const row = await this.tokenRows.findValid(tokenDigest(token));
    if (row === null) return null;
    await this.tokenRows.recordUse(row.id);
    return toPrincipal(row);
  }
}

const toPrincipal = (row: TokenRow): Principal => ({
  ...localOwner,
  id: row.worker_id === null ? `token:${row.id}` : `worker:${row.worker_id}`,
  kind: 'token',
  name: row.name,
  user_id: row.user_id,
  worker: row.worker_id,
  actor: actorOf(row),
  scopes: row.scopes,
  projects: row.project_ids ?? 'all',
  credential: { id: row.id, expires_at: row.expires_at?.getTime() ?? null },
});

const actorOf = ({ name, handle, worker_type }: TokenRow): Actor =>
  handle !== null && worker_type !== null
    ? { name: handle, type: worker_type }
    : { name: `token:${name}`, type: 'system' };
