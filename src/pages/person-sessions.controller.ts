import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IntField, UuidField } from '../platform/fields/fields.js';
import { Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { WorkersRepository } from '../workers/workers.repository.js';
import { PageSessions } from './page-sessions.service.js';

export class PersonSessionsTarget {
  @UuidField('Worker id (UUID) of the person.') worker_id!: string;
}

export class EndedSessionsOutput {
  @IntField('Sessions that were ended. Integer.', { example: 2 }) ended!: number;
}

@ApiTags('page')
@Controller('api/sessions-of')
export class PersonSessionsController {
  constructor(
    private readonly sessions: PageSessions,
    private readonly workerRows: WorkersRepository,
  ) {}

  @Endpoint('DELETE :worker_id', {
    summary: 'Sign a person out of the page, everywhere; tokens of theirs stay.',
    scope: 'admin',
    output: EndedSessionsOutput,
    errors: ['worker_not_found'],
  })
  async endSessions(@Input() { worker_id }: PersonSessionsTarget): Promise<EndedSessionsOutput> {
    const { user_id } = await this.workerRows.get({ worker_id });
    return { ended: await this.sessions.endOf({ person: user_id, worker: worker_id }) };
  }
}
