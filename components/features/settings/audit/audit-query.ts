/** Filters of the audit log in the URL. */
import { parseAsArrayOf, parseAsIsoDateTime, parseAsString, parseAsStringLiteral } from 'nuqs';
import { AUDIT_ACTIONS, type AuditAction } from '@/core/transcript/audit-actions';

export const AUDIT_QUERY = {
  action: parseAsArrayOf(parseAsStringLiteral(AUDIT_ACTIONS)).withDefault([]),
  project: parseAsString.withDefault(''),
  /** Name of a token, `browser`, `command` or `retention`. */
  actor: parseAsString.withDefault(''),
  /** Id of a transcript. */
  transcript: parseAsString.withDefault(''),
  from: parseAsIsoDateTime,
  to: parseAsIsoDateTime,
};

export interface AuditQuery {
  action: AuditAction[];
  project: string;
  actor: string;
  transcript: string;
  from: Date | null;
  to: Date | null;
}

export const NO_AUDIT_FILTER = {
  action: null,
  project: null,
  actor: null,
  transcript: null,
  from: null,
  to: null,
};

/** The filters as a search of the API. */
export function auditSearch({ action, project, actor, transcript, from, to }: AuditQuery): string {
  const params = new URLSearchParams();
  for (const one of action) params.append('action', one);
  if (project !== '') params.set('project', project);
  if (actor !== '') params.set('actor', actor);
  if (transcript !== '') params.set('transcript', transcript);
  if (from !== null) params.set('from', from.toISOString());
  if (to !== null) params.set('to', to.toISOString());
  return params.toString();
}
