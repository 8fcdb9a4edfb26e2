import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Audit rows go by age alone, never before a month, and not by the server's own hand: its role may only add and
 *  read. */
export class PruneAudit1764600100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- With its owner's rights. Looks at the oldest rows alone, so that a call that finds none costs nothing.
CREATE FUNCTION prune_audit(keep_days integer, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  pruned bigint;
BEGIN
  IF keep_days < 30 THEN
    RAISE EXCEPTION 'audit rows are kept for at least 30 days';
  END IF;
  DELETE FROM audit_log
  WHERE number IN (
    SELECT oldest.number
    FROM (SELECT number, created_at FROM audit_log ORDER BY number LIMIT most) oldest
    WHERE oldest.created_at < now() - keep_days * interval '1 day'
  );
  GET DIAGNOSTICS pruned = ROW_COUNT;
  RETURN pruned;
END $$;
REVOKE ALL ON FUNCTION prune_audit(integer, integer) FROM PUBLIC;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION prune_audit(integer, integer);');
  }
}
