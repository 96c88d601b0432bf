/** Two bars: a countdown that is held. Beside words that say so. */
export function HeldGlyph({ size = 10 }: { size?: number }) {
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
