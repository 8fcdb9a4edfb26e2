import { Controller, Module } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint, Input } from '../rest/endpoint.decorator.js';
import { ListRunnersInput, ListRunnersOutput, type RunnerOutput } from './runner.dto.js';
import { type RunnerRow, RunnersRepository } from './runners.repository.js';

@ApiTags('runners')
@Controller('api/runners')
export class RunnersController {
  constructor(private readonly runnerRows: RunnersRepository) {}

  @Endpoint({
    method: 'GET',
    path: '',
    summary: 'List the processes that serve requests and run turns.',
    scope: 'admin',
    input: ListRunnersInput,
    output: ListRunnersOutput,
    errors: [],
  })
  async listRunners(@Input(ListRunnersInput) _: ListRunnersInput): Promise<ListRunnersOutput> {
    return { runners: (await this.runnerRows.list()).map(toRunnerOutput) };
  }
}

const toRunnerOutput = (row: RunnerRow): RunnerOutput => ({
  runner_id: row.runner_id,
  incarnation: row.incarnation,
  role: row.role,
  address: row.address,
  version: row.version,
  slots: row.slots,
  busy: row.busy,
  executors: row.executors,
  isolation: row.isolation,
  state: row.state,
  seen_at: row.seen_at,
});

/** Served by those that serve callers. */
@Module({ controllers: [RunnersController] })
export class RunnersModule {}
