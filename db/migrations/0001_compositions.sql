-- PARTITION BY and the partitions were added by hand, as in 0000: months that a database has already get theirs here,
-- later ones with the first session of the month (db/partitions.ts).
CREATE TABLE "compositions" (
	"call_key" bigint NOT NULL,
	"seq" bigint NOT NULL,
	"runner_time" timestamp(3) with time zone NOT NULL,
	"session_id" integer NOT NULL,
	"stream_id" integer NOT NULL,
	"month" smallint NOT NULL,
	"source" smallint NOT NULL,
	"composition" json NOT NULL,
	CONSTRAINT "compositions_month_session_id_call_key_pk" PRIMARY KEY("month","session_id","call_key")
) PARTITION BY LIST ("month");
--> statement-breakpoint
DO $$
DECLARE
	month text;
BEGIN
	FOR month IN
		SELECT substring(p.relname FROM '^turns_m(\d+)$')
		FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhrelid
		WHERE i.inhparent = 'turns'::regclass
	LOOP
		EXECUTE format('CREATE TABLE %I PARTITION OF "compositions" FOR VALUES IN (%s)', 'compositions_m' || month, month);
	END LOOP;
END $$;
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "composition_version" bigint;
