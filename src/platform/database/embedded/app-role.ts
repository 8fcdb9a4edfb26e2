import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';

const APP_ROLE = 'taskyard_app';

/** Creates the server's own role if it is missing.
 *  @param ownerUrl of the superuser @returns the URL of that role */
export async function openAppRole(home: string, ownerUrl: string): Promise<string> {
  const password = appPassword(home);
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'taskyard-roles' });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [APP_ROLE]);
    await client.query(
      `${rowCount ? 'ALTER' : 'CREATE'} ROLE ${APP_ROLE}
       LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS
       PASSWORD ${client.escapeLiteral(password)}`,
    );
  } finally {
    await client.end();
  }
  return urlFor(ownerUrl, password);
}

function urlFor(ownerUrl: string, password: string): string {
  const url = new URL(ownerUrl);
  url.username = APP_ROLE;
  url.password = password;
  return url.href;
}

/** Written under a temporary name and renamed; concurrent starts wait for the start lock. */
function appPassword(home: string): string {
  const file = path.join(home, 'app-password');
  if (!existsSync(file)) {
    const half = `${file}.half`;
    writeFileSync(half, randomBytes(24).toString('hex'), { mode: 0o600 });
    renameSync(half, file);
  }
  return readFileSync(file, 'utf8').trim();
}
