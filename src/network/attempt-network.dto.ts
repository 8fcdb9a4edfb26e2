import {
  EnumField,
  IntField,
  ListField,
  TextField,
  TextListField,
  TimeField,
  UuidField,
} from '../platform/fields/fields.js';
import { AttemptTarget } from '../attempts/attempt.dto.js';
import { type NetworkMode, networkModes } from '../egress/run-network.js';

export class AttemptNetworkInput extends AttemptTarget {}

export class DenialOutput {
  @TextField('Host.', { example: 'registry.example.com' }) host!: string;
  @IntField('Port. Integer.', { example: 443 }) port!: number;
  @IntField('Number of connections. Integer.', { example: 3 }) count!: number;
  @TimeField('When the last one was tried (RFC 3339).') last_at!: string;
}

export class AttemptNetworkOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @EnumField(
    'What its runs reach: one of host (what the server reaches), open (public hosts), listed (hosts of allowed), none.',
    networkModes,
    { example: 'listed' },
  )
  network!: NetworkMode;
  @TextField('Why it is not what the project asks for, or how it is made; or null.', { nullable: true, example: null })
  reason!: string | null;
  @TextListField('Hosts that its runs may reach: of presets, of the project, and approved for the live run.', {
    example: ['api.anthropic.com'],
  })
  allowed!: string[];
  @ListField(
    'Hosts that are not listed: refused, or under open what listed would refuse. Most frequent first.',
    () => DenialOutput,
  )
  denials!: DenialOutput[];
}
