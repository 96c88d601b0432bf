import type { SessionEvent } from '../events/event';
import { atTime, count, type Explanation, explained, minutes, say, share, tokens } from './explanation';
import { divide, subtract, value } from './formula';

/** Tokens that a compaction freed, by its most reliable figures, and its duration. */
export function explainCompaction(event: SessionEvent<'compaction'>): Explanation {
  const { detail, context, turn, at } = event;
  const { limit, durationMs: duration, preTokens: stated, lastReading: read } = detail;
  const before = stated ?? read;
  const after = detail.firstReading ?? detail.postTokens ?? null;
  const cost =
    duration === undefined ? say`Duration not reported.` : say`It took ${minutes(duration / 60_000)}.`;
  const sources = { event: say`context ${count(context)}, after turn ${count(turn)}, ${atTime(at)}` };
  if (before === null || after === null) {
    const meaning = say`Unknown until the sizes before and after are known.`;
    return explained('Tokens freed', 'tokens', { meaning, steps: [cost], sources });
  }
  const countedMore = stated !== undefined && read !== null && stated > read;
  const countedLess = stated !== undefined && read !== null && stated < read;
  return explained('Tokens freed', 'tokens', {
    meaning: say`The context was summarised: ${tokens(after)} of ${tokens(before)} tokens stayed.`,
    formula: ['freed', subtract(value('before', before, 'tokens'), value('after', after, 'tokens'))],
    certainty: detail.firstReadingEstimated === true ? 'estimate' : 'exact',
    steps: [
      before > 0 && {
        name: 'of what was in use',
        unit: 'share',
        expression: divide(value('freed', before - after, 'tokens'), value('before', before, 'tokens')),
      },
      countedMore && {
        name: 'after that turn',
        unit: 'tokens',
        expression: subtract(
          value('client’s count', stated, 'tokens'),
          value('last counted turn', read, 'tokens'),
        ),
      },
      limit !== null &&
        limit > 0 &&
        say`From ${share(before / limit)} of the limit to ${share(after / limit)}.`,
      cost,
    ],
    sources: {
      ...sources,
      before:
        stated === undefined
          ? say`the last reading before the compaction`
          : say`the client’s own count when it compacted`,
      after:
        detail.firstReading === undefined
          ? say`stated by the client, without system prompt and tools`
          : say`the first reading after the compaction`,
    },
    caveats: [
      countedMore &&
        say`The trace and the peak end with the last counted turn, ${tokens(read)}. Only the client’s count includes later content, such as tool results.`,
      countedLess &&
        say`The last counted turn had read ${tokens(read)}, with the system prompt and tools that the client’s count omits.`,
      say`No sum includes these counts, because a client’s own count omits the system prompt and tools.`,
      say`The first reading includes its own turn, so the compaction kept slightly less.`,
    ],
  });
}
