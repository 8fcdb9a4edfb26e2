import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  ObjectField,
  TextField,
  TextListField,
} from '../platform/fields/fields.js';
import { type NetworkMode, networkModes } from '../egress/run-network.js';
import { type Taken, taken } from './executor.js';
import { type Isolation, isolations } from '../platform/sandbox/sandbox.js';
import { PageInput, PageOutput } from '../platform/fields/paging.js';

export class ListExecutorsInput {
  @BoolField('True also lists those that cannot start, and why.', {
    optional: true,
    default: false,
    example: true,
  })
  all?: boolean;
}

export class ServerExecutorsInput extends PageInput {}

export class ExecutorOutput {
  @TextField('Stable id; pass it as executor to start_task_attempt.', { example: 'SHELL' }) executor!: string;
  @TextListField('Values accepted as variant; may be empty.', { example: [] }) variants!: string[];
  @TextField('Variant used if none is passed, or null.', { nullable: true, example: null }) default_variant!:
    string | null;
  @BoolField('True if the agent can call this server over MCP while it works.', { example: false })
  supports_mcp!: boolean;
  @EnumField('What its prompt is: prompt (words for an agent) or script (executed as it is).', taken, {
    example: 'script',
  })
  takes!: Taken;
  @TextField('What to know before a start, or null.', { nullable: true, example: null }) note!: string | null;
  @BoolField('True if it can start on this server now.', { example: true }) is_available!: boolean;
  @TextField('Why it is not available, or null.', { nullable: true, example: null }) reason!: string | null;
  @TextField('Version of the installed program, or null.', { nullable: true, example: null }) version!: string | null;
}

export class ListExecutorsOutput {
  @ListField('Executors, sorted by id.', () => ExecutorOutput) executors!: ExecutorOutput[];
  @IntField('Number of executors. Integer.', { example: 1 }) count!: number;
}

export class RunLimitsOutput {
  @EnumField('What limits the memory of a run: one of cgroup, prlimit, none.', ['cgroup', 'prlimit', 'none'], {
    example: 'cgroup',
  })
  memory!: 'cgroup' | 'prlimit' | 'none';
  @EnumField('What limits the processes of a run: one of cgroup, none.', ['cgroup', 'none'], { example: 'cgroup' })
  processes!: 'cgroup' | 'none';
  @EnumField('What limits the disk of a run: one of watched, none.', ['watched', 'none'], { example: 'watched' })
  disk!: 'watched' | 'none';
  @TextField('Why there are no control groups, or null.', { nullable: true, example: null }) reason!: string | null;
}

/** REST adds how runs are confined. */
export class ServerExecutorsOutput extends PageOutput {
  @ListField('Executors, sorted by id.', () => ExecutorOutput) executors!: ExecutorOutput[];
  @EnumField('How runs are isolated: one of bubblewrap, container, none.', isolations, { example: 'bubblewrap' })
  isolation!: Isolation;
  @TextField('Why runs are not isolated, or cannot be started at the moment; or null.', {
    nullable: true,
    example: null,
  })
  isolation_reason!: string | null;
  @EnumField(
    'The most that runs reach, whatever their project says: one of host (what the server reaches), open, listed, none.',
    networkModes,
    { example: 'open' },
  )
  network!: NetworkMode;
  @TextField('How that is made, or why it is so; or null.', { nullable: true, example: null }) network_reason!:
    string | null;
  @ObjectField('Limits that hold on every runner.', () => RunLimitsOutput) limits!: RunLimitsOutput;
}
