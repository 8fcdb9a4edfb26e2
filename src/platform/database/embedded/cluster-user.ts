import { readFileSync, statSync } from 'node:fs';
import { EmbeddedPostgresError } from './embedded-error.js';
import type { ClusterUser } from './run-program.js';

/** PostgreSQL refuses to run as root: root hands over to the owner of the existing cluster, else to `postgres` or
 *  `nobody`. */
export function clusterUser(cluster: string): ClusterUser {
  if (process.getuid?.() !== 0) return {};
  return ownerOf(cluster) ?? systemAccount();
}

function ownerOf(cluster: string): ClusterUser | undefined {
  const stat = statSync(cluster, { throwIfNoEntry: false });
  return stat && stat.uid !== 0 ? { uid: stat.uid, gid: stat.gid } : undefined;
}

function systemAccount(): ClusterUser {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const account = accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody');
  if (!account)
    throw new EmbeddedPostgresError(
      'The embedded PostgreSQL cannot run as root and there is no user postgres or nobody: set DATABASE_URL.',
    );
  return { uid: Number(account[2]), gid: Number(account[3]) };
}
