-- The first migration got these indexes after the tag v0.1.0. Its hash becomes that of the complete migration.
CREATE INDEX IF NOT EXISTS "sessions_adopted" ON "sessions" USING btree ("adopted_by") WHERE adopted_by is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "sessions_forked" ON "sessions" USING btree ("forked_from_id") WHERE forked_from_id is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "sessions_previous" ON "sessions" USING btree ("previous_id") WHERE previous_id is not null;--> statement-breakpoint
-- A restore of a backup creates this table after the migrations.
DO $$ BEGIN
  IF to_regclass('drizzle.__drizzle_migrations') IS NOT NULL THEN
    UPDATE drizzle.__drizzle_migrations SET hash = '7ba5ff4cded1acc4c6917a4c3539a0c5dd51cb24256173c54bf0d27bb7eb6472'
    WHERE hash = '9b561e181fc3d908cddc3208bdb3d6348deb7670ff5ddda9e6d5693e8221b17e';
  END IF;
END $$;
