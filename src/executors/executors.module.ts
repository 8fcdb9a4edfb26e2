import path from 'node:path';
import { Module } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { programVersion } from '../platform/process/program-version.js';
import { agentAdapters } from './agent-adapters.js';
import { readDeclaredExecutors } from './declared/declared-executors.js';
import { ExecutorCatalogue } from './executor-catalogue.js';
import { EXECUTOR_ADAPTERS, type ExecutorAdapter } from './executor.js';
import { ExecutorsController } from './executors.controller.js';
import { ExecutorsService } from './executors.service.js';
import { ProgramFinder } from './find-program.js';
import { ShellAdapter } from './shell/shell.adapter.js';

/** The shell, the agents of agent-adapters.ts, and those of EXECUTORS_FILE. */
function allAdapters(
  shell: ShellAdapter,
  { DATA_DIR, EXECUTORS_FILE, EXECUTOR_COMMANDS }: Environment,
): ExecutorAdapter[] {
  const programs = new ProgramFinder(EXECUTOR_COMMANDS, programVersion);
  const demoState = path.join(DATA_DIR, 'demo-sessions');
  const builtIn = [shell, ...agentAdapters(programs, demoState, [])].map((adapter) => adapter.info.executor);
  return [shell, ...agentAdapters(programs, demoState, readDeclaredExecutors(EXECUTORS_FILE, builtIn))];
}

@Module({
  controllers: [ExecutorsController],
  providers: [
    ShellAdapter,
    { provide: EXECUTOR_ADAPTERS, inject: [ShellAdapter, ENVIRONMENT], useFactory: allAdapters },
    ExecutorCatalogue,
    ExecutorsService,
  ],
  exports: [ExecutorCatalogue, ExecutorsService],
})
export class ExecutorsModule {}
