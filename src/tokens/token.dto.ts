import { SCOPES, type Scope } from '../platform/access/scopes.js';
import {
  EnumListField,
  IntField,
  ListField,
  TextField,
  TimeField,
  UuidField,
  UuidListField,
} from '../platform/fields/fields.js';
import { PageInput, PageOutput } from '../platform/fields/paging.js';
import type { TokenRow } from './tokens.repository.js';

const SCOPE_EXAMPLE: Scope[] = ['read', 'write'];

export class CreateTokenInput {
  @TextField('What the token is for.', { nonBlank: true, maxLength: 200, example: 'nightly build' }) name!: string;
  @EnumListField(`Scopes: ${SCOPES.join(', ')}. The caller must have each of them.`, SCOPES, {
    minItems: 1,
    example: SCOPE_EXAMPLE,
  })
  scopes!: Scope[];
  @UuidListField('Projects it is confined to (UUIDs). Default: every project of the caller.', {
    optional: true,
    minItems: 1,
    example: ['0198c0de-0000-7000-8000-000000000001'],
  })
  project_ids?: string[];
  @TextField('User it acts as. Default: the user of the caller. Another one requires the scope act_as.', {
    optional: true,
    nonBlank: true,
    maxLength: 200,
    blankIsAbsent: true,
    example: 'auth0|42',
  })
  user_id?: string;
  @TimeField('When it expires (RFC 3339). Default: never.', { optional: true, example: '2030-01-01T00:00:00.000Z' })
  expires_at?: string;
}

export class ListTokensInput extends PageInput {}

export class TokenTarget {
  @UuidField('Token id (UUID).') token_id!: string;
}

export class RotateTokenInput extends TokenTarget {
  @IntField('Seconds for which the old token stays valid. Default 3600; at most a week.', {
    optional: true,
    minimum: 0,
    default: 3_600,
    example: 600,
  })
  overlap_secs?: number;
}

export class TokenOutput {
  @UuidField('Token id (UUID).') token_id!: string;
  @TextField('What the token is for.', { example: 'nightly build' }) name!: string;
  @EnumListField('Scopes.', SCOPES, { example: SCOPE_EXAMPLE }) scopes!: Scope[];
  @UuidListField('Projects it is confined to (UUIDs), or null for every project.', { nullable: true, example: null })
  project_ids!: string[] | null;
  @TextField('User it acts as, or null.', { nullable: true, example: 'auth0|42' }) user_id!: string | null;
  @TimeField('When it was created (RFC 3339).') created_at!: string;
  @TimeField('When it expires (RFC 3339), or null.', { nullable: true, example: null }) expires_at!: string | null;
  @TimeField('When it was last used (RFC 3339, to the minute), or null.', { nullable: true, example: null })
  last_used_at!: string | null;
}

export class NewTokenOutput extends TokenOutput {
  @TextField('The token. It is shown this once.', { example: 'ty_st_4fK9aB2x_…' }) token!: string;
}

export class ListTokensOutput extends PageOutput {
  @ListField('Tokens that are not revoked, newest first.', () => TokenOutput) tokens!: TokenOutput[];
}

export class RevokedTokenOutput {
  @UuidField('Token that was revoked (UUID).') revoked_token_id!: string;
}

export const toTokenOutput = (row: Omit<TokenRow, 'number'>): TokenOutput => ({
  token_id: row.id,
  name: row.name,
  scopes: row.scopes,
  project_ids: row.project_ids,
  user_id: row.user_id,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at?.toISOString() ?? null,
  last_used_at: row.last_used_at?.toISOString() ?? null,
});
