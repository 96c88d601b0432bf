import * as z from 'zod';
import { AUDIT_ACTIONS } from '../transcript/audit-actions';
import { anyOf, cursor, isSpan, limit, name, notASpan, oneOf, span, strict } from './parameters';

export type { AuditAction } from '../transcript/audit-actions';

export const auditEntry = z.object({
  id: z.number(),
  at: z.iso.datetime(),
  /**
   * A person, as in `Ana <ana@example.org>`, a token's name, `browser`, `command` (the token command), or the server's
   * `session`, `retention` or `store`. `unknown`: a failed log-in.
   */
  actor: z.string(),
  action: z.enum(AUDIT_ACTIONS),
  project: z.string().nullable(),
  transcriptId: z.uuid().nullable(),
  fileName: z.string().nullable(),
  sessionId: z.uuid().nullable(),
  sessionTitle: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
});
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditList = z.object({ entries: z.array(auditEntry), nextCursor: z.string().nullable() });
export type AuditList = z.infer<typeof auditList>;

export const DEFAULT_AUDIT_LIMIT = 100;

export const listAuditParameters = strict({
  action: anyOf(oneOf(AUDIT_ACTIONS), AUDIT_ACTIONS.length, 'What was done'),
  project: anyOf(name, 100, 'Name of a project'),
  transcript: z.uuid('must be the id of a transcript').describe('Id of a transcript').optional(),
  actor: name.describe('Name of a token, `browser`, `command`, `session`, `retention` or `store`').optional(),
  ...span,
  cursor,
  limit: limit(1_000, DEFAULT_AUDIT_LIMIT),
}).refine(isSpan, notASpan);
export type ListAuditParameters = z.infer<typeof listAuditParameters>;
