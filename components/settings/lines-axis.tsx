import type { Thresholds } from '@/core/accounting/types';

const STATES = ['nominal', 'elevated', 'warning', 'critical', 'redlined'] as const;
/** The pressure axis of every page. */
const AXIS_END = 1.1;

/**
 * Where states begin, on the axis that all pressures share; below it ticks for the compress line (thin) and the
 * restart line (strong). Decorative: the numbers stand beside it.
 */
export function LinesAxis({ thresholds }: { thresholds: Thresholds }) {
  const { elevated, warning, critical, redlined, compressLine, restartLine } = thresholds;
  const bounds = [0, elevated, warning, critical, redlined, AXIS_END];
  const place = (line: number) => (Math.min(line, AXIS_END) / AXIS_END) * 220;
  return (
    <svg width="220" height="18" viewBox="0 0 220 18" aria-hidden="true" className="block max-w-full">
      {STATES.map((state, index) => {
        const from = place(bounds[index] ?? 0);
        const to = place(bounds[index + 1] ?? AXIS_END);
        return to - from < 1 ? null : (
          <rect
            key={state}
            data-state={state}
            x={from}
            y="2"
            width={to - from - 1}
            height="6"
            fill="var(--state)"
            opacity={state === 'nominal' ? 0.28 : 0.6}
          />
        );
      })}
      <path d="M0 12.5H220" stroke="var(--hair2)" />
      {compressLine > 1 ? null : <path d={`M${place(compressLine)} 10v6`} stroke="var(--ink2)" />}
      {restartLine > 1 ? null : (
        <path d={`M${place(restartLine)} 9v9`} stroke="var(--ink)" strokeWidth="1.5" />
      )}
    </svg>
  );
}
