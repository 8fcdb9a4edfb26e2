import { AttemptTarget } from '../attempts/attempt.dto.js';
import { RepoChoice } from '../deliveries/delivery.dto.js';
import { TextField } from '../platform/fields/fields.js';

export class RenameBranchInput extends AttemptTarget {
  @TextField('New name of the branch of the attempt, in all its repositories.', {
    nonBlank: true,
    maxLength: 200,
    example: 'feature/health-check',
  })
  branch!: string;
}

export class TargetBranchInput extends AttemptTarget {
  @TextField('New target branch; it must exist.', { nonBlank: true, maxLength: 200, example: 'main' })
  target_branch!: string;
  @RepoChoice() repo_id?: string;
}
