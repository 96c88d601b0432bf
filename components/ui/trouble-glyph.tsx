import type { Trouble } from '@/core/api/session';

/** A kind of trouble in words, for pages that do not load the table of event kinds. */
export function troubleWord(kind: Trouble['kind']): string {
  return kind.replace('_', ' ');
}

/** Teeth: full, emptied, full again. Sticks: cache reads that were high and are not. */
export const TROUBLE_PATH: Readonly<Record<Trouble['kind'], string>> = {
  thrash: 'M.5 10 4 2.5V10l3.5-7.5V10L11 2.5',
  cache_storm: 'M1.5 1.5v9M4.5 1.5v9M7.5 8v2.5M10.5 8v2.5',
};

/** The sign of trouble, 12 px, in ink: colour is the states' alone. */
export function TroubleGlyph({ kind }: { kind: Trouble['kind'] }) {
  return (
    <svg width="12" height="12" viewBox="0 0 12 12" fill="none" className="shrink-0" aria-hidden="true">
      <path d={TROUBLE_PATH[kind]} stroke="var(--ink)" strokeWidth="1.25" strokeLinejoin="bevel" />
    </svg>
  );
}
