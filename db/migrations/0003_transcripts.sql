-- Written by hand: compressed chunks are kept as they are (EXTERNAL), and what notices told of so far moves from
-- `archives` to `transcripts` before that table goes.
CREATE TABLE "audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"project_id" integer,
	"transcript" uuid,
	"session" uuid,
	"detail" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "transcript_chunks" (
	"project_id" integer NOT NULL,
	"sha256" "bytea" NOT NULL,
	"bytes" integer NOT NULL,
	"stored_bytes" integer NOT NULL,
	"encoding" smallint NOT NULL,
	"data" "bytea",
	"base" "bytea",
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "transcript_chunks_project_id_sha256_pk" PRIMARY KEY("project_id","sha256")
);
--> statement-breakpoint
CREATE TABLE "transcript_files" (
	"transcript_id" integer PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL,
	"parts" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "transcript_parts" (
	"transcript_id" integer NOT NULL,
	"index" integer NOT NULL,
	"project_id" integer NOT NULL,
	"sha256" "bytea" NOT NULL,
	CONSTRAINT "transcript_parts_transcript_id_index_pk" PRIMARY KEY("transcript_id","index")
);
--> statement-breakpoint
CREATE TABLE "transcripts" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "transcripts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"public_id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"project_id" integer NOT NULL,
	"session" uuid NOT NULL,
	"session_key" text NOT NULL,
	"archive" uuid,
	"cause" uuid,
	"state" text NOT NULL,
	"reason" text,
	"trigger" text,
	"version" text DEFAULT 'hook' NOT NULL,
	"boundary" text,
	"at" timestamp(3) with time zone NOT NULL,
	"file_name" text,
	"host" text,
	"path" text,
	"bytes" bigint,
	"lines" bigint,
	"sha256" text,
	"format" text,
	"messages" integer,
	"secrets" integer,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"changed_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"verified_at" timestamp(3) with time zone,
	"deleted_at" timestamp(3) with time zone,
	CONSTRAINT "transcripts_publicId_unique" UNIQUE("public_id"),
	CONSTRAINT "transcripts_archive" UNIQUE("archive"),
	CONSTRAINT "transcripts_cause" UNIQUE("cause")
);
--> statement-breakpoint
ALTER TABLE "transcript_chunks" ALTER COLUMN "data" SET STORAGE EXTERNAL;--> statement-breakpoint
INSERT INTO "transcripts" ("project_id", "session", "session_key", "cause", "state", "reason", "trigger", "at", "file_name", "path", "bytes", "lines", "sha256")
SELECT s."project_id", s."public_id", s."key", a."cause", CASE a."state" WHEN 'stored' THEN 'announced' ELSE a."state" END,
	a."reason", a."trigger", a."at", nullif(regexp_replace(a."path", '^.*[/\\]', ''), ''), a."path", a."bytes", a."lines", a."sha256"
FROM "archives" a JOIN "sessions" s ON s."id" = a."session_id"
ON CONFLICT DO NOTHING;
--> statement-breakpoint
DROP TABLE "archives" CASCADE;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_chunks" ADD CONSTRAINT "transcript_chunks_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_files" ADD CONSTRAINT "transcript_files_transcript_id_transcripts_id_fk" FOREIGN KEY ("transcript_id") REFERENCES "public"."transcripts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_parts" ADD CONSTRAINT "transcript_parts_transcript_id_transcript_files_transcript_id_fk" FOREIGN KEY ("transcript_id") REFERENCES "public"."transcript_files"("transcript_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcripts" ADD CONSTRAINT "transcripts_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_log_time" ON "audit_log" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "audit_log_transcript" ON "audit_log" USING btree ("transcript","at") WHERE transcript is not null;--> statement-breakpoint
CREATE INDEX "transcript_chunks_base" ON "transcript_chunks" USING btree ("project_id","base") WHERE base is not null;--> statement-breakpoint
CREATE INDEX "transcript_parts_chunk" ON "transcript_parts" USING btree ("project_id","sha256");--> statement-breakpoint
CREATE INDEX "transcripts_session" ON "transcripts" USING btree ("session");--> statement-breakpoint
CREATE INDEX "transcripts_project" ON "transcripts" USING btree ("project_id","at");--> statement-breakpoint
CREATE INDEX "transcripts_time" ON "transcripts" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "transcripts_uploading" ON "transcripts" USING btree ("changed_at") WHERE state = 'uploading';