-- Written by hand: the storage settings (rows of the running quarter of an hour are rewritten in place, and need room
-- for the new version on their page), and the last statement, which hands what a database has already to the roll-up.
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
	"session_id" integer NOT NULL
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
	"session_id" integer NOT NULL,
	"bucket" integer NOT NULL,
	"model_id" integer NOT NULL,
	"runner_id" integer NOT NULL,
	CONSTRAINT "session_history_session_id_bucket_model_id_pk" PRIMARY KEY("session_id","bucket","model_id")
) WITH (fillfactor = 90);
--> statement-breakpoint
CREATE INDEX "session_history_cell" ON "session_history" USING btree ("bucket","runner_id","model_id");--> statement-breakpoint
CREATE INDEX "session_history_boundaries" ON "session_history" USING btree ("bucket") WHERE restarts + compactions + thrashes + cache_storms > 0;--> statement-breakpoint
INSERT INTO "history_changes" ("session_id", "position")
SELECT "id", 0 FROM "sessions" WHERE "deleted_at" IS NULL AND "adopted_by" IS NULL AND "last_position" > 0;
