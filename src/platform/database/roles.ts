import pg from 'pg';

/** How a start reaches its database. */
export interface DatabaseAccess {
  /** As the server works. */
  url: string;
  /** As migrations do: of the role that owns the tables. */
  ownerUrl: string;
}

/** The server's role, if it is not the owner of the tables. */
export function separateRole({ url, ownerUrl }: DatabaseAccess): string | null {
  const [role, owner] = [url, ownerUrl].map((address) => new pg.Client({ connectionString: address }).user);
  return role === undefined || role === owner ? null : role;
}

type Ask = <T extends object>(sql: string) => Promise<T[]>;

/** Whether who asks may act as the owner of the tables, and so undo what the database forbids the server; null while
 *  there are no tables. */
export async function actsAsOwner(ask: Ask): Promise<boolean | null> {
  const owner = "SELECT pg_has_role(relowner, 'USAGE') AS is_owner FROM pg_class";
  const [table] = await ask<{ is_owner: boolean }>(`${owner} WHERE oid = to_regclass('schema_migrations')`);
  return table?.is_owner ?? null;
}
