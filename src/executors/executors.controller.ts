import { Controller, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RunnerLease } from '../platform/cluster/runner-lease.js';
import { RunnersRepository } from '../platform/cluster/runners.repository.js';
import { offsetPage, pageLimit } from '../platform/fields/paging.js';
import { Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { SANDBOX, type Sandbox } from '../platform/sandbox/sandbox.js';
import { ServerExecutorsInput, ServerExecutorsOutput } from './executor.dto.js';
import { ExecutorsService } from './executors.service.js';

@ApiTags('executors')
@Controller('api/executors')
export class ExecutorsController {
  constructor(
    private readonly executors: ExecutorsService,
    @Inject(SANDBOX) private readonly sandbox: Sandbox,
    private readonly lease: RunnerLease,
    private readonly runnerRows: RunnersRepository,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '',
    summary: 'List executors and their availability.',
    scope: 'read',
    input: ServerExecutorsInput,
    output: ServerExecutorsOutput,
    errors: [],
  })
  async listExecutors(@Input(ServerExecutorsInput) input: ServerExecutorsInput): Promise<ServerExecutorsOutput> {
    const { executors } = await this.executors.list();
    const { rows, ...page } = offsetPage(executors.slice(input.cursor), pageLimit(input.limit), input.cursor);
    return { executors: rows, ...page, ...(await this.weakestWalls()), limits: this.sandbox.limits };
  }

  /** Of the processes that a run may go to, which need not be this one. */
  private async weakestWalls(): Promise<Pick<ServerExecutorsOutput, 'isolation' | 'isolation_reason'>> {
    const { isolation, reason } = this.sandbox;
    const live = (await this.runnerRows.list()).filter(({ role, state }) => role !== 'api' && state !== 'lost');
    const open = live.find((runner) => runner.isolation === 'none');
    if (open && open.runner_id !== this.lease.id)
      return { isolation: 'none', isolation_reason: `the runs of ${open.address} are not isolated` };
    if (open || live.length === 0) return { isolation, isolation_reason: reason };
    return { isolation: 'bubblewrap', isolation_reason: null };
  }
}
