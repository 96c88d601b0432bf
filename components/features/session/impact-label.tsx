import type { Impact } from './prepare-advice';

const LEVEL: Record<Impact, number> = { low: 1, medium: 2, high: 3 };

/** What taking something out would cost the agent: steps and word, in ink, for it is no state of pressure. */
export function ImpactLabel({ impact }: { impact: Impact }) {
  return (
    <span className="inline-flex items-center gap-[6px] whitespace-nowrap">
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true" className="block shrink-0">
        {[1, 2, 3].map((step) => (
          <rect
            key={step}
            x={(step - 1) * 4 + 0.5}
            y={11.5 - step * 3.5}
            width={3}
            height={step * 3.5}
            fill={step <= LEVEL[impact] ? 'var(--ink)' : 'none'}
            stroke={step <= LEVEL[impact] ? 'var(--ink)' : 'var(--ink3)'}
            strokeWidth={0.75}
          />
        ))}
      </svg>
      {impact} impact
    </span>
  );
}
