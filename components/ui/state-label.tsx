import type { PressureState } from '@/core/accounting/types';
import { StateGlyph } from './glyphs';

/** The words of the states on screens. */
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
  /** Lets the over-limit chip hang 5 px to the left, so that its glyph stays in the glyphs' column. */
  hang?: boolean;
  /** False: over limit without its chip. */
  solid?: boolean;
  /** Text instead of the state's word, such as a count; the word is then read aloud only. */
  children?: React.ReactNode;
}

/** Colour, glyph and word together; over limit is a solid inverse chip. */
export function StateLabel({ state, hang = false, solid = true, children }: StateLabelProps) {
  const chip = `h-[18px] rounded-control bg-state pr-[7px] pl-[5px] leading-[18px] text-paper ${hang ? 'md:-ml-[5px]' : ''}`;
  return (
    <span
      data-state={state}
      className={`inline-flex items-center gap-[6px] whitespace-nowrap ${state === 'redlined' && solid ? chip : 'text-state'}`}
    >
      <StateGlyph state={state} />
      <span className={children === undefined ? '' : 'sr-only'}>{STATE_WORD[state]}</span>
      {children}
    </span>
  );
}
