/** The torn strip of a compaction as a sign of 12 px, in ink: the motif of the sheet, where the paper is torn. */
export function CompactionGlyph({ size = 12 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 12 12" fill="none" className="shrink-0" aria-hidden="true">
      <path
        d="M3.6.5 2.2 2.7l1.4 2.2-1.4 2.2 1.4 2.2-1.4 2.2M9.8.5 8.4 2.7l1.4 2.2-1.4 2.2 1.4 2.2-1.4 2.2"
        stroke="var(--ink)"
        strokeWidth="1.2"
      />
      <path d="m3.8 4 4.4-2.6M3.8 7.3l4.4-2.6M3.8 10.6 8.2 8" stroke="var(--ink)" strokeWidth=".9" />
    </svg>
  );
}
