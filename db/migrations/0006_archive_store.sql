CREATE TABLE "unreferenced_objects" (
	"address" text PRIMARY KEY NOT NULL,
	"project_id" integer NOT NULL,
	"remove_at" timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "transcript_chunks" ALTER COLUMN "data" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "transcript_chunks" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "unreferenced_objects" ADD CONSTRAINT "unreferenced_objects_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcript_chunks" ADD CONSTRAINT "transcript_chunks_place" CHECK (num_nonnulls("transcript_chunks"."data", "transcript_chunks"."address") = 1);