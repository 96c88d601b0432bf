import type { PressureState } from '@/core/accounting/types';
import { StateGlyph } from './glyphs';

export const STATE_WORD: Record<PressureState, string> = {
  nominal: 'nominal',
  elevated: 'elevated',
  warning: 'warning',
  critical: 'critical',
  redlined: 'over limit',
  unknown: 'unknown',
  untracked: 'not tracked',
};

interface StateLabelProps {
  state: PressureState;
  /** Moves the over-limit chip to the left, so that all glyphs align. */
  hang?: boolean;
  /** False: no chip for over limit. */
  solid?: boolean;
  /** Replaces the state's word, which then is for screen readers only. */
  children?: React.ReactNode;
}

export function StateLabel({ state, hang = false, solid = true, children }: StateLabelProps) {
  const chip = `h-[18px] rounded-control bg-state pr-[7px] pl-[5px] leading-[18px] text-paper ${hang ? 'md:-ml-[5px]' : ''}`;
  return (
    <span
      data-state={state}
      className={`inline-flex items-center gap-[6px] whitespace-nowrap ${state === 'redlined' && solid ? chip : 'text-state'}`}
    >
      <StateGlyph state={state} />
      <span className={children === undefined ? 'state-word' : 'sr-only'}>{STATE_WORD[state]}</span>
      {children}
    </span>
  );
}
