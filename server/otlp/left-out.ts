/** Records with token counts that no figure uses, by project, for `barograph doctor`. In the memory of this process. */
import type { SpanPlace } from './agent-spans';
import type { Attributes } from './attributes';

/** A record that has token counts but does not show that it is a single model call. */
export interface LeftOutRecord {
  resource: Attributes;
  span: SpanPlace;
  reason: string;
}

/** The answer of `GET /v1/ingest` lists these. */
interface LeftOutOfProject {
  project: string;
  /** Since the start of this process. */
  records: number;
  /** Of the newest request. */
  reason: string;
  /** Time of the newest request, ISO 8601. */
  at: string;
}

export type LeftOut = ReturnType<typeof createLeftOut>;

const MAX_PROJECTS = 100;
const MAX_REASONS = 3;

export function createLeftOut(now: () => number = Date.now) {
  const projects = new Map<string, LeftOutOfProject>();
  return {
    note(project: string, records: readonly LeftOutRecord[]): void {
      const before = projects.get(project)?.records ?? 0;
      projects.delete(project);
      const [oldest] = projects.keys();
      if (oldest !== undefined && projects.size >= MAX_PROJECTS) projects.delete(oldest);
      const at = new Date(now()).toISOString();
      projects.set(project, { project, records: before + records.length, reason: listReasons(records), at });
    },
    /** The newest project is last. */
    list: () => [...projects.values()],
  };
}

/** A sentence for the sender of a request; empty without records. */
export function describeLeftOut(records: readonly LeftOutRecord[]): string {
  if (records.length === 0) return '';
  const what = `${records.length} ${records.length === 1 ? 'record' : 'records'} with token counts`;
  return `${what} accepted and not used (${listReasons(records)}): only records of single model calls count.`;
}

function listReasons(records: readonly LeftOutRecord[]): string {
  const reasons = [...new Set(records.map(({ reason }) => reason))];
  const more = reasons.length - MAX_REASONS;
  return `${reasons.slice(0, MAX_REASONS).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
