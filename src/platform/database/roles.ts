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
