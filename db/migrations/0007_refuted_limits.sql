ALTER TABLE "turns" ADD COLUMN "stated_limit" bigint;--> statement-breakpoint
ALTER TABLE "turns" ADD COLUMN "stated_by" smallint;