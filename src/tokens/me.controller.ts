import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import { SCOPES, type Scope } from '../platform/access/scopes.js';
import { EnumField, EnumListField, TextField, TextListField, UuidListField } from '../platform/fields/fields.js';
import { Caller, Endpoint } from '../platform/rest/endpoint.decorator.js';

const KINDS: readonly Principal['kind'][] = ['owner', 'token', 'person', 'run', 'session'];

export class MeInput {}

export class MeOutput {
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
  @Endpoint({
    method: 'GET',
    path: '',
    summary: 'Show who you are to the server, and what you may do.',
    scope: null,
    input: MeInput,
    output: MeOutput,
    errors: [],
  })
  getMe(@Caller() { kind, user_id, name, scopes, roles, projects }: Principal): MeOutput {
    return {
      ...{ kind, user_id, name, scopes: [...scopes], roles: [...roles] },
      projects: projects === 'all' ? null : [...projects],
    };
  }
}
