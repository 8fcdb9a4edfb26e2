import { Module } from '@nestjs/common';
import { ENVIRONMENT } from '../config/environment.js';
import { allAdapters } from './agent-adapters.js';
import { ExecutorCatalogue } from './executor-catalogue.js';
import { EXECUTOR_ADAPTERS } from './executor.js';
import { ExecutorsController } from './executors.controller.js';
import { RunWalls } from './run-walls.js';
import { ShellAdapter } from './shell/shell.adapter.js';

@Module({
  controllers: [ExecutorsController],
  providers: [
    ShellAdapter,
    { provide: EXECUTOR_ADAPTERS, inject: [ShellAdapter, ENVIRONMENT], useFactory: allAdapters },
    ExecutorCatalogue,
    RunWalls,
  ],
  exports: [ExecutorCatalogue, RunWalls],
})
export class ExecutorsModule {}
