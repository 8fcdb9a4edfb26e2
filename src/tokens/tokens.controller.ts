import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
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

  @Endpoint({
    method: 'GET',
    path: '',
    summary: 'List service tokens.',
    scope: 'admin',
    input: ListTokensInput,
    output: ListTokensOutput,
    errors: [],
  })
  listTokens(@Input(ListTokensInput) input: ListTokensInput, @Caller() caller: Principal): Promise<ListTokensOutput> {
    return this.tokens.list(input, caller);
  }

  @Endpoint({
    method: 'POST',
    path: '',
    summary: 'Create a service token; the response shows it this once.',
    scope: 'admin',
    status: 201,
    location: '/api/tokens',
    input: CreateTokenInput,
    example: { name: 'nightly build', scopes: ['read', 'write'] },
    output: NewTokenOutput,
    errors: ['insufficient_scope', 'act_as_required', 'project_not_found', 'worker_not_found'],
  })
  createToken(@Input(CreateTokenInput) input: CreateTokenInput, @Caller() caller: Principal): Promise<NewTokenOutput> {
    return this.tokens.create(input, caller);
  }

  @Endpoint({
    method: 'POST',
    path: ':token_id/rotate',
    summary: 'Replace a service token; the old one lives on for overlap_secs.',
    scope: 'admin',
    status: 201,
    location: '/api/tokens',
    input: RotateTokenInput,
    output: NewTokenOutput,
    errors: ['token_not_found', 'insufficient_scope', 'act_as_required'],
  })
  rotateToken(@Input(RotateTokenInput) input: RotateTokenInput, @Caller() caller: Principal): Promise<NewTokenOutput> {
    return this.tokens.rotate(input, caller);
  }

  @Endpoint({
    method: 'DELETE',
    path: ':token_id',
    summary: 'Revoke a service token.',
    scope: 'admin',
    input: TokenTarget,
    output: RevokedTokenOutput,
    errors: ['token_not_found'],
  })
  revokeToken(@Input(TokenTarget) input: TokenTarget, @Caller() caller: Principal): Promise<RevokedTokenOutput> {
    return this.tokens.revoke(input, caller);
  }
}
