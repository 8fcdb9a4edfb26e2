import { once } from 'node:events';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { type Environment, EnvironmentError } from './config/environment.js';

/** @throws EnvironmentError */
export function requireDataDir({ DATA_DIR }: Environment): void {
  try {
    mkdirSync(DATA_DIR, { recursive: true });
    accessSync(DATA_DIR, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new EnvironmentError(`DATA_DIR="${DATA_DIR}" cannot be used: ${(error as Error).message}`);
  }
}

/** Checked before anything is started, so that an accidental second start touches nothing. @throws EnvironmentError */
export async function requirePort({ HOST, PORT }: Environment): Promise<void> {
  const probe = createServer().listen(PORT, HOST);
  try {
    await once(probe, 'listening');
  } catch (error) {
    throw new EnvironmentError(`HOST="${HOST}" PORT="${PORT}" cannot be listened on: ${(error as Error).message}`);
  }
  probe.close();
  await once(probe, 'close');
}
