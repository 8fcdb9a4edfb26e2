import { Module } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { programVersion } from '../platform/process/program-version.js';
import { agentAdapters } from './agent-adapters.js';
import { allowedExecutors, commandRefusal } from './command-policy.js';
import { readDeclaredExecutors } from './declared/declared-executors.js';
import { demoProfile, demoSessionsOf } from './demo/demo-profile.js';
import { ExecutorCatalogue } from './executor-catalogue.js';
import { EXECUTOR_ADAPTERS, type ExecutorAdapter } from './executor.js';
import { ExecutorsController } from './executors.controller.js';
import { ExecutorsService } from './executors.service.js';
import { ProgramFinder } from './find-program.js';
import { RunWalls } from './run-walls.js';
import { ShellAdapter } from './shell/shell.adapter.js';

/** The shell, the agents of agent-adapters.ts, and those of EXECUTORS_FILE, as far as EXECUTORS lists them. */
export function allAdapters(shell: ShellAdapter, environment: Environment): ExecutorAdapter[] {
  const { DATA_DIR, EXECUTORS_FILE, EXECUTOR_COMMANDS } = environment;
  const programs = new ProgramFinder(EXECUTOR_COMMANDS, programVersion);
  const demo = demoProfile(demoSessionsOf(DATA_DIR), commandRefusal(environment));
  const builtIn = [shell, ...agentAdapters(programs, demo, [])].map((adapter) => adapter.info.executor);
  const declared = readDeclaredExecutors(EXECUTORS_FILE, builtIn);
  return allowedExecutors([shell, ...agentAdapters(programs, demo, declared)], environment);
}

@Module({
  controllers: [ExecutorsController],
  providers: [
    ShellAdapter,
    { provide: EXECUTOR_ADAPTERS, inject: [ShellAdapter, ENVIRONMENT], useFactory: allAdapters },
    ExecutorCatalogue,
    ExecutorsService,
    RunWalls,
  ],
  exports: [ExecutorCatalogue, ExecutorsService],
})
export class ExecutorsModule {}
