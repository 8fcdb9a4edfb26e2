import { Module } from '@nestjs/common';
import { ExecutorCatalogue } from './executor-catalogue.js';
import { EXECUTOR_ADAPTERS } from './executor.js';
import { ExecutorsController } from './executors.controller.js';
import { ExecutorsService } from './executors.service.js';
import { ShellAdapter } from './shell/shell.adapter.js';

/** The list of executors: add an adapter class here. */
const adapters = [ShellAdapter];

@Module({
  controllers: [ExecutorsController],
  providers: [...adapters, { provide: EXECUTOR_ADAPTERS, inject: adapters, useFactory: (...all: ShellAdapter[]) => all }, ExecutorCatalogue, ExecutorsService],
  exports: [ExecutorCatalogue, ExecutorsService],
})
export class ExecutorsModule {}
