import type { PressureState } from '@/core/accounting/types';
import type { Trouble } from '@/core/api/session';

/** Glyphs are decorative: each is beside its word. Sizes in pixels. */
interface GlyphProps {
  size?: number;
}

function Glyph({ size = 12, children }: GlyphProps & { children: React.ReactNode }) {
  return (
    <svg width={size} height={size} viewBox="0 0 12 12" fill="none" className="shrink-0" aria-hidden="true">
      {children}
    </svg>
  );
}

export function CompactionGlyph(props: GlyphProps) {
  return (
    <Glyph {...props}>
      <path
        d="M3.6.5 2.2 2.7l1.4 2.2-1.4 2.2 1.4 2.2-1.4 2.2M9.8.5 8.4 2.7l1.4 2.2-1.4 2.2 1.4 2.2-1.4 2.2"
        stroke="var(--ink)"
        strokeWidth="1.2"
      />
      <path d="m3.8 4 4.4-2.6M3.8 7.3l4.4-2.6M3.8 10.6 8.2 8" stroke="var(--ink)" strokeWidth=".9" />
    </Glyph>
  );
}

export function LostArchiveGlyph() {
  return (
    <Glyph>
      <path d="M2.5 1h4.8l2.2 2.2V11h-7z" stroke="currentColor" strokeWidth="1.2" />
      <path d="m4.2 5.2 3.6 3.6M7.8 5.2 4.2 8.8" stroke="currentColor" strokeWidth="1.4" />
    </Glyph>
  );
}

export function InfoGlyph() {
  return (
    <Glyph size={13}>
      <circle cx="6" cy="6" r="5.2" stroke="currentColor" />
      <path d="M6 5.2v3.6M6 3v1.1" stroke="currentColor" strokeWidth="1.2" />
    </Glyph>
  );
}

export function troubleWord(kind: Trouble['kind']): string {
  return kind.replace('_', ' ');
}

export const TROUBLE_PATH: Readonly<Record<Trouble['kind'], string>> = {
  thrash: 'M.5 10 4 2.5V10l3.5-7.5V10L11 2.5',
  cache_storm: 'M1.5 1.5v9M4.5 1.5v9M7.5 8v2.5M10.5 8v2.5',
};

export function TroubleGlyph({ kind }: { kind: Trouble['kind'] }) {
  return (
    <Glyph>
      <path d={TROUBLE_PATH[kind]} stroke="var(--ink)" strokeWidth="1.25" strokeLinejoin="bevel" />
    </Glyph>
  );
}

export function HeldGlyph({ size = 10 }: GlyphProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 10 10"
      className="mr-[5px] inline-block shrink-0 align-baseline"
      aria-hidden="true"
    >
      <path d="M3 .5v9M7 .5v9" stroke="currentColor" strokeWidth="1.8" />
    </svg>
  );
}

const SECTOR: Partial<Record<PressureState, string>> = {
  elevated: 'M6 6V1.6A4.4 4.4 0 0 1 10.4 6Z',
  warning: 'M6 1.6a4.4 4.4 0 0 1 0 8.8Z',
  critical: 'M6 6V1.6A4.4 4.4 0 1 1 1.6 6Z',
};

/** A circle that fills with each state: empty, a quarter, a half, three quarters, full. Dashed without a reading. */
export function StateGlyph({ state, size = 12 }: GlyphProps & { state: PressureState }) {
  const unread = state === 'untracked' || state === 'unknown';
  const isFull = state === 'redlined';
  return (
    <svg width={size} height={size} viewBox="0 0 12 12" aria-hidden="true" className="block shrink-0">
      <circle
        cx="6"
        cy="6"
        r={isFull ? 5.2 : 5}
        {...(isFull ? { fill: 'currentColor' } : { fill: 'none', stroke: 'currentColor', strokeWidth: 1.4 })}
        {...(unread ? { strokeDasharray: '1.57 1.57' } : {})}
      />
      {SECTOR[state] ? <path d={SECTOR[state]} fill="currentColor" /> : null}
    </svg>
  );
}
