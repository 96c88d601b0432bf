CREATE TABLE "transcript_contents" (
	"transcript_id" integer PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"reason" text,
	"version" smallint NOT NULL,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"claimed_until" timestamp(3) with time zone,
	"read_at" timestamp(3) with time zone,
	"format" text,
	"bytes" bigint,
	"lines" integer,
	"entries" integer DEFAULT 0 NOT NULL,
	"messages" integer DEFAULT 0 NOT NULL,
	"window" bigint,
	"secrets" integer DEFAULT 0 NOT NULL,
	"chains" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"compactions" jsonb DEFAULT '[]'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "transcript_losses" (
	"transcript_id" integer NOT NULL,
	"entry" integer NOT NULL,
	"from_byte" bigint NOT NULL,
	"data" "bytea" NOT NULL,
	CONSTRAINT "transcript_losses_transcript_id_entry_pk" PRIMARY KEY("transcript_id","entry")
);
--> statement-breakpoint
CREATE TABLE "transcript_pages" (
	"transcript_id" integer NOT NULL,
	"page" integer NOT NULL,
	"data" "bytea" NOT NULL,
	CONSTRAINT "transcript_pages_transcript_id_page_pk" PRIMARY KEY("transcript_id","page")
);
--> statement-breakpoint
CREATE TABLE "transcript_secrets" (
	"transcript_id" integer NOT NULL,
	"secret" integer NOT NULL,
	"entry" integer NOT NULL,
	"line" integer NOT NULL,
	"from_byte" bigint NOT NULL,
	"to_byte" bigint NOT NULL,
	"rule" text NOT NULL,
	CONSTRAINT "transcript_secrets_transcript_id_secret_entry_pk" PRIMARY KEY("transcript_id","secret","entry")
);
--> statement-breakpoint
CREATE TABLE "transcript_segment_uses" (
	"transcript_id" integer NOT NULL,
	"place" integer NOT NULL,
	"segment_id" bigint NOT NULL,
	"first_entry" integer NOT NULL,
	"first_line" integer NOT NULL,
	CONSTRAINT "transcript_segment_uses_transcript_id_place_pk" PRIMARY KEY("transcript_id","place")
);
--> statement-breakpoint
CREATE TABLE "transcript_segments" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "transcript_segments_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"project_id" integer NOT NULL,
	"sha256" "bytea" NOT NULL,
	"terms" "tsvector" NOT NULL,
	"body" "bytea" NOT NULL,
	CONSTRAINT "transcript_segments_content" UNIQUE("project_id","sha256")
);
--> statement-breakpoint
ALTER TABLE "transcript_contents" ADD CONSTRAINT "transcript_contents_transcript_id_transcript_files_transcript_id_fk" FOREIGN KEY ("transcript_id") REFERENCES "public"."transcript_files"("transcript_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_losses" ADD CONSTRAINT "transcript_losses_transcript_id_transcript_files_transcript_id_fk" FOREIGN KEY ("transcript_id") REFERENCES "public"."transcript_files"("transcript_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_pages" ADD CONSTRAINT "transcript_pages_transcript_id_transcript_files_transcript_id_fk" FOREIGN KEY ("transcript_id") REFERENCES "public"."transcript_files"("transcript_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_secrets" ADD CONSTRAINT "transcript_secrets_transcript_id_transcript_files_transcript_id_fk" FOREIGN KEY ("transcript_id") REFERENCES "public"."transcript_files"("transcript_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_segment_uses" ADD CONSTRAINT "transcript_segment_uses_transcript_id_transcript_files_transcript_id_fk" FOREIGN KEY ("transcript_id") REFERENCES "public"."transcript_files"("transcript_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_segment_uses" ADD CONSTRAINT "transcript_segment_uses_segment_id_transcript_segments_id_fk" FOREIGN KEY ("segment_id") REFERENCES "public"."transcript_segments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_segments" ADD CONSTRAINT "transcript_segments_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "transcript_contents_state" ON "transcript_contents" USING btree ("state","claimed_until");--> statement-breakpoint
CREATE INDEX "transcript_secrets_entry" ON "transcript_secrets" USING btree ("transcript_id","entry");--> statement-breakpoint
CREATE INDEX "transcript_segment_uses_segment" ON "transcript_segment_uses" USING btree ("segment_id");--> statement-breakpoint
CREATE INDEX "transcript_segments_terms" ON "transcript_segments" USING gin ("terms");--> statement-breakpoint
-- Compressed before they come here.
ALTER TABLE "transcript_pages" ALTER COLUMN "data" SET STORAGE EXTERNAL;--> statement-breakpoint
ALTER TABLE "transcript_losses" ALTER COLUMN "data" SET STORAGE EXTERNAL;--> statement-breakpoint
ALTER TABLE "transcript_segments" ALTER COLUMN "body" SET STORAGE EXTERNAL;--> statement-breakpoint
-- A segment goes with the last transcript that uses it, in the same transaction. Whoever adds or removes uses holds
-- the project's lock, so none is added meanwhile.
CREATE FUNCTION drop_unused_segments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM transcript_segments s
  WHERE s.id IN (SELECT segment_id FROM gone)
    AND NOT EXISTS (SELECT FROM transcript_segment_uses u WHERE u.segment_id = s.id);
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER drop_unused_segments AFTER DELETE ON "transcript_segment_uses"
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION drop_unused_segments();
