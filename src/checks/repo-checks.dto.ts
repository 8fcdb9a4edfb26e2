import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  TextField,
  TextListField,
  UuidField,
} from '../platform/fields/fields.js';
import { RepoTarget } from '../projects/repo.dto.js';
import { type CheckDefinition, checkNetworks } from './check.entity.js';

export const MOST_CHECKS = 50;
const MOST_SECS = 6 * 60 * 60;

export class CheckFields {
  @TextField('Name, unique in the repository.', { nonBlank: true, maxLength: 100, example: 'tests' }) name!: string;
  @TextField('Shell command, run on a clean checkout of the commit; 0 passes.', { nonBlank: true, example: 'npm test' })
  command!: string;
  @IntField('Seconds it may take. Default 600.', {
    optional: true,
    default: 600,
    minimum: 1,
    maximum: MOST_SECS,
    example: 600,
  })
  timeout_secs?: number;
  @BoolField('Whether a delivery waits for it. Default true.', { optional: true, default: true, example: true })
  required?: boolean;
  @TextListField('Globs of paths in the repository: it runs only if the work touches one. Default: always.', {
    optional: true,
    nullClears: true,
    example: ['src/**'],
  })
  paths?: string[] | null;
  @EnumField('Its network: inherit (that of the project), none. Default inherit.', checkNetworks, {
    optional: true,
    default: 'inherit',
    example: 'inherit',
  })
  network?: CheckDefinition['network'];
  @BoolField('Whether a failure is tried once more. Default false.', {
    optional: true,
    default: false,
    normalise: (value) => (value === 1 ? true : value === 0 ? false : value),
    example: false,
  })
  rerun_on_failure?: boolean;
}

export class SetChecksInput extends RepoTarget {
  @ListField(
    `All checks of the repository in their order, at most ${MOST_CHECKS}; an empty list removes them.`,
    () => CheckFields,
  )
  checks!: CheckFields[];
}

class CheckDefinitionOutput {
  @TextField('Name, unique in the repository.', { example: 'tests' }) name!: string;
  @TextField('Shell command.', { example: 'npm test' }) command!: string;
  @IntField('Seconds it may take. Integer.', { example: 600 }) timeout_secs!: number;
  @BoolField('Whether a delivery waits for it.', { example: true }) required!: boolean;
  @TextListField('Globs of paths of which the work has to touch one; null for always.', {
    nullable: true,
    example: null,
  })
  paths!: string[] | null;
  @EnumField('Its network: inherit (that of the project), none.', checkNetworks, { example: 'inherit' })
  network!: CheckDefinition['network'];
  @BoolField('Whether a failure is tried once more.', { example: false }) rerun_on_failure!: boolean;
}

export class RepoChecksOutput {
  @UuidField('Project id (UUID).') project_id!: string;
  @UuidField('Repository id (UUID).') repo_id!: string;
  @IntField('Grows with each change; results of another version are stale. Integer.', { example: 1 }) version!: number;
  @ListField('Checks in their order.', () => CheckDefinitionOutput) checks!: CheckDefinitionOutput[];
}
