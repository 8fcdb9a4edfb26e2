import { EnumListField, ListField, TextField, TimeField, UuidField } from '../platform/fields/fields.js';
import { ProjectTarget } from './project.dto.js';

/** What gets a secret: setup and cleanup scripts, checks, or the coding agent itself. */
const SECRET_USES = ['setup', 'checks', 'agent'] as const;
export type SecretUse = (typeof SECRET_USES)[number];

const SecretNameField = () =>
  TextField('Name of the secret, as the variable is called: upper-case letters, digits and _.', {
    nonBlank: true,
    maxLength: 100,
    example: 'NPM_TOKEN',
  });

const ExposeField = (options: { optional?: boolean } = {}) =>
  EnumListField(
    'What gets it in its environment: some of setup (setup and cleanup scripts), checks, agent (the coding agent, ' +
      'which can send it wherever it can reach).' +
      (options.optional ? ' Default: setup and checks.' : ''),
    SECRET_USES,
    { ...options, minItems: 1, example: ['setup', 'checks'] },
  );

export class SecretTarget extends ProjectTarget {
  @SecretNameField() name!: string;
}

export class SetSecretInput extends SecretTarget {
  @TextField('Value of the secret; nobody can read it again.', {
    nonBlank: true,
    maxLength: 32_768,
    example: 'npm_0123456789',
  })
  value!: string;
  @ExposeField({ optional: true }) expose?: SecretUse[];
}

export class SecretOutput {
  @SecretNameField() name!: string;
  @ExposeField() expose!: SecretUse[];
  @TimeField('When its value was last set (RFC 3339).') updated_at!: string;
}

export class ListSecretsOutput {
  @UuidField('Project id (UUID).') project_id!: string;
  @ListField('Secrets by name, without their values.', () => SecretOutput) secrets!: SecretOutput[];
}

export class RemovedSecretOutput {
  @SecretNameField() removed_secret!: string;
}
