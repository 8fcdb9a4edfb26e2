import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  TextField,
  TextListField,
  TimeField,
  UuidField,
} from '../platform/fields/fields.js';
import type { RunnerState } from './runners.repository.js';

const LIVES = ['long', 'attempt', 'keeper'] as const;
const ROLES = ['all', 'api', 'runner'] as const;
const STATES: readonly RunnerState[] = ['ready', 'draining', 'lost', 'left'];

export class ListRunnersInput {}

export class FoundExecutorOutput {
  @TextField('Stable id of the executor.', { example: 'SHELL' }) executor!: string;
  @BoolField('True if it can start there.', { example: true }) is_available!: boolean;
  @TextField('Why it is not available, or null.', { nullable: true, example: null }) reason!: string | null;
}

export class RunnerOutput {
  @TextField('Name of the process. A runner keeps it across restarts.', {
    example: '0198c0de-0000-7000-8000-000000000001',
  })
  runner_id!: string;
  @UuidField('Incarnation (UUID): a new one after each restart, and each time the lease was lost.')
  incarnation!: string;
  @EnumField('What it does: one of all, api, runner.', ROLES, { example: 'runner' }) role!: (typeof ROLES)[number];
  @TextField('Host and port at which other processes reach it.', { example: 'runner-0:8002' }) address!: string;
  @TextField('Version of the server.', { example: '0.1.0' }) version!: string;
  @IntField('Turns it runs at a time; 0 for api. Integer.', { example: 8 }) slots!: number;
  @IntField('Turns it runs now. Integer.', { example: 2 }) busy!: number;
  @EnumField('How long it lives: one of long, attempt (serves one), keeper (takes no turns).', LIVES, {
    example: 'long',
  })
  life!: (typeof LIVES)[number];
  @TextListField('Its labels; may be empty.', { example: ['java21'] }) labels!: string[];
  @ListField('Executors it found; may be empty.', () => FoundExecutorOutput) executors!: FoundExecutorOutput[];
  @TextField('How its runs are isolated.', { example: 'bubblewrap' }) isolation!: string;
  @EnumField('One of ready, draining, lost (it went silent), left (in order).', STATES, { example: 'ready' })
  state!: RunnerState;
  @TimeField('When it last renewed its lease.') seen_at!: Date;
}

export class ListRunnersOutput {
  @ListField('Processes of this database, oldest first; may be empty.', () => RunnerOutput) runners!: RunnerOutput[];
}
