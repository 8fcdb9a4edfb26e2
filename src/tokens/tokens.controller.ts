import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import { type Scope, SCOPES } from '../platform/access/scopes.js';
import { EnumField, EnumListField, TextField, TextListField, UuidListField } from '../platform/fields/fields.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import {
  CreateTokenInput,
  ListTokensInput,
  ListTokensOutput,
  NewTokenOutput,
  RevokedTokenOutput,
  RotateTokenInput,
  TokenTarget,
} from './token.dto.js';
import { TokensService } from './tokens.service.js';

@ApiTags('tokens')
@Controller('api/tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Endpoint('GET', {
    summary: 'List service tokens.',
    scope: 'admin',
    output: ListTokensOutput,
  })
  listTokens(@Input() input: ListTokensInput, @Caller() caller: Principal): Promise<ListTokensOutput> {
    return this.tokens.list(input, caller);
  }

  @Endpoint('POST', {
    summary: 'Create a service token; the response shows it this once.',
    scope: 'admin',
    status: 201,
    location: '/api/tokens',
    example: { name: 'nightly build', scopes: ['read', 'write'] },
    output: NewTokenOutput,
    errors: ['insufficient_scope', 'act_as_required', 'project_not_found', 'worker_not_found'],
  })
  createToken(@Input() input: CreateTokenInput, @Caller() caller: Principal): Promise<NewTokenOutput> {
    return this.tokens.create(input, caller);
  }

  @Endpoint('POST :token_id/rotate', {
    summary: 'Replace a service token; the old one lives on for overlap_secs.',
    scope: 'admin',
    status: 201,
    location: '/api/tokens',
    output: NewTokenOutput,
    errors: ['token_not_found', 'insufficient_scope', 'act_as_required'],
  })
  rotateToken(@Input() input: RotateTokenInput, @Caller() caller: Principal): Promise<NewTokenOutput> {
    return this.tokens.rotate(input, caller);
  }

  @Endpoint('DELETE :token_id', {
    summary: 'Revoke a service token.',
    scope: 'admin',
    output: RevokedTokenOutput,
    errors: ['token_not_found'],
  })
  revokeToken(@Input() input: TokenTarget, @Caller() caller: Principal): Promise<RevokedTokenOutput> {
    return this.tokens.revoke(input, caller);
  }
}

const KINDS: readonly Principal['kind'][] = ['owner', 'token', 'person', 'run', 'session'];

class MeOutput {
  @EnumField('Where the caller comes from: owner, token, person, run or session.', KINDS, { example: 'token' })
  kind!: Principal['kind'];
  @TextField('User it acts as, or null.', { nullable: true, example: 'auth0|42' }) user_id!: string | null;
  @TextField('Name of the person, the token or the agent.', { example: 'nightly build' }) name!: string;
  @EnumListField('Scopes.', SCOPES, { example: ['read', 'write'] }) scopes!: Scope[];
  @TextListField('Instance roles of a person; may be empty.', { example: [] }) roles!: string[];
  @UuidListField('Projects it is confined to (UUIDs), or null for every project it is admitted to.', {
    nullable: true,
    example: null,
  })
  projects!: string[] | null;
}

@ApiTags('tokens')
@Controller('api/me')
export class MeController {
  @Endpoint('GET', {
    summary: 'Show who you are to the server, and what you may do.',
    scope: null,
    output: MeOutput,
  })
  getMe(@Caller() { kind, user_id, name, scopes, roles, projects }: Principal): MeOutput {
    return {
      ...{ kind, user_id, name, scopes: [...scopes], roles: [...roles] },
      projects: projects === 'all' ? null : [...projects],
    };
  }
}
