import { EnvironmentError, loadEnvironment } from './config/environment.js';
import { EmbeddedPostgresError } from './platform/database/embedded/embedded-error.js';
import { SandboxError } from './platform/sandbox/choose-sandbox.js';
import { ClusterSecretError, RunnerTakenError } from './cluster/runner-lease.js';
import { startServer } from './server.js';
import { UnsafeBindError } from './start-conditions.js';

/** Refusals to start are one line for the operator; everything else is a fault with a stack trace. */
const refusals = [
  ClusterSecretError,
  EnvironmentError,
  EmbeddedPostgresError,
  RunnerTakenError,
  SandboxError,
  UnsafeBindError,
];

try {
  await startServer(loadEnvironment());
} catch (error) {
  const isRefusal =
    refusals.some((type) => error instanceof type) || (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  console.error(isRefusal ? `taskyard: ${(error as Error).message}` : error);
  process.exit(1);
}
