import { Controller } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { CreateWorkerInput, ListWorkersInput, ListWorkersOutput, WorkerOutput } from './worker.dto.js';
import { WorkersService } from './workers.service.js';

@Controller('api/workers')
export class WorkersController {
  constructor(private readonly workers: WorkersService) {}

  @Endpoint('GET', {
    tag: 'workers',
    summary: 'List people and agents.',
    scope: 'read',
    output: ListWorkersOutput,
  })
  listWorkers(@Input() input: ListWorkersInput): Promise<ListWorkersOutput> {
    return this.workers.list(input);
  }

  @Endpoint('POST', {
    tag: 'workers',
    summary: 'Add a person or an agent.',
    scope: 'admin',
    status: 201,
    location: '/api/workers',
    output: WorkerOutput,
    errors: ['handle_taken', 'user_taken'],
  })
  createWorker(@Input() input: CreateWorkerInput, @Caller() caller: Principal): Promise<WorkerOutput> {
    return this.workers.create(input, caller);
  }
}
