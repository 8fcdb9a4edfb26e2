import { Logger } from '@nestjs/common';
import { agentEnvironment } from '../../config/child-environment.js';
import { type Environment, secretFiles } from '../../config/environment.js';
import { forgeFiles } from '../../config/forges-file.js';
import { isLoopback } from '../access/access-control.js';
import { chooseSandbox, SandboxError } from './choose-sandbox.js';
import { hiddenPaths, resolverFiles } from './hidden-paths.js';
import type { Sandbox } from './sandbox.js';

/** The walls of this server's runs. @throws SandboxError where there are none and nobody has asked for that by name */
export async function openSandbox(environment: Environment): Promise<Sandbox> {
  const { DATA_DIR, EXECUTORS_FILE, FORGES_FILE, HOST, ISOLATION, ROLE } = environment;
  const files = [...secretFiles(), ...(EXECUTORS_FILE ? [EXECUTORS_FILE] : []), ...forgeFiles(FORGES_FILE)];
  const hidden = hiddenPaths(DATA_DIR, files, agentEnvironment([]).HOME);
  const sandbox = await chooseSandbox(environment, hidden, resolverFiles());
  if (sandbox.isolation === 'none' && ISOLATION === 'auto' && !isLoopback(HOST) && ROLE !== 'api')
    throw new SandboxError(
      `Runs cannot be isolated on this machine (${sandbox.reason}) and HOST=${HOST} is open to the network: ` +
        'install bubblewrap, or set ISOLATION=none',
    );
  return sandbox;
}

/** For the operator, once the log is open. */
export function reportSandbox({ isolation, reason, limits }: Sandbox): void {
  new Logger('Sandbox').log({ isolation, reason, limits }, `runs are isolated by: ${isolation}`);
}
