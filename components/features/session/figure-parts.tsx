/** A number of the figures row, 48 px high, its unit beside it. */
export function Display({ value, unit, title }: { value: string; unit: string; title?: string }) {
  return (
    <span className="inline-flex items-end whitespace-nowrap" {...(title === undefined ? {} : { title })}>
      <span className="display">{value}</span>
      <span className="ml-[4px] pb-[3px] text-title font-normal">{unit}</span>
    </span>
  );
}

/** In the place of a number that does not exist: never a zero. */
export function NoFigure({ word, reason }: { word: React.ReactNode; reason: string }) {
  return (
    <>
      <p className="mt-[6px] text-title">{word}</p>
      <p className="mt-[4px] text-small text-ink2">{reason}</p>
    </>
  );
}
