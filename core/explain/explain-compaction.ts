import type { SessionEvent } from '../api/session';
import type { Explanation, Phrase, Source, Step } from './explanation';
import { atTime, count, minutes, say, share, tokens } from './explanation';
import { divide, subtract, value } from './formula';

const known = (detail: unknown): number | null =>
  typeof detail === 'number' && Number.isFinite(detail) ? detail : null;

/** Tokens before, after and freed, by the best figures there are; null while one side is not known. */
export function compactionFigures({ detail }: Pick<SessionEvent, 'detail'>) {
  const stated = known(detail.preTokens);
  const before = stated ?? known(detail.lastReading);
  const read = known(detail.firstReading);
  const after = read ?? known(detail.postTokens);
  if (before === null || after === null) return null;
  return {
    before,
    after,
    freed: before - after,
    beforeIsStated: stated !== null,
    afterIsRead: read !== null,
  };
}

/** What a compaction freed, and what it cost. */
export function explainCompaction(event: SessionEvent): Explanation {
  const { detail, context, turn, at } = event;
  const figures = compactionFigures(event);
  const limit = known(detail.limit);
  const duration = known(detail.durationMs);
  const sources: Source[] = [
    { name: 'event', from: say`context ${count(context)}, after turn ${count(turn)}, ${atTime(at)}` },
  ];
  const base = { title: 'What the compaction freed', unit: 'tokens', sources } as const;
  const cost: Phrase =
    duration === null ? say`How long it took was not reported.` : say`It took ${minutes(duration / 60_000)}.`;
  if (figures === null) {
    return {
      ...base,
      meaning: say`Not known yet: it needs the size before, and the first reading after it.`,
      formula: null,
      result: null,
      certainty: 'not known',
      steps: [{ says: cost }],
      caveats: [],
    };
  }
  const { before, after, freed, beforeIsStated, afterIsRead } = figures;
  const stated = known(detail.preTokens);
  const read = known(detail.lastReading);
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
    ...(stated !== null && read !== null && stated > read
      ? [
          {
            formula: {
              expression: subtract(
                value('client’s count', stated, 'tokens'),
                value('last counted turn', read, 'tokens'),
              ),
              name: 'came after that turn',
              unit: 'tokens',
            },
          } as const,
        ]
      : []),
    ...(limit === null || limit <= 0
      ? []
      : [{ says: say`It came at ${share(before / limit)} of the limit and left ${share(after / limit)}.` }]),
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
      ...(stated !== null && read !== null && stated > read
        ? [
            say`The trace and the peak end with the last turn that the API counted, ${tokens(read)}. What came after it, such as answers of tools, is in the client’s count alone.`,
          ]
        : []),
      say`These are shown here and are in no sum: a client’s own count leaves out system prompt and tools.`,
      say`The first reading also holds the turn that came with it, so a little less was kept than it says.`,
    ],
  };
}
