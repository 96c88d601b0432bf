/** A sheet, crossed out: a transcript that was to be kept and was not. 12 px, in the colour of the text. */
export function LostArchiveGlyph({ size = 12 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 12 12" fill="none" className="shrink-0" aria-hidden="true">
      <path d="M2.5 1h4.8l2.2 2.2V11h-7z" stroke="currentColor" strokeWidth="1.2" />
      <path d="m4.2 5.2 3.6 3.6M7.8 5.2 4.2 8.8" stroke="currentColor" strokeWidth="1.4" />
    </svg>
  );
}
