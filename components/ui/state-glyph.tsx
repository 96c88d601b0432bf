import type { PressureState } from '@/core/accounting/types';

/** How much of the circle is filled, clockwise from 12 o'clock. */
const SECTOR: Partial<Record<PressureState, string>> = {
  elevated: 'M6 6V1.6A4.4 4.4 0 0 1 10.4 6Z',
  warning: 'M6 1.6a4.4 4.4 0 0 1 0 8.8Z',
  critical: 'M6 6V1.6A4.4 4.4 0 1 1 1.6 6Z',
};

/**
 * The state as a drawn sign, so that no font changes it: an empty circle, a quarter, a half, three quarters,
 * full; dashed when there is nothing to read. Takes `currentColor`; decorative, beside the word.
 */
export function StateGlyph({ state, size = 12 }: { state: PressureState; size?: number }) {
  const unread = state === 'untracked' || state === 'unknown';
  const sector = SECTOR[state];
  return (
    <svg width={size} height={size} viewBox="0 0 12 12" aria-hidden="true" className="block shrink-0">
      {state === 'redlined' ? (
        <circle cx="6" cy="6" r="5.2" fill="currentColor" />
      ) : (
        <circle
          cx="6"
          cy="6"
          r="5"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.4"
          {...(unread ? { strokeDasharray: '1.57 1.57' } : {})}
        />
      )}
      {sector ? <path d={sector} fill="currentColor" /> : null}
    </svg>
  );
}
