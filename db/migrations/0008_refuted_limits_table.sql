CREATE TABLE "refuted_limits" (
	"session_id" bigint NOT NULL,
	"call_key" bigint NOT NULL,
	"limit_tokens" bigint NOT NULL,
	"source" smallint NOT NULL,
	CONSTRAINT "refuted_limits_session_id_call_key_pk" PRIMARY KEY("session_id","call_key")
) PARTITION BY RANGE ("session_id");
--> statement-breakpoint
-- Later months get their partitions with their first session (db/partitions.ts).
DO $$
DECLARE
  month record;
BEGIN
  FOR month IN
    SELECT substring(c.relname FROM '_m\d+$') AS suffix, pg_get_expr(c.relpartbound, c.oid) AS bounds
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'turns'::regclass
  LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF refuted_limits %s', 'refuted_limits' || month.suffix, month.bounds);
  END LOOP;
END $$;--> statement-breakpoint
INSERT INTO "refuted_limits" SELECT "session_id", "call_key", "stated_limit", "stated_by" FROM "turns"
WHERE "stated_limit" IS NOT NULL;--> statement-breakpoint
ALTER TABLE "turns" DROP COLUMN "stated_limit";--> statement-breakpoint
ALTER TABLE "turns" DROP COLUMN "stated_by";
