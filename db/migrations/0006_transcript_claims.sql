ALTER TABLE "transcript_contents" ADD COLUMN "claimed_by" uuid;--> statement-breakpoint
ALTER TABLE "transcript_contents" ADD COLUMN "boundaries" integer DEFAULT 0 NOT NULL;