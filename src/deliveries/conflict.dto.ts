import { conflictKinds, sideChanges } from '../git/conflicts.js';
import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  ObjectField,
  TextField,
  TextListField,
  UuidField,
} from '../platform/fields/fields.js';

const COMMIT = '3f2a9c1d5e8b7a6f4c3d2e1f0a9b8c7d6e5f4a3b';
export const CommitField = (description: string, options: { nullable?: boolean } = {}) =>
  TextField(description, { ...options, example: COMMIT });

export class ConflictFileOutput {
  @TextField('Path, starting with the name of the repository.', { example: 'web-shop/src/a.ts' }) path!: string;
  @EnumField(`Kind of conflict: one of ${conflictKinds.join(', ')}.`, conflictKinds, { example: 'content' })
  kind!: string;
  @TextListField('Other paths of the same conflict, such as those of a renamed file.', { example: [] })
  other_paths!: string[];
  @EnumField(`What the attempt did: one of ${sideChanges.join(', ')}.`, sideChanges, { example: 'modified' })
  ours!: string;
  @EnumField(`What the target did: one of ${sideChanges.join(', ')}.`, sideChanges, { example: 'modified' })
  theirs!: string;
  @BoolField('True once it is resolved and added to the index.', { example: false }) resolved!: boolean;
  @BoolField('True if the file holds conflict markers.', { example: true }) has_markers!: boolean;
  @TextField('What git says about it, if the kind alone does not tell what to do; otherwise null.', {
    nullable: true,
    example: null,
  })
  reason!: string | null;
}

export class BranchTip {
  @TextField('Name of the branch.', { example: 'main' }) branch!: string;
  @CommitField('Commit it is at.') commit!: string;
}

export class RebaseStep {
  @IntField('Number of the commit that is being replayed. Integer.', { example: 2 }) done!: number;
  @IntField('How many there are. Integer.', { example: 3 }) total!: number;
  @CommitField('The commit.') commit!: string;
  @TextField('Its title.', { example: 'Add a health check' }) title!: string;
}

const operations = ['merge', 'rebase', 'cherry_pick', 'revert', 'bisect'] as const;

/** The same for previews, updates and the details of errors. */
export class ConflictOutput {
  @UuidField('Repository id (UUID).') repo_id!: string;
  @TextField('Name of the repository.', { example: 'web-shop' }) repo_name!: string;
  @EnumField(
    `Operation in progress in the worktree: one of ${operations.join('' + ', ')}; null for a preview.`,
    operations,
    {
      nullable: true,
      example: 'merge',
    },
  )
  operation!: string | null;
  @ObjectField('Branch of the attempt (ours).', () => BranchTip) source!: BranchTip;
  @ObjectField('Target branch (theirs).', () => BranchTip) target!: BranchTip;
  @CommitField('Merge base of the two branches, or null.', { nullable: true }) base_commit!: string | null;
  @ObjectField('Progress of a rebase, or null.', () => RebaseStep, { nullable: true, example: null })
  step!: RebaseStep | null;
  @IntField('Number of conflicts. Integer.', { example: 1 }) file_count!: number;
  @BoolField('True if not all of them are listed.', { example: false }) truncated!: boolean;
  @ListField('The conflicts.', () => ConflictFileOutput) files!: ConflictFileOutput[];
  @TextField('Command that completes it in the worktree once every conflict is resolved; null for a preview.', {
    nullable: true,
    example: 'git add -A && git commit --no-edit',
  })
  finish!: string | null;
}
