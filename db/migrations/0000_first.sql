-- The tables PARTITION BY LIST ("month") were completed by hand: drizzle-kit knows no partitions. A partition is
-- made when the first session of a month arrives (db/partitions.ts).
CREATE TABLE "chains" (
	"month" smallint NOT NULL,
	"session_id" integer NOT NULL,
	"chain" integer NOT NULL,
	"key" text NOT NULL,
	"fold" json NOT NULL,
	CONSTRAINT "chains_month_session_id_chain_pk" PRIMARY KEY("month","session_id","chain"),
	CONSTRAINT "chains_key" UNIQUE("month","session_id","key")
) PARTITION BY LIST ("month");
--> statement-breakpoint
CREATE TABLE "checkpoints" (
	"month" smallint NOT NULL,
	"session_id" integer NOT NULL,
	"position" bigint NOT NULL,
	"fold" json NOT NULL,
	"edge" json,
	"near" boolean NOT NULL,
	CONSTRAINT "checkpoints_month_session_id_position_pk" PRIMARY KEY("month","session_id","position")
) PARTITION BY LIST ("month");
--> statement-breakpoint
CREATE TABLE "contexts" (
	"month" smallint NOT NULL,
	"session_id" integer NOT NULL,
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
	CONSTRAINT "contexts_month_session_id_chain_index_pk" PRIMARY KEY("month","session_id","chain","index")
) PARTITION BY LIST ("month");
--> statement-breakpoint
CREATE TABLE "archives" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"session_id" integer NOT NULL,
	"cause" uuid NOT NULL,
	"state" text NOT NULL,
	"reason" text,
	"trigger" text,
	"at" timestamp(3) with time zone NOT NULL,
	"path" text,
	"bytes" bigint,
	"lines" bigint,
	"sha256" text,
	"place" text,
	CONSTRAINT "archives_report" UNIQUE("session_id","cause")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"month" smallint NOT NULL,
	"session_id" integer NOT NULL,
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
	CONSTRAINT "events_month_session_id_cause_kind_pk" PRIMARY KEY("month","session_id","cause","kind")
) PARTITION BY LIST ("month");
--> statement-breakpoint
CREATE TABLE "reports" (
	"position" bigint NOT NULL,
	"seq" bigint NOT NULL,
	"hash" bigint NOT NULL,
	"runner_time" timestamp(3) with time zone NOT NULL,
	"server_time" timestamp(3) with time zone NOT NULL,
	"stream_id" integer NOT NULL,
	"session_id" integer NOT NULL,
	"month" smallint NOT NULL,
	"bits" integer NOT NULL,
	"item" jsonb NOT NULL,
	CONSTRAINT "reports_month_session_id_position_pk" PRIMARY KEY("month","session_id","position"),
	CONSTRAINT "reports_delivery" UNIQUE("month","session_id","stream_id","seq")
) PARTITION BY LIST ("month");
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
CREATE TABLE "session_aliases" (
	"project_id" integer NOT NULL,
	"client" text NOT NULL,
	"client_session_id" text NOT NULL,
	"session_id" integer NOT NULL,
	"claimed_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "session_aliases_project_id_client_session_id_client_pk" PRIMARY KEY("project_id","client_session_id","client")
);
--> statement-breakpoint
CREATE TABLE "session_streams" (
	"session_id" integer NOT NULL,
	"stream_id" integer NOT NULL,
	"max_seq" bigint NOT NULL,
	CONSTRAINT "session_streams_session_id_stream_id_pk" PRIMARY KEY("session_id","stream_id")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "sessions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"public_id" uuid NOT NULL,
	"month" smallint NOT NULL,
	"project_id" integer NOT NULL,
	"key" text NOT NULL,
	"runner_id" integer NOT NULL,
	"deleted_at" timestamp(3) with time zone,
	"adopted_by" integer,
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
	"owner" smallint NOT NULL,
	"sources" smallint DEFAULT 0 NOT NULL,
	"last_position" bigint DEFAULT 0 NOT NULL,
	"chain_count" integer DEFAULT 1 NOT NULL,
	"items_since_checkpoint" integer DEFAULT 0 NOT NULL,
	"recompute_from" bigint,
	"lens" text DEFAULT 'cumulative' NOT NULL,
	"limit_tokens" bigint,
	"limit_source" text DEFAULT 'none' NOT NULL,
	"used" bigint,
	"pressure" double precision,
	"state" text DEFAULT 'unknown' NOT NULL,
	"minutes_left" double precision,
	"turn_count" integer DEFAULT 0 NOT NULL,
	"started_at" timestamp(3) with time zone NOT NULL,
	"last_turn_at" timestamp(3) with time zone,
	"last_activity_at" timestamp(3) with time zone,
	"ended_at" timestamp(3) with time zone,
	"version" bigint DEFAULT 1 NOT NULL,
	"changed_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sessions_publicId_unique" UNIQUE("public_id"),
	CONSTRAINT "sessions_project_key" UNIQUE("project_id","key")
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
	"received" "int8multirange" DEFAULT '{}' NOT NULL,
	"last_seen_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "streams_stream_unique" UNIQUE("stream")
);
--> statement-breakpoint
CREATE TABLE "tokens" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tokens_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"scope" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp(3) with time zone,
	"revoked_at" timestamp(3) with time zone,
	CONSTRAINT "tokens_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "models" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "models_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pyramid" (
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
	"session_id" integer NOT NULL,
	"bucket" integer NOT NULL,
	"turns" integer NOT NULL,
	"last_number" integer NOT NULL,
	"context" integer NOT NULL,
	"bits" integer NOT NULL,
	"month" smallint NOT NULL,
	"level" smallint NOT NULL,
	CONSTRAINT "pyramid_month_session_id_level_bucket_pk" PRIMARY KEY("month","session_id","level","bucket")
) PARTITION BY LIST ("month");
--> statement-breakpoint
CREATE TABLE "turns" (
	"position" bigint NOT NULL,
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
	"session_id" integer NOT NULL,
	"number" integer NOT NULL,
	"context" integer NOT NULL,
	"bits" integer NOT NULL,
	"model_id" integer,
	"chain" smallint NOT NULL,
	"month" smallint NOT NULL,
	CONSTRAINT "turns_month_session_id_position_pk" PRIMARY KEY("month","session_id","position"),
	CONSTRAINT "turns_call" UNIQUE("month","session_id","call_key")
) PARTITION BY LIST ("month");
--> statement-breakpoint
ALTER TABLE "runners" ADD CONSTRAINT "runners_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_aliases" ADD CONSTRAINT "session_aliases_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_aliases" ADD CONSTRAINT "session_aliases_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_streams" ADD CONSTRAINT "session_streams_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_runner_id_runners_id_fk" FOREIGN KEY ("runner_id") REFERENCES "public"."runners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_stream_id_streams_id_fk" FOREIGN KEY ("stream_id") REFERENCES "public"."streams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "streams" ADD CONSTRAINT "streams_runner_id_runners_id_fk" FOREIGN KEY ("runner_id") REFERENCES "public"."runners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "events_position" ON "events" USING btree ("month","session_id","position");--> statement-breakpoint
CREATE INDEX "events_time" ON "events" USING btree ("at");--> statement-breakpoint
CREATE INDEX "reports_meaning" ON "reports" USING btree ("month","session_id","hash");--> statement-breakpoint
CREATE INDEX "session_aliases_session" ON "session_aliases" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "sessions_changed" ON "sessions" USING brin ("changed_at");--> statement-breakpoint
CREATE INDEX "sessions_recomputing" ON "sessions" USING btree ("id") WHERE recompute_from is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "models_name" ON "models" USING btree (md5(name));--> statement-breakpoint
CREATE INDEX "turns_side_chains" ON "turns" USING btree ("month","session_id","chain","position") WHERE chain <> 0;--> statement-breakpoint
-- By hand: the session row is rewritten with each batch. Room on its page and the fold kept in it let the new
-- version stay beside the old one, without touching an index.
ALTER TABLE "sessions" ALTER COLUMN "fold" SET STORAGE MAIN;--> statement-breakpoint
ALTER TABLE "sessions" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);--> statement-breakpoint
ALTER TABLE "session_streams" SET (fillfactor = 70);--> statement-breakpoint
ALTER TABLE "streams" SET (fillfactor = 70);
