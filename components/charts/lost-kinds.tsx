import type { TranscriptLost } from '@/core/api/transcript-lost';
import { formatExact, formatTokens } from '../format/format-tokens';
import { hatchPath } from './torn-edge';

const KINDS = ['tool_result', 'tool_call', 'thinking', 'assistant', 'user', 'summary', 'system'];
const KIND_WORDS: Readonly<Record<string, string>> = {
  tool_result: 'tool results',
  tool_call: 'tool calls',
  summary: 'older summary',
};

const BAR_PX = 96;

/** Bars hatched like lost context in the barogram, relative to the largest kind. */
export function LostKinds({ gone }: { gone: NonNullable<TranscriptLost['lost']>['gone'] }) {
  const kinds = KINDS.map((kind) => ({
    kind,
    count: gone.kinds[kind] ?? 0,
    tokens: gone.kindTokens[kind] ?? 0,
  }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.tokens - a.tokens || b.count - a.count);
  if (kinds.length === 0) return null;
  const most = Math.max(1, kinds[0]?.tokens ?? 0);
  return (
    <>
      <h3 className="flex justify-between text-small text-ink2">
        <span>Lost, by role</span>
        <span className="num">≈ {formatTokens(gone.tokens, { fine: true })} tokens</span>
      </h3>
      <ul className="pt-[4px]">
        {kinds.map(({ kind, count, tokens }) => {
          const width = Math.max(3, Math.round((tokens / most) * BAR_PX));
          return (
            <li
              key={kind}
              className="grid grid-cols-[minmax(0,1fr)_96px_48px_60px] items-baseline gap-x-[12px] leading-[22px]"
            >
              <span>{KIND_WORDS[kind] ?? kind}</span>
              <svg width={BAR_PX} height={8} aria-hidden="true" className="self-center" stroke="var(--ink)">
                <path d={hatchPath({ x: 0, y: 0, width, height: 8 })} strokeWidth="0.9" />
                <rect x="0.5" y="0.5" width={width - 1} height={7} fill="none" strokeWidth="0.75" />
              </svg>
              <span className="num text-right">{formatExact(count)}</span>
              <span className="num text-right text-small text-ink2">
                ≈ {formatTokens(tokens, { fine: true })}
              </span>
            </li>
          );
        })}
      </ul>
    </>
  );
}
