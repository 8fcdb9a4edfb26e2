import type pg from 'pg';
import { QUEUE_SCHEMA } from '../cluster/job-queues.js';

/** Evidence, which the server may only read and add to. */
const APPEND_ONLY = ['audit_log', 'thought_records'];
/** Written by migrations and triggers, with their owner's rights. */
const READ_ONLY = ['thought_heads', 'schema_migrations'];

/** Functions that run with their owner's rights. */
const OF_THE_OWNER = ['public.prune_audit(integer, integer)'];

/** Grants the server's own role: rows only, no tables. In one transaction, so that no other session ever sees more
 *  rights. */
export async function grantTo(client: pg.Client, role: string): Promise<void> {
  const name = client.escapeIdentifier(role);
  const statements = ['public', QUEUE_SCHEMA].flatMap((schema) => [
    `GRANT USAGE ON SCHEMA ${schema} TO ${name}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${name}`,
    `GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${name}`,
  ]);
  const revoked = [
    `REVOKE UPDATE, DELETE ON ${APPEND_ONLY.join(', ')} FROM ${name}`,
    `REVOKE INSERT, UPDATE, DELETE ON ${READ_ONLY.join(', ')} FROM ${name}`,
  ];
  const called = OF_THE_OWNER.map((signature) => `GRANT EXECUTE ON FUNCTION ${signature} TO ${name}`);
  await client.query(['BEGIN', ...statements, ...revoked, ...called, 'COMMIT'].join(';\n'));
}
