/**
 * Finds the conversation and the agent of a call that names neither, from the spans of agents above the call.
 *
 * Remembers the spans of recent traces of each project in the memory of this process. An exporter sends a span when it
 * ends, so the span of an agent may arrive after a call below it was stored in the session of the trace. All calls below
 * that span then stay in the session of the trace, because otherwise one context would be split, and a repeated request
 * would count twice.
 */
import type { Attributes } from './attributes';
import type { Report } from './report';

/** Ids are hexadecimal. */
export interface SpanPlace {
  trace: string;
  span: string;
}

export interface TracedSpan extends SpanPlace {
  resource: Attributes;
  /** Empty: a root. */
  parent: string;
  /** Null: not the span of an agent. */
  agent: { name: string | undefined; conversation: string | undefined } | null;
}

interface KnownSpan {
  /** Null: only spans below it have arrived. */
  parent: string | null;
  agent: TracedSpan['agent'];
  /** A call below it was stored in the session of the trace. */
  isDecided: boolean;
  /** A call below it was counted, so its own counts repeat that call. */
  hasCall: boolean;
}

interface KnownTrace {
  spans: Map<string, KnownSpan>;
  /** Milliseconds. */
  usedAt: number;
}

interface KnownProject {
  /** The most recently used traces are last. */
  traces: Map<string, KnownTrace>;
  /** Number of spans of all traces. */
  count: number;
}

const MISSING: KnownSpan = { parent: null, agent: null, isDecided: false, hasCall: false };
const MAX_PROJECTS = 100;
/** Of one project, and of all. */
const MAX_SPANS = 10_000;
const MAX_ALL_SPANS = 100_000;
const MAX_AGE_MS = 15 * 60_000;
/** Maximum number of spans between a call and its agents. */
const MAX_DEPTH = 100;

export function createAgentSpans(now: () => number) {
  const projects = new Map<string, KnownProject>();

  /** Calls `change` with a trace, which is then the most recently used one of its project. */
  function use<T>(name: string, id: string, change: (trace: KnownTrace) => T): T {
    const project = projects.get(name) ?? { traces: new Map(), count: 0 };
    projects.delete(name);
    projects.set(name, project);
    const trace = project.traces.get(id) ?? { spans: new Map(), usedAt: 0 };
    project.traces.delete(id);
    project.traces.set(id, trace);
    trace.usedAt = now();
    const before = trace.spans.size;
    const result = change(trace);
    project.count += trace.spans.size - before;
    return result;
  }

  function forgetOldest(project: KnownProject): void {
    for (const [id, { spans }] of project.traces) {
      project.traces.delete(id);
      project.count -= spans.size;
      return;
    }
  }

  return {
    remember(project: string, spans: readonly TracedSpan[]): void {
      for (const { trace, span, parent, agent } of spans)
        use(project, trace, ({ spans: known }) =>
          known.set(span, { ...(known.get(span) ?? MISSING), parent, agent }),
        );
    },

    /** The report with the conversation and the agent that the spans above the call name. */
    place(project: string, report: Report, { trace: id, span }: SpanPlace): Report {
      const above = use(project, id, (trace) => climb(trace, span, report.session === id));
      const session = above.conversation ?? report.session;
      if (report.agent !== undefined) return { ...report, session };
      return { ...report, session, agent: above.agent, outermostAgent: above.outermostAgent };
    },

    /** Whether a call below the span was counted. */
    hasCall(project: string, { trace, span }: SpanPlace): boolean {
      return projects.get(project)?.traces.get(trace)?.spans.get(span)?.hasCall === true;
    },

    /** Forget what is above the limits, the oldest first, of the largest projects first. */
    trim(): void {
      const isOld = ({ traces }: KnownProject) => {
        const [oldest] = traces.values();
        return oldest !== undefined && oldest.usedAt < now() - MAX_AGE_MS;
      };
      let all = 0;
      for (const [name, project] of projects) {
        while (project.count > MAX_SPANS || isOld(project)) forgetOldest(project);
        if (project.traces.size === 0 || projects.size > MAX_PROJECTS) projects.delete(name);
        else all += project.count;
      }
      while (all > MAX_ALL_SPANS) {
        const largest = [...projects.values()].reduce((a, b) => (b.count > a.count ? b : a));
        all -= largest.count;
        forgetOldest(largest);
        all += largest.count;
      }
    },
  };
}

/** @param isUnnamed the call names no conversation, so it may decide the session of the calls below a missing span */
function climb({ spans }: KnownTrace, from: string, isUnnamed: boolean) {
  let conversation: string | undefined;
  let isDecided = !isUnnamed;
  const agents: (string | undefined)[] = [];
  let id = from;
  for (let depth = 0; id !== '' && depth < MAX_DEPTH; depth += 1) {
    const known = spans.get(id) ?? { ...MISSING };
    spans.set(id, known);
    if (id !== from) known.hasCall = true;
    if (known.parent === null && !isDecided) known.isDecided = true;
    isDecided ||= known.isDecided;
    if (known.agent !== null) agents.push(known.agent.name);
    if (!isDecided) conversation = known.agent?.conversation;
    isDecided ||= conversation !== undefined;
    id = known.parent ?? '';
  }
  return { conversation, agent: agents[0], outermostAgent: agents.at(-1) };
}
