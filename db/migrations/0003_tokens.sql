ALTER TABLE "transcripts" DROP CONSTRAINT "transcripts_archive";--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "scopes" text[];--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "projects" text[];--> statement-breakpoint
-- Tokens of runners keep both of their uses.
UPDATE "tokens" SET "scopes" = CASE "scope" WHEN 'ingest' THEN '{ingest,archive}'::text[] ELSE array["scope"] END,
  "projects" = CASE WHEN "project" IS NOT NULL THEN array["project"] END;--> statement-breakpoint
ALTER TABLE "tokens" ALTER COLUMN "scopes" SET NOT NULL;--> statement-breakpoint
UPDATE "tokens" t SET "name" = t."name" || ' (#' || t."id" || ')' WHERE t."revoked_at" IS NULL AND EXISTS (
  SELECT FROM "tokens" o WHERE o."name" = t."name" AND o."id" < t."id" AND o."revoked_at" IS NULL
);--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "start" text;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "old_hash" "bytea";--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "old_until" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "expires_at" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "last_used_from" text;--> statement-breakpoint
CREATE UNIQUE INDEX "tokens_name" ON "tokens" USING btree ("name") WHERE revoked_at is null;--> statement-breakpoint
ALTER TABLE "tokens" DROP COLUMN "scope";--> statement-breakpoint
ALTER TABLE "tokens" DROP COLUMN "project";--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_oldHash_unique" UNIQUE("old_hash");--> statement-breakpoint
ALTER TABLE "transcripts" ADD CONSTRAINT "transcripts_archive" UNIQUE("archive","project_id");