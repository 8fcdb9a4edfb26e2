import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { AccessTrail } from '../platform/trail/access-trail.js';
import type { Principal } from '../platform/access/principal.js';
import { PrincipalSource } from '../platform/access/principal-source.js';
import type { Scope } from '../platform/access/scopes.js';
import { newServiceToken, publicPartOf, tokenDigest } from '../platform/access/bearer-tokens.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import { pageLimit } from '../platform/fields/paging.js';
import {
  type CreateTokenInput,
  type ListTokensInput,
  type ListTokensOutput,
  type NewTokenOutput,
  type RevokedTokenOutput,
  type RotateTokenInput,
  type TokenTarget,
  toTokenOutput,
} from './token.dto.js';
import { TokensRepository } from './tokens.repository.js';

const MAX_OVERLAP_SECS = 7 * 24 * 3_600;

/** What a token is for and what it may do. */
interface Grant {
  name: string;
  scopes: Scope[];
  project_ids: string[] | null;
  user_id: string | null;
  worker_id: string | null;
  expires_at: Date | null;
}

/** Credentials of programs. Nobody can create one with more rights than their own. */
@Injectable()
export class TokensService implements OnModuleInit {
  private people: PrincipalSource;
  private trail: AccessTrail;

  constructor(
    private readonly database: Database,
    private readonly tokenRows: TokensRepository,
    private readonly hub: ChangeHub,
    private readonly modules: ModuleRef,
  ) {}

  /** The modules that know workers and the audit log provide them. */
  onModuleInit(): void {
    this.people = this.modules.get(PrincipalSource, { strict: false });
    this.trail = this.modules.get(AccessTrail, { strict: false });
  }

  async list(input: ListTokensInput, principal: Principal): Promise<ListTokensOutput> {
    const { rows, ...page } = await this.tokenRows.list(principal, pageLimit(input.limit), input.cursor);
    return { tokens: rows.map(toTokenOutput), ...page };
  }

  /** @throws AppError invalid_argument, insufficient_scope, act_as_required, project_not_found, worker_not_found */
  async create(input: CreateTokenInput, principal: Principal): Promise<NewTokenOutput> {
    const scopes = [...new Set(input.scopes)];
    requireScopes(principal, scopes);
    const project_ids = await this.confinedTo(input.project_ids, principal);
    const expires_at = toFuture(input.expires_at);
    return this.database.transaction(async (tx) => {
      const { user_id, worker: worker_id } = await this.ownerOf(input.user_id, principal);
      const grant = { name: input.name.trim(), scopes, project_ids, user_id, worker_id, expires_at };
      return this.issue(tx, grant, principal, 'token_created');
    });
  }

  /** A second token with the same rights and lifetime.
   *  @throws AppError token_not_found, insufficient_scope, act_as_required */
  async rotate({ token_id, overlap_secs = 3_600 }: RotateTokenInput, principal: Principal): Promise<NewTokenOutput> {
    return this.database.transaction(async (tx) => {
      const old = await this.tokenRows.lock(tx, principal, token_id);
      requireScopes(principal, old.scopes);
      requireSameUser(principal, old.user_id);
      const overlap = Math.min(overlap_secs, MAX_OVERLAP_SECS);
      await this.tokenRows.endWithin(tx, token_id, overlap);
      await this.hub.announce(tx, `token:${token_id}`);
      await this.recorded(tx, principal, token_id, 'token_rotated', { before: { overlap_secs: overlap } });
      const lifeMs = old.expires_at && old.expires_at.getTime() - old.created_at.getTime();
      const expires_at = lifeMs === null ? null : new Date(Date.now() + lifeMs);
      return this.issue(tx, { ...old, expires_at }, principal, 'token_created');
    });
  }

  /** Takes effect on every server within a second. @throws AppError token_not_found */
  async revoke({ token_id }: TokenTarget, principal: Principal): Promise<RevokedTokenOutput> {
    return this.database.transaction(async (tx) => {
      const { name } = await this.tokenRows.lock(tx, principal, token_id);
      await this.tokenRows.endWithin(tx, token_id, 0);
      await this.hub.announce(tx, `token:${token_id}`);
      await this.recorded(tx, principal, token_id, 'token_revoked', { before: { name } });
      return { revoked_token_id: token_id };
    });
  }

  private async issue(tx: Transaction, grant: Grant, principal: Principal, action: string): Promise<NewTokenOutput> {
    const { name, scopes, project_ids, user_id, worker_id, expires_at } = grant;
    const token = newServiceToken();
    const row = {
      ...{ id: newId(), public_part: publicPartOf(token), token_hash: tokenDigest(token) },
      ...{ name, scopes, project_ids, worker_id, expires_at },
      ...{ created_by: principal.actor.name, revoked_at: null, last_used_at: null },
    };
    const { created_at } = await this.tokenRows.insert(tx, row);
    await this.recorded(tx, principal, row.id, action, { after: { name, scopes, project_ids, user_id, expires_at } });
    return { ...toTokenOutput({ ...row, created_at, user_id, handle: null, worker_type: null }), token };
  }

  /** Worker the token acts as: the caller's, unless another is named. */
  private async ownerOf(
    user_id: string | undefined,
    principal: Principal,
  ): Promise<Pick<Principal, 'user_id' | 'worker'>> {
    if (user_id === undefined) return principal;
    return this.people.actAs(user_id, principal);
  }

  private async confinedTo(project_ids: string[] | undefined, { projects }: Principal): Promise<string[] | null> {
    if (project_ids === undefined) return projects === 'all' ? null : [...projects];
    const foreign = projects === 'all' ? [] : project_ids.filter((id) => !projects.includes(id));
    const [project_id] = foreign.length ? foreign : await this.tokenRows.listUnknownProjects(project_ids);
    if (project_id !== undefined) throw new AppError('project_not_found', { project_id });
    return [...new Set(project_ids)];
  }

  private recorded(
    tx: Transaction,
    principal: Principal,
    entity_id: string,
    action: string,
    details: Record<string, unknown>,
  ): Promise<void> {
    return this.trail.record(tx, principal, { entity_type: 'token', entity_id, action, details });
  }
}

/** @throws AppError insufficient_scope */
function requireScopes({ scopes }: Principal, wanted: readonly Scope[]): void {
  const scope = wanted.find((one) => !scopes.includes(one));
  if (scope) throw new AppError('insufficient_scope', { scope });
}

/** @throws AppError act_as_required */
function requireSameUser(principal: Principal, user_id: string | null): void {
  if (user_id !== principal.user_id && !principal.scopes.includes('act_as')) throw new AppError('act_as_required');
}

/** @throws AppError invalid_argument */
function toFuture(expires_at: string | undefined): Date | null {
  if (expires_at === undefined) return null;
  const time = new Date(expires_at);
  if (time.getTime() <= Date.now())
    throw refusal([{ field: 'expires_at', message: 'expires_at must lie in the future' }]);
  return time;
}
