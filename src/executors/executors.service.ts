import { Injectable } from '@nestjs/common';
import { ExecutorCatalogue } from './executor-catalogue.js';
import type { ListExecutorsOutput } from './executor.dto.js';

@Injectable()
export class ExecutorsService {
  constructor(private readonly catalogue: ExecutorCatalogue) {}

  async list(): Promise<ListExecutorsOutput> {
    const executors = await this.catalogue.list();
    return { executors, count: executors.length };
  }
}
