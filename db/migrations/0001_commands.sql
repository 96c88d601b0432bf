CREATE TABLE "commands" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"session_id" bigint NOT NULL,
	"action" text NOT NULL,
	"text" text,
	"reason" text,
	"actor" text NOT NULL,
	"state" text DEFAULT 'sent' NOT NULL,
	"refusal" text,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp(3) with time zone NOT NULL,
	"changed_at" timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "streams" ADD COLUMN "commands" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "commands" ADD CONSTRAINT "commands_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "commands_session" ON "commands" USING btree ("session_id","created_at");--> statement-breakpoint
CREATE INDEX "commands_open" ON "commands" USING btree ("session_id") WHERE state in ('sent', 'received');