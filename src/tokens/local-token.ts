import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from '../config/environment.js';
import { isLoopback } from '../platform/access/access-control.js';
import type { Sandbox } from '../platform/sandbox/sandbox.js';

const FORM = /^ty_local_[\w-]{43}$/;

/** Where the owner finds it; runs behind walls do not see it. */
export const localTokenFile = ({ DATA_DIR }: Pick<Environment, 'DATA_DIR'>): string =>
  path.join(DATA_DIR, 'local-token');

/** Whether a token is all that tells the owner from a run: runs share the network of the host, and have walls that keep
 *  the token from them. */
export const needsLocalToken = (
  { ROLE, TASKFLOW_SERVICE_TOKEN, OIDC_ISSUER }: Environment,
  { isolation }: Pick<Sandbox, 'isolation'>,
): boolean => ROLE === 'all' && !TASKFLOW_SERVICE_TOKEN && !OIDC_ISSUER && isolation !== 'none';

/** Made once; whoever wants another one removes the file. */
export async function openLocalToken(environment: Pick<Environment, 'DATA_DIR'>): Promise<string> {
  const file = localTokenFile(environment);
  const kept = keptIn(file);
  const token = kept || `ty_local_${randomBytes(32).toString('base64url')}`;
  if (token !== kept) await writeFile(file, `${token}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
  return token;
}

/** What a program of the owner sends: the token of the settings, or the local one to a server on this machine. */
export function tokenForApi({ TASKFLOW_API_URL, TASKFLOW_SERVICE_TOKEN, DATA_DIR }: Environment): string {
  if (TASKFLOW_SERVICE_TOKEN || !isLoopback(new URL(TASKFLOW_API_URL).hostname)) return TASKFLOW_SERVICE_TOKEN;
  return keptIn(localTokenFile({ DATA_DIR }));
}

/** Empty where there is none. */
function keptIn(file: string): string {
  try {
    const kept = readFileSync(file, 'utf8').trim();
    return FORM.test(kept) ? kept : '';
  } catch {
    return ''; // none was made yet, or it is not ours to read
  }
}
