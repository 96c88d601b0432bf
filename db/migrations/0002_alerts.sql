CREATE TABLE "alert_channels" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"config" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"secret" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"titles" boolean DEFAULT true NOT NULL,
	"per_minute" integer DEFAULT 20 NOT NULL,
	"minute_start" timestamp(3) with time zone,
	"minute_count" integer DEFAULT 0 NOT NULL,
	"held_until" timestamp(3) with time zone,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp(3) with time zone
);
--> statement-breakpoint
CREATE TABLE "alert_deliveries" (
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"channel_id" uuid NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp(3) with time zone,
	"error" text,
	"created_at" timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"sent_at" timestamp(3) with time zone,
	CONSTRAINT "alert_deliveries_id_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "alert_mutes" (
	"session_id" bigint PRIMARY KEY NOT NULL,
	"until" timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alert_outbox" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "alert_outbox_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"channel_id" uuid NOT NULL,
	"alert_id" uuid NOT NULL,
	"notice" jsonb NOT NULL,
	"group_key" text,
	"not_before" timestamp(3) with time zone NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"delivery_id" uuid
);
--> statement-breakpoint
CREATE TABLE "alert_rules" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"definition" jsonb NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp(3) with time zone
);
--> statement-breakpoint
CREATE TABLE "alerts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"rule_id" uuid NOT NULL,
	"session_id" bigint,
	"runner_id" integer,
	"event" text DEFAULT '' NOT NULL,
	"phase" text NOT NULL,
	"since" timestamp(3) with time zone NOT NULL,
	"fired_at" timestamp(3) with time zone,
	"clear_since" timestamp(3) with time zone,
	"last_sent_at" timestamp(3) with time zone,
	"resolved_at" timestamp(3) with time zone,
	"resolved_by" text,
	"acknowledged_at" timestamp(3) with time zone,
	"acknowledged_by" text,
	"due_at" timestamp(3) with time zone,
	"severity" text NOT NULL,
	"text" text NOT NULL,
	"changed_at" timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "runners" ADD COLUMN "seen_at" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "streams" ADD COLUMN "queued" bigint;--> statement-breakpoint
ALTER TABLE "streams" ADD COLUMN "queued_before" bigint;--> statement-breakpoint
ALTER TABLE "alert_deliveries" ADD CONSTRAINT "alert_deliveries_channel_id_alert_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."alert_channels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_mutes" ADD CONSTRAINT "alert_mutes_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_outbox" ADD CONSTRAINT "alert_outbox_channel_id_alert_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."alert_channels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_rule_id_alert_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."alert_rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_runner_id_runners_id_fk" FOREIGN KEY ("runner_id") REFERENCES "public"."runners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alert_deliveries_waiting" ON "alert_deliveries" USING btree ("next_attempt_at") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "alert_deliveries_dead" ON "alert_deliveries" USING btree ("created_at") WHERE state = 'dead';--> statement-breakpoint
CREATE INDEX "alert_outbox_waiting" ON "alert_outbox" USING btree ("channel_id","not_before") WHERE delivery_id is null;--> statement-breakpoint
CREATE INDEX "alert_outbox_delivery" ON "alert_outbox" USING btree ("delivery_id");--> statement-breakpoint
CREATE INDEX "alert_outbox_alert" ON "alert_outbox" USING btree ("alert_id");--> statement-breakpoint
CREATE UNIQUE INDEX "alerts_session_open" ON "alerts" USING btree ("session_id","rule_id","event") WHERE session_id is not null and (phase <> 'resolved' or event <> '');--> statement-breakpoint
CREATE UNIQUE INDEX "alerts_runner_open" ON "alerts" USING btree ("runner_id","rule_id") WHERE runner_id is not null and phase <> 'resolved';--> statement-breakpoint
CREATE INDEX "alerts_due" ON "alerts" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "alerts_open" ON "alerts" USING btree ("fired_at") WHERE phase <> 'resolved';--> statement-breakpoint
CREATE INDEX "alerts_fired" ON "alerts" USING btree ("fired_at","id");--> statement-breakpoint
CREATE INDEX "alerts_session" ON "alerts" USING btree ("session_id");