import { DWARFING_CACHE } from '../accounting/thresholds';
import { LIMIT_SOURCES } from '../accounting/types';
import { NAME as CLAUDE_CODE } from '../agents/claude-code/about';
import { NAME as CODEX } from '../agents/codex/about';
import type { SourceName } from '../protocol/messages';
import type { Session } from './session';

type Coverage = Session['coverage'][number];

interface Facts {
  sources: readonly SourceName[];
  client: string | null;
  lens: Session['lens'];
  limitSource: Session['limitSource'];
  complete: boolean;
  compactions: number;
  summaryCalls: number;
  totals: Pick<Session['totals'], 'main'>;
  hasComposition: boolean;
  /** Whether a main call of the current context had no usage. */
  usageMissed: boolean;
}

interface Topic {
  topic: string;
  seenBy: readonly SourceName[];
  seen: string;
  unseen: string;
}

const CALLS = 'calls and their tokens';
const SUB_AGENTS = 'sub-agents';
const UNCOUNTED_SUMS =
  'a sum of the library is not counted if another source reports calls from the same time, so calls that only the sum includes are missing';

const UNSEEN_SUB_AGENTS =
  'the messages of the Agent SDK contain no calls of sub-agents; `barograph watch` reads them from the transcript';

const MISSED_USAGE = 'a call of this context had no usage, so the sums lack its tokens';

/** What each kind of source can report. A 0 from a source that cannot report the value means nothing. */
const TOPICS: readonly Topic[] = [
  {
    topic: CALLS,
    seenBy: ['transcript', 'sdk', 'otlp'],
    seen: 'each call with input, output and cache figures',
    unseen: 'hooks report no token counts',
  },
  {
    topic: SUB_AGENTS,
    seenBy: ['transcript', 'sdk', 'otlp'],
    seen: 'as separate chains',
    unseen: 'hooks report their start and end, not their calls',
  },
  {
    topic: 'compactions',
    seenBy: ['transcript', 'sdk', 'hook', 'otlp'],
    seen: 'with their trigger',
    unseen: 'the telemetry of Codex and the GenAI conventions have no event for a compaction',
  },
  {
    topic: 'blocked and failed compactions',
    seenBy: ['hook'],
    seen: 'the hook fires before the compaction',
    unseen: 'only hooks report a blocked compaction',
  },
  {
    topic: 'restarts',
    seenBy: ['sdk'],
    seen: 'reported by the runner',
    unseen: 'only a runner reports that a new context continues this session',
  },
];

/** The call that writes the summary of a compaction. */
function summaryCoverage({ sources, client, compactions, summaryCalls }: Facts): Coverage {
  const topic = 'compaction call';
  if (sources.includes('otlp') && client === CLAUDE_CODE)
    return { topic, seen: true, note: 'from telemetry as a side call' };
  if (client === CODEX && sources.every((source) => source === 'otlp'))
    return {
      topic,
      seen: false,
      note: 'the telemetry of Codex does not mark the call that a compaction made',
    };
  if (summaryCalls === 0 && compactions === 0) {
    return { topic, seen: false, note: 'no compaction yet' };
  }
  const seen = summaryCalls >= compactions;
  const found = `side calls for ${summaryCalls} of ${compactions} compactions`;
  const rest = 'the client did not record the other calls, so the totals lack them';
  return { topic, seen, note: seen ? found : `${found}; ${rest}` };
}

/** A warning for a cumulative session with far more cache traffic than its sums; null: no warning. */
export function lensDoubt({ lens, totals: { main } }: Pick<Facts, 'lens' | 'totals'>): string | null {
  const cached = main.cacheRead + main.cacheCreation;
  if (lens !== 'cumulative' || cached <= DWARFING_CACHE * (main.input + main.output)) return null;
  return (
    'Cache traffic is over 10 times the sums, so the calls probably repeat the history, and this pressure is not the ' +
    'size of the context. Report readings, and set the lens to snapshot.'
  );
}

export function coverageOf(facts: Facts): Coverage[] {
  const { sources, client, lens, limitSource, complete, hasComposition, usageMissed } = facts;
  const isOtlpOnly = sources.every((source) => source === 'otlp');
  const isRecorded = sources.includes('transcript') || sources.includes('otlp');
  const hasSums = sources.includes('sdk') && isRecorded;
  const byTopic = TOPICS.map(({ topic, seenBy, seen, unseen }): Coverage => {
    const hasNoEvent = topic === 'compactions' && isOtlpOnly && (client === null || client === CODEX);
    const isStream = topic === SUB_AGENTS && client === CLAUDE_CODE && !isRecorded;
    if (isStream && sources.includes('sdk')) return { topic, seen: false, note: UNSEEN_SUB_AGENTS };
    const isSeen = !hasNoEvent && sources.some((source) => seenBy.includes(source));
    const doubts = [hasSums && UNCOUNTED_SUMS, usageMissed && MISSED_USAGE];
    const note = topic === CALLS ? [seen, ...doubts].filter(Boolean).join('; ') : seen;
    return { topic, seen: isSeen, note: isSeen ? note : unseen };
  });
  const stated = LIMIT_SOURCES.indexOf(limitSource) <= LIMIT_SOURCES.indexOf('session');
  return [
    ...byTopic,
    summaryCoverage(facts),
    {
      topic: 'context size',
      seen: lens === 'snapshot',
      note:
        lens === 'snapshot'
          ? 'read after each call'
          : (lensDoubt(facts) ??
            'summed from each turn; includes the system prompt and tools only if they were counted as input'),
    },
    {
      topic: 'context composition',
      seen: hasComposition,
      note: hasComposition
        ? 'tokens by role, as the runner counts them'
        : 'not reported; a runner that has the messages can send it (barograph/tracker)',
    },
    { topic: 'context window', seen: stated, note: LIMIT_NOTES[limitSource] },
    {
      topic: 'completeness',
      seen: complete,
      note: complete
        ? isOtlpOnly
          ? 'no turn is known to be missing; an exporter does not report the records that it drops'
          : 'no turn is known to be missing from this context'
        : 'turns were dropped: sums are a lower bound until the next boundary',
    },
  ];
}

const LIMIT_NOTES: Record<Session['limitSource'], string> = {
  turn: 'stated with each turn',
  client: 'stated by the client',
  status_line: 'stated by the client’s status line',
  api_error: 'stated by an error of the API',
  session: 'declared for the session',
  setting: 'set for this model in the project’s settings',
  table: 'known for this model; the client did not state it',
  learned: 'learned from a reading; the client did not state it',
  assumed: 'assumed',
  none: 'unknown: pressure cannot be given as a share',
};
