import { WaitField } from '../platform/fields/paging.js';
import { EnumField, IntField, TextField, UuidField } from '../platform/fields/fields.js';

const hostAnswers = ['allowed', 'pending', 'denied'] as const;
type HostAnswer = (typeof hostAnswers)[number];

const HostField = () =>
  TextField('Host name or IP address, without a scheme or a path.', {
    nonBlank: true,
    maxLength: 300,
    example: 'registry.example.com',
  });

export class RequestHostInput {
  @HostField() host!: string;
  @IntField('Port. Default: 80 and 443. Integer.', { optional: true, minimum: 1, example: 8443 })
  port?: number;
  @TextField('What you need it for; a person reads this and decides.', {
    nonBlank: true,
    maxLength: 2_000,
    example: 'The package @example/ui is only published there.',
  })
  reason!: string;
  @WaitField('for the answer. Default 20000.')
  wait_ms?: number;
}

export class RequestHostOutput {
  @HostField() host!: string;
  @IntField('Port, or null for 80 and 443. Integer.', { nullable: true, example: null }) port!: number | null;
  @EnumField('allowed: connect now; pending: nobody has answered yet; denied: go on without it.', hostAnswers, {
    example: 'pending',
  })
  status!: HostAnswer;
  @UuidField('Approval id (UUID) of the request; null where none was needed.', { nullable: true })
  approval_id!: string | null;
  @TextField('Why it was denied, or null.', { nullable: true, example: null }) reason!: string | null;
  @TextField('What to do next.', {
    example: 'Go on with other work, then repeat this call: it continues the same request.',
  })
  next!: string;
}
