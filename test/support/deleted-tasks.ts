import pg from 'pg';

/** As if the day was over in which deleted tasks can be restored. */
export async function passKeptDay(database: { url: string }): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query(`UPDATE tasks SET deleted_at = deleted_at - interval '25 hours' WHERE deleted_at IS NOT NULL`);
    await client.query(
      `UPDATE queue.job SET start_after = now() WHERE name = 'dispose_workspaces' AND state = 'created'`,
    );
  } finally {
    await client.end();
  }
}
