import { CompactionBar } from '../../charts/compaction-bar';
import { formatCount, formatExact } from '../../format/format-tokens';
import { FiguresText } from '../../ui/figures-text';
import type { Advice } from './prepare-advice';

interface AdviceCompressionProps {
  compression: Advice['compression'];
  seed: string;
  limit: number | null;
}

/** What a compression would remove, as the chart draws a compaction: kept is ink, freed is hatch. */
export function AdviceCompression({ compression, seed, limit }: AdviceCompressionProps) {
  if (compression === null) return null;
  const { targetPercent, messagesRemoved, tokensRemoved, tokensLeft, isBelow } = compression;
  const target = `${targetPercent}\u00a0%`;
  return (
    <div className="min-w-0">
      <h3 className="pb-[6px] text-small font-normal text-ink2">
        a compression to <span className="num">{target}</span>
      </h3>
      {isBelow ? (
        <p>
          <FiguresText
            text={`Would remove nothing: ${formatExact(tokensLeft)} tokens are left as they are.`}
          />
        </p>
      ) : (
        <>
          <CompactionBar
            seed={seed}
            before={tokensLeft + tokensRemoved}
            after={tokensLeft}
            limit={limit}
            afterWord="left after it"
          />
          <p className="mt-[8px]">
            <FiguresText
              text={`Would remove ${formatCount(messagesRemoved, 'message')} of ${formatExact(tokensRemoved)} tokens, the oldest first, and leave ${formatExact(tokensLeft)}.`}
            />
          </p>
        </>
      )}
    </div>
  );
}
