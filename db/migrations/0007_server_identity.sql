CREATE TABLE "server_identity" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	CONSTRAINT "server_identity_only" CHECK ("server_identity"."only")
);
