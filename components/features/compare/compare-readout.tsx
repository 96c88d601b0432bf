import { formatDuration } from '../../format/format-duration';
import { formatPercent } from '../../format/format-percent';
import { formatExact, formatTokenChange, formatTokens } from '../../format/format-tokens';
import type { Alignment } from '../../sessions/compare-url';
import { type ComparedTrace, type CompareSheet, pointAt } from './prepare-compare';
import { StrokeSample } from './stroke-sample';

interface CompareReadoutProps {
  sheet: CompareSheet;
  by: Alignment;
  x: number | null;
}

/** Values of both sides under the crosshair. Always present, so that the layout does not jump. */
export function CompareReadout({ sheet, by, x }: CompareReadoutProps) {
  const [a, b] = sheet.traces.map((trace) => (x === null ? null : (pointAt(trace, x)?.used ?? null)));
  return (
    <p className="flex min-h-[28px] flex-wrap items-center gap-x-[20px] gap-y-0 pt-[4px] max-sm:min-h-[48px]">
      {x === null ? (
        <span className="text-ink2">
          {sheet.traces.length > 1 ? 'The same ' : 'Any '}
          {by === 'turns' ? 'turn' : 'minute'}
          {sheet.traces.length > 1 ? ' of both' : ''}: under the pointer, or with the arrow keys on the sheet.
        </span>
      ) : (
        <>
          <span className="num w-[84px]">
            {by === 'turns' ? (
              <>
                <span className="font-sans">turn </span>
                {formatExact(Math.round(x))}
              </>
            ) : (
              formatDuration(x * 60_000)
            )}
          </span>
          {sheet.traces.map((trace) => (
            <span key={trace.name} className="inline-flex items-center gap-[8px]">
              <StrokeSample name={trace.name} />
              <Value trace={trace} sheet={sheet} x={x} />
            </span>
          ))}
          {a == null || b == null ? null : (
            <span className="text-ink2">
              B − A <span className="num text-ink">{formatTokenChange(b - a)}</span>
            </span>
          )}
        </>
      )}
    </p>
  );
}

function Value({ trace, sheet, x }: { trace: ComparedTrace; sheet: CompareSheet; x: number }) {
  const point = pointAt(trace, x);
  if (point === null) return <span className="text-ink2">{x > trace.endX ? 'ended' : 'not started'}</span>;
  if (point.used === null) return <span className="text-ink2">unknown</span>;
  const share = sheet.unit === 'percent' && point.y !== null ? ` ${formatPercent(point.y / 100)}` : '';
  return (
    <span className="num">
      {formatTokens(point.used, { fine: true })}
      {share === '' ? null : <span className="ml-[6px] text-ink2">{share}</span>}
    </span>
  );
}
