import { Controller, Module } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { pick } from '../platform/fields/field-node.js';
import { Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { FoundExecutorOutput, ListRunnersInput, ListRunnersOutput, RunnerOutput } from './runner.dto.js';
import { type RunnerRow, RunnersRepository } from './runners.repository.js';

@ApiTags('runners')
@Controller('api/runners')
class RunnersController {
  constructor(private readonly runnerRows: RunnersRepository) {}

  @Endpoint('GET', {
    summary: 'List the processes that serve requests and run turns.',
    scope: 'admin',
    output: ListRunnersOutput,
  })
  async listRunners(@Input() _: ListRunnersInput): Promise<ListRunnersOutput> {
    return { runners: (await this.runnerRows.list()).map(toRunnerOutput) };
  }
}

const toRunnerOutput = (row: RunnerRow): RunnerOutput => ({
  ...pick(RunnerOutput, row),
  executors: row.executors.map((found) => pick(FoundExecutorOutput, found)),
});

/** Served by those that serve callers. */
@Module({ controllers: [RunnersController] })
export class RunnersModule {}
