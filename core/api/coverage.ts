import type { SourceName } from '../protocol/messages';
import type { Session } from './session';

type Coverage = Session['coverage'][number];

interface Facts {
  sources: readonly SourceName[];
  lens: Session['lens'];
  limitSource: Session['limitSource'];
  complete: boolean;
  hasComposition: boolean;
}

interface Topic {
  topic: string;
  seenBy: readonly SourceName[];
  seen: string;
  unseen: string;
}

/** What each kind of source can report: a 0 of a source that cannot see the value means nothing. */
const TOPICS: readonly Topic[] = [
  {
    topic: 'calls and their tokens',
    seenBy: ['transcript', 'sdk', 'otlp'],
    seen: 'each call with input, output and cache figures',
    unseen: 'hooks carry no token counts',
  },
  {
    topic: 'sub-agents',
    seenBy: ['transcript', 'sdk', 'otlp'],
    seen: 'as chains of their own',
    unseen: 'hooks see their start and end, not their calls',
  },
  {
    topic: 'compactions',
    seenBy: ['transcript', 'sdk', 'hook', 'otlp'],
    seen: 'with their trigger',
    unseen: 'no source has reported yet',
  },
  {
    topic: 'blocked and failed compactions',
    seenBy: ['hook'],
    seen: 'the hook fires before the compaction',
    unseen: 'only a hook sees a compaction that did not happen',
  },
  {
    topic: 'restarts',
    seenBy: ['sdk'],
    seen: 'reported by the runner',
    unseen: 'only the runner knows that a fresh session continues this one',
  },
  {
    topic: "the compaction's own call",
    seenBy: ['transcript', 'otlp'],
    seen:
      'as a side call of telemetry; of transcripts, where the client kept its file (Claude Code: ' +
      'agent-acompact-…), as a chain of its own. Otherwise totals are without it',
    unseen:
      'hooks do not carry it, and a runner must report it as a side call; otherwise totals are without it',
  },
];

export function coverageOf({ sources, lens, limitSource, complete, hasComposition }: Facts): Coverage[] {
  const byTopic = TOPICS.map(({ topic, seenBy, seen, unseen }): Coverage => {
    const isSeen = sources.some((source) => seenBy.includes(source));
    return { topic, seen: isSeen, note: isSeen ? seen : unseen };
  });
  const stated = limitSource === 'turn' || limitSource === 'client' || limitSource === 'session';
  return [
    ...byTopic,
    {
      topic: 'context size',
      seen: lens === 'snapshot',
      note:
        lens === 'snapshot'
          ? 'read after each call'
          : 'summed from the deltas of each turn; what the system prompt and tools take is in it only where they were counted as input',
    },
    {
      topic: 'what the context is made of',
      seen: hasComposition,
      note: hasComposition
        ? 'tokens by role, as the runner counts them'
        : 'no turn came with a composition; a runner that holds the messages can send it (barograph/tracker)',
    },
    { topic: 'context window', seen: stated, note: LIMIT_NOTES[limitSource] },
    {
      topic: 'every turn',
      seen: complete,
      note: complete
        ? 'none is known to be missing from this context'
        : 'turns were dropped: sums are a lower bound until the next boundary',
    },
  ];
}

const LIMIT_NOTES: Record<Session['limitSource'], string> = {
  turn: 'stated with each turn',
  client: 'stated by the client',
  session: 'declared for the session',
  table: 'known for this model; the client did not state it',
  learned: 'learned from a compaction or a reading; the client did not state it',
  assumed: 'assumed',
  none: 'unknown: pressure cannot be given as a share',
};
