-- Generated, then completed by hand: drizzle-kit knows no partitions, storage settings, functions and triggers.
-- Partitions are created when the first session of a month arrives (db/partitions.ts).
CREATE SEQUENCE "public"."session_counter" INCREMENT BY 1 MINVALUE 1 MAXVALUE 1099511627775 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "call_aliases" (
	"session_id" bigint NOT NULL,
	"alias" bigint NOT NULL,
	"call_key" bigint NOT NULL,
	CONSTRAINT "call_aliases_session_id_alias_pk" PRIMARY KEY("session_id","alias")
) PARTITION BY RANGE ("session_id");
--> statement-breakpoint
CREATE TABLE "chains" (
	"session_id" bigint NOT NULL,
	"chain" integer NOT NULL,
	"key" text NOT NULL,
	"fold" json NOT NULL,
	CONSTRAINT "chains_session_id_chain_pk" PRIMARY KEY("session_id","chain"),
	CONSTRAINT "chains_key" UNIQUE("session_id","key")
) PARTITION BY RANGE ("session_id");
--> statement-breakpoint
CREATE TABLE "checkpoints" (
	"session_id" bigint NOT NULL,
	"position" bigint NOT NULL,
	"fold" json NOT NULL,
	"edge" json,
	"near" boolean NOT NULL,
	CONSTRAINT "checkpoints_session_id_position_pk" PRIMARY KEY("session_id","position")
) PARTITION BY RANGE ("session_id");
--> statement-breakpoint
CREATE TABLE "contexts" (
	"session_id" bigint NOT NULL,
	"chain" integer NOT NULL,
	"index" integer NOT NULL,
	"started_at" timestamp(3) with time zone,
	"ended_at" timestamp(3) with time zone,
	"ended_by" text,
	"turn_count" integer NOT NULL,
	"input" bigint NOT NULL,
	"output" bigint NOT NULL,
	"cache_read" bigint NOT NULL,
	"cache_creation" bigint NOT NULL,
	"calls" integer NOT NULL,
	"cumulative_input" bigint NOT NULL,
	"cumulative_output" bigint NOT NULL,
	"cumulative_cache_read" bigint NOT NULL,
	"first_occupancy" bigint,
	"last_occupancy" bigint,
	"peak_occupancy" bigint,
	"limit_tokens" bigint,
	"tracked" boolean NOT NULL,
	"complete" boolean NOT NULL,
	CONSTRAINT "contexts_session_id_chain_index_pk" PRIMARY KEY("session_id","chain","index")
) PARTITION BY RANGE ("session_id");
--> statement-breakpoint
CREATE TABLE "compositions" (
	"call_key" bigint NOT NULL,
	"seq" bigint NOT NULL,
	"session_id" bigint NOT NULL,
	"runner_time" timestamp(3) with time zone NOT NULL,
	"stream_id" integer NOT NULL,
	"source" smallint NOT NULL,
	"composition" json NOT NULL,
	CONSTRAINT "compositions_session_id_call_key_pk" PRIMARY KEY("session_id","call_key")
) PARTITION BY RANGE ("session_id");
--> statement-breakpoint
CREATE TABLE "events" (
	"session_id" bigint NOT NULL,
	"cause" uuid NOT NULL,
	"kind" text NOT NULL,
	"position" bigint NOT NULL,
	"rank" smallint NOT NULL,
	"chain" integer NOT NULL,
	"context" integer NOT NULL,
	"turn" integer NOT NULL,
	"at" timestamp(3) with time zone NOT NULL,
	"detail" jsonb NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"retracted" boolean DEFAULT false NOT NULL,
	CONSTRAINT "events_session_id_cause_kind_pk" PRIMARY KEY("session_id","cause","kind")
) PARTITION BY RANGE ("session_id");
--> statement-breakpoint
CREATE TABLE "reports" (
	"position" bigint NOT NULL,
	"session_id" bigint NOT NULL,
	"seq" bigint NOT NULL,
	"hash" bigint NOT NULL,
	"runner_time" timestamp(3) with time zone NOT NULL,
	"server_time" timestamp(3) with time zone NOT NULL,
	"stream_id" integer NOT NULL,
	"bits" integer NOT NULL,
	"item" jsonb NOT NULL,
	CONSTRAINT "reports_session_id_position_pk" PRIMARY KEY("session_id","position"),
	CONSTRAINT "reports_delivery" UNIQUE("session_id","stream_id","seq")
) PARTITION BY RANGE ("session_id");
--> statement-breakpoint
CREATE TABLE "history" (
	"input" bigint NOT NULL,
	"output" bigint NOT NULL,
	"cache_read" bigint NOT NULL,
	"cache_creation" bigint NOT NULL,
	"peak" double precision,
	"turns" integer NOT NULL,
	"restarts" integer NOT NULL,
	"compactions" integer NOT NULL,
	"thrashes" integer NOT NULL,
	"cache_storms" integer NOT NULL,
	"bucket" integer NOT NULL,
	"runner_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	CONSTRAINT "history_bucket_runner_id_model_id_pk" PRIMARY KEY("bucket","runner_id","model_id")
) WITH (fillfactor = 80);
--> statement-breakpoint
CREATE TABLE "history_changes" (
	"position" bigint NOT NULL,
	"session_id" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "session_history" (
	"input" bigint NOT NULL,
	"output" bigint NOT NULL,
	"cache_read" bigint NOT NULL,
	"cache_creation" bigint NOT NULL,
	"peak" double precision,
	"turns" integer NOT NULL,
	"restarts" integer NOT NULL,
	"compactions" integer NOT NULL,
	"thrashes" integer NOT NULL,
	"cache_storms" integer NOT NULL,
	"first_position" bigint NOT NULL,
	"last_position" bigint NOT NULL,
	"session_id" bigint NOT NULL,
	"bucket" integer NOT NULL,
	"model_id" integer NOT NULL,
	"runner_id" integer NOT NULL,
	CONSTRAINT "session_history_session_id_bucket_model_id_pk" PRIMARY KEY("session_id","bucket","model_id")
) WITH (fillfactor = 90);
--> statement-breakpoint
CREATE TABLE "notes" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"session_id" bigint NOT NULL,
	"at" timestamp(3) with time zone NOT NULL,
	"turn" integer,
	"text" text NOT NULL,
	"author" text,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"edited_at" timestamp(3) with time zone,
	"edited_by" text,
	"deleted_at" timestamp(3) with time zone,
	"version" bigint DEFAULT 1 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "projects_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "projects_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "runners" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "runners_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"project_id" integer NOT NULL,
	"name" text NOT NULL,
	"host" text,
	"version" text,
	"first_seen_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "runners_project_name" UNIQUE("project_id","name")
);
--> statement-breakpoint
CREATE TABLE "server_identity" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	CONSTRAINT "server_identity_only" CHECK ("server_identity"."only")
);
--> statement-breakpoint
CREATE TABLE "session_aliases" (
	"client" text NOT NULL,
	"client_session_id" text NOT NULL,
	"session_id" bigint NOT NULL,
	"claimed_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "session_aliases_client_session_id_client_pk" PRIMARY KEY("client_session_id","client")
);
--> statement-breakpoint
CREATE TABLE "session_streams" (
	"session_id" bigint NOT NULL,
	"stream_id" integer NOT NULL,
	"max_seq" bigint NOT NULL,
	CONSTRAINT "session_streams_session_id_stream_id_pk" PRIMARY KEY("session_id","stream_id")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" bigint PRIMARY KEY NOT NULL,
	"public_id" uuid NOT NULL,
	"project_id" integer NOT NULL,
	"project_rank" smallint DEFAULT 0 NOT NULL,
	"key" text NOT NULL,
	"runner_id" integer NOT NULL,
	"deleted_at" timestamp(3) with time zone,
	"retired" boolean DEFAULT false NOT NULL,
	"adopted_by" bigint,
	"title" text,
	"host" text,
	"folder" text,
	"branch" text,
	"model" text,
	"client" text,
	"client_version" text,
	"previous_id" uuid,
	"forked_from_id" uuid,
	"backfill" boolean DEFAULT false NOT NULL,
	"fold" json NOT NULL,
	"sources" smallint DEFAULT 0 NOT NULL,
	"last_position" bigint DEFAULT 0 NOT NULL,
	"chain_count" integer DEFAULT 1 NOT NULL,
	"items_since_checkpoint" integer DEFAULT 0 NOT NULL,
	"recompute_from" bigint,
	"lens" text DEFAULT 'cumulative' NOT NULL,
	"limit_tokens" bigint,
	"limit_source" text DEFAULT 'none' NOT NULL,
	"compacted_at_tokens" bigint,
	"passed_tokens" bigint,
	"used" bigint,
	"pressure" double precision,
	"state" text DEFAULT 'unknown' NOT NULL,
	"minutes_left" double precision,
	"silent_after_ms" integer,
	"turn_count" integer DEFAULT 0 NOT NULL,
	"started_at" timestamp(3) with time zone NOT NULL,
	"last_turn_at" timestamp(3) with time zone,
	"last_activity_at" timestamp(3) with time zone,
	"ended_at" timestamp(3) with time zone,
	"version" bigint DEFAULT 1 NOT NULL,
	"composition_version" bigint,
	"notes_version" bigint,
	"changed_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sessions_publicId_unique" UNIQUE("public_id")
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"stream_id" integer NOT NULL,
	"seq" bigint NOT NULL,
	"hash" bigint NOT NULL,
	"outcome" smallint NOT NULL,
	"refusal" jsonb,
	"received_at" timestamp(3) with time zone NOT NULL,
	CONSTRAINT "deliveries_stream_id_seq_hash_pk" PRIMARY KEY("stream_id","seq","hash")
);
--> statement-breakpoint
CREATE TABLE "streams" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "streams_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"stream" uuid NOT NULL,
	"runner_id" integer NOT NULL,
	"source" smallint NOT NULL,
	"client" text,
	"received" "int8multirange" DEFAULT '{}' NOT NULL,
	"last_seen_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "streams_stream_unique" UNIQUE("stream")
);
--> statement-breakpoint
CREATE TABLE "tokens" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tokens_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"scope" text NOT NULL,
	"project" text,
	"hash" "bytea" NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp(3) with time zone,
	"revoked_at" timestamp(3) with time zone,
	CONSTRAINT "tokens_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "transcript_contents" (
	"transcript_id" integer PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"reason" text,
	"version" smallint NOT NULL,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"claimed_until" timestamp(3) with time zone,
	"claimed_by" uuid,
	"read_at" timestamp(3) with time zone,
	"format" text,
	"bytes" bigint,
	"lines" integer,
	"entries" integer DEFAULT 0 NOT NULL,
	"messages" integer DEFAULT 0 NOT NULL,
	"window" bigint,
	"secrets" integer DEFAULT 0 NOT NULL,
	"chains" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"compactions" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"boundaries" integer DEFAULT 0 NOT NULL
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
	"data" "bytea" NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "transcript_chunks_project_id_sha256_pk" PRIMARY KEY("project_id","sha256")
);
--> statement-breakpoint
CREATE TABLE "transcript_files" (
	"transcript_id" integer PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL,
	"parts" integer NOT NULL,
	"summary" text
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
	"agent" text,
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
CREATE TABLE "models" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "models_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pyramid" (
	"session_id" bigint NOT NULL,
	"first_time" timestamp(3) with time zone NOT NULL,
	"last_time" timestamp(3) with time zone NOT NULL,
	"cumulative_min" bigint,
	"cumulative_max" bigint,
	"cumulative_last" bigint,
	"snapshot_min" bigint,
	"snapshot_max" bigint,
	"snapshot_last" bigint,
	"input" bigint NOT NULL,
	"output" bigint NOT NULL,
	"cache_read" bigint NOT NULL,
	"cache_creation" bigint NOT NULL,
	"cumulative_input" bigint NOT NULL,
	"cumulative_output" bigint NOT NULL,
	"cumulative_cache_read" bigint NOT NULL,
	"limit_tokens" bigint,
	"bucket" integer NOT NULL,
	"turns" integer NOT NULL,
	"last_number" integer NOT NULL,
	"context" integer NOT NULL,
	"bits" integer NOT NULL,
	"level" smallint NOT NULL,
	CONSTRAINT "pyramid_session_id_level_bucket_pk" PRIMARY KEY("session_id","level","bucket")
) PARTITION BY RANGE ("session_id");
--> statement-breakpoint
CREATE TABLE "turns" (
	"position" bigint NOT NULL,
	"session_id" bigint NOT NULL,
	"seq" bigint NOT NULL,
	"input" bigint NOT NULL,
	"output" bigint NOT NULL,
	"cache_read" bigint NOT NULL,
	"cache_creation" bigint NOT NULL,
	"cumulative_input" bigint NOT NULL,
	"cumulative_output" bigint NOT NULL,
	"cumulative_cache_read" bigint NOT NULL,
	"reading" bigint,
	"limit_tokens" bigint,
	"runner_time" timestamp(3) with time zone NOT NULL,
	"server_time" timestamp(3) with time zone NOT NULL,
	"chart_time" timestamp(3) with time zone NOT NULL,
	"call_key" bigint NOT NULL,
	"hash" integer NOT NULL,
	"stream_id" integer NOT NULL,
	"number" integer NOT NULL,
	"bits" integer NOT NULL,
	"model_id" integer,
	"chain" smallint NOT NULL,
	"context" smallint NOT NULL,
	CONSTRAINT "turns_session_id_position_pk" PRIMARY KEY("session_id","position"),
	CONSTRAINT "turns_call" UNIQUE("session_id","call_key")
) PARTITION BY RANGE ("session_id");
--> statement-breakpoint
ALTER TABLE "notes" ADD CONSTRAINT "notes_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runners" ADD CONSTRAINT "runners_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_aliases" ADD CONSTRAINT "session_aliases_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_streams" ADD CONSTRAINT "session_streams_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_runner_id_runners_id_fk" FOREIGN KEY ("runner_id") REFERENCES "public"."runners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_stream_id_streams_id_fk" FOREIGN KEY ("stream_id") REFERENCES "public"."streams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "streams" ADD CONSTRAINT "streams_runner_id_runners_id_fk" FOREIGN KEY ("runner_id") REFERENCES "public"."runners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_contents" ADD CONSTRAINT "transcript_contents_transcript_id_transcript_files_transcript_id_fk" FOREIGN KEY ("transcript_id") REFERENCES "public"."transcript_files"("transcript_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_losses" ADD CONSTRAINT "transcript_losses_transcript_id_transcript_files_transcript_id_fk" FOREIGN KEY ("transcript_id") REFERENCES "public"."transcript_files"("transcript_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_pages" ADD CONSTRAINT "transcript_pages_transcript_id_transcript_files_transcript_id_fk" FOREIGN KEY ("transcript_id") REFERENCES "public"."transcript_files"("transcript_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_secrets" ADD CONSTRAINT "transcript_secrets_transcript_id_transcript_files_transcript_id_fk" FOREIGN KEY ("transcript_id") REFERENCES "public"."transcript_files"("transcript_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_segment_uses" ADD CONSTRAINT "transcript_segment_uses_transcript_id_transcript_files_transcript_id_fk" FOREIGN KEY ("transcript_id") REFERENCES "public"."transcript_files"("transcript_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_segment_uses" ADD CONSTRAINT "transcript_segment_uses_segment_id_transcript_segments_id_fk" FOREIGN KEY ("segment_id") REFERENCES "public"."transcript_segments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_segments" ADD CONSTRAINT "transcript_segments_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_chunks" ADD CONSTRAINT "transcript_chunks_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_files" ADD CONSTRAINT "transcript_files_transcript_id_transcripts_id_fk" FOREIGN KEY ("transcript_id") REFERENCES "public"."transcripts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_parts" ADD CONSTRAINT "transcript_parts_transcript_id_transcript_files_transcript_id_fk" FOREIGN KEY ("transcript_id") REFERENCES "public"."transcript_files"("transcript_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcripts" ADD CONSTRAINT "transcripts_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "events_position" ON "events" USING btree ("session_id","position");--> statement-breakpoint
CREATE INDEX "events_time" ON "events" USING btree ("at");--> statement-breakpoint
CREATE INDEX "reports_meaning" ON "reports" USING btree ("session_id","hash");--> statement-breakpoint
CREATE INDEX "session_history_cell" ON "session_history" USING btree ("bucket","runner_id","model_id");--> statement-breakpoint
CREATE INDEX "session_history_boundaries" ON "session_history" USING btree ("bucket") WHERE restarts + compactions + thrashes + cache_storms > 0;--> statement-breakpoint
CREATE INDEX "notes_session" ON "notes" USING btree ("session_id","at");--> statement-breakpoint
CREATE INDEX "sessions_project" ON "sessions" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "session_aliases_session" ON "session_aliases" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "sessions_outcomes" ON "sessions" USING btree ("client","client_version","limit_tokens","id") WHERE compacted_at_tokens is not null or passed_tokens is not null;--> statement-breakpoint
CREATE INDEX "sessions_adopted" ON "sessions" USING btree ("adopted_by") WHERE adopted_by is not null;--> statement-breakpoint
CREATE INDEX "sessions_forked" ON "sessions" USING btree ("forked_from_id") WHERE forked_from_id is not null;--> statement-breakpoint
CREATE INDEX "sessions_previous" ON "sessions" USING btree ("previous_id") WHERE previous_id is not null;--> statement-breakpoint
CREATE INDEX "sessions_changed" ON "sessions" USING brin ("changed_at");--> statement-breakpoint
CREATE INDEX "sessions_recomputing" ON "sessions" USING btree ("id") WHERE recompute_from is not null;--> statement-breakpoint
CREATE INDEX "transcript_contents_state" ON "transcript_contents" USING btree ("state","claimed_until");--> statement-breakpoint
CREATE INDEX "transcript_secrets_entry" ON "transcript_secrets" USING btree ("transcript_id","entry");--> statement-breakpoint
CREATE INDEX "transcript_segment_uses_segment" ON "transcript_segment_uses" USING btree ("segment_id");--> statement-breakpoint
CREATE INDEX "transcript_segments_terms" ON "transcript_segments" USING gin ("terms");--> statement-breakpoint
CREATE INDEX "audit_log_time" ON "audit_log" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "audit_log_transcript" ON "audit_log" USING btree ("transcript","at") WHERE transcript is not null;--> statement-breakpoint
CREATE INDEX "transcript_parts_chunk" ON "transcript_parts" USING btree ("project_id","sha256");--> statement-breakpoint
CREATE INDEX "transcripts_session" ON "transcripts" USING btree ("session");--> statement-breakpoint
CREATE INDEX "transcripts_project" ON "transcripts" USING btree ("project_id","at");--> statement-breakpoint
CREATE INDEX "transcripts_time" ON "transcripts" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "transcripts_uploading" ON "transcripts" USING btree ("changed_at") WHERE state = 'uploading';--> statement-breakpoint
CREATE UNIQUE INDEX "models_name" ON "models" USING btree (md5(name));--> statement-breakpoint
CREATE INDEX "turns_side_chains" ON "turns" USING btree ("session_id","chain","position") WHERE chain <> 0;--> statement-breakpoint
-- The session row is rewritten with each batch. Room on its page and the fold kept in it let the new version stay
-- beside the old one, without touching an index.
ALTER TABLE "sessions" ALTER COLUMN "fold" SET STORAGE MAIN;--> statement-breakpoint
ALTER TABLE "sessions" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);--> statement-breakpoint
ALTER TABLE "session_streams" SET (fillfactor = 70);--> statement-breakpoint
ALTER TABLE "streams" SET (fillfactor = 70);--> statement-breakpoint
-- Compressed before they are stored.
ALTER TABLE "transcript_chunks" ALTER COLUMN "data" SET STORAGE EXTERNAL;--> statement-breakpoint
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
