import type { SideName } from './side-data';

/** The stroke of each side: sides differ by stroke, not colour. */
export const STROKE: Readonly<Record<SideName, { dash?: string }>> = { a: {}, b: { dash: '7 4' } };

/** A piece of a side's line, and its letter. */
export function StrokeSample({ name }: { name: SideName }) {
  const { dash } = STROKE[name];
  return (
    <span className="inline-flex shrink-0 items-center gap-[7px]">
      <svg width="30" height="8" viewBox="0 0 30 8" aria-hidden="true">
        <path
          d="M0 4h30"
          stroke="var(--ink)"
          strokeWidth="1.75"
          {...(dash === undefined ? {} : { strokeDasharray: dash })}
        />
      </svg>
      <b className="strong">{name.toUpperCase()}</b>
    </span>
  );
}
