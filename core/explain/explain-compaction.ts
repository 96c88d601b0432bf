import type { SessionEvent } from '../events/event';
import type { Explanation, Phrase, Source, Step } from './explanation';
import { atTime, count, minutes, say, share, tokens } from './explanation';
import { divide, subtract, value } from './formula';

/** Tokens before, after and freed, by the best figures there are; null while one side is not known. */
function compactionFigures({ detail }: Pick<SessionEvent<'compaction'>, 'detail'>) {
  const { preTokens: stated, firstReading: read } = detail;
  const before = stated ?? detail.lastReading;
  const after = read ?? detail.postTokens ?? null;
  if (before === null || after === null) return null;
  return {
    before,
    after,
    freed: before - after,
    beforeIsStated: stated !== undefined,
    afterIsRead: read !== undefined,
  };
}

/** What a compaction freed, and what it cost. */
export function explainCompaction(event: SessionEvent<'compaction'>): Explanation {
  const { detail, context, turn, at } = event;
  const figures = compactionFigures(event);
  const { limit, durationMs: duration } = detail;
  const sources: Source[] = [
    { name: 'event', from: say`context ${count(context)}, after turn ${count(turn)}, ${atTime(at)}` },
  ];
  const base = { title: 'What the compaction freed', unit: 'tokens', sources } as const;
  const cost: Phrase =
    duration === undefined ? say`Duration not reported.` : say`It took ${minutes(duration / 60_000)}.`;
  if (figures === null) {
    return {
      ...base,
      meaning: say`Unknown until the sizes before and after are known.`,
      formula: null,
      result: null,
      certainty: 'not known',
      steps: [{ says: cost }],
      caveats: [],
    };
  }
  const { before, after, freed, beforeIsStated, afterIsRead } = figures;
  const { preTokens: stated, lastReading: read } = detail;
  const steps: Step[] = [
    ...(before > 0
      ? [
          {
            formula: {
              expression: divide(value('freed', freed, 'tokens'), value('before', before, 'tokens')),
              name: 'of what was in use',
              unit: 'share',
            },
          } as const,
        ]
      : []),
    ...(stated !== undefined && read !== null && stated > read
      ? [
          {
            formula: {
              expression: subtract(
                value('client’s count', stated, 'tokens'),
                value('last counted turn', read, 'tokens'),
              ),
              name: 'after that turn',
              unit: 'tokens',
            },
          } as const,
        ]
      : []),
    ...(limit === null || limit <= 0
      ? []
      : [{ says: say`From ${share(before / limit)} of the limit to ${share(after / limit)}.` }]),
    { says: cost },
  ];
  return {
    ...base,
    meaning: say`The context was summarised: ${tokens(after)} of ${tokens(before)} tokens stayed.`,
    formula: {
      expression: subtract(value('before', before, 'tokens'), value('after', after, 'tokens')),
      name: 'freed',
      unit: 'tokens',
    },
    result: freed,
    certainty: detail.firstReadingEstimated === true ? 'estimate' : 'exact',
    steps,
    sources: [
      ...sources,
      {
        name: 'before',
        from: beforeIsStated
          ? say`the client’s own count when it compacted`
          : say`the last reading before it`,
      },
      {
        name: 'after',
        from: afterIsRead
          ? say`the first reading after it`
          : say`stated by the client, without system prompt and tools`,
      },
    ],
    caveats: [
      ...(stated !== undefined && read !== null && stated > read
        ? [
            say`The trace and the peak end with the last turn that the API counted, ${tokens(read)}. Only the client’s count includes what followed, such as tool results.`,
          ]
        : []),
      say`These counts are in no sum: a client’s own count leaves out system prompt and tools.`,
      say`The first reading includes its own turn, so slightly less was kept.`,
    ],
  };
}
