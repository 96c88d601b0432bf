/** What stands where a part of the settings is still being read: its rows, without ink. */
export function SectionSkeleton({ rows = 3 }: { rows?: number }) {
  return (
    <div aria-busy="true">
      <span className="sr-only">Reading</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of a skeleton are alike
        <div key={row} className="h-[36px] border-b border-hair" />
      ))}
    </div>
  );
}

/** A part that could not be read; the others stand. */
export function SectionFailed({ what }: { what: string }) {
  return (
    <p role="alert" className="border-y border-hair py-[10px]">
      {what} could not be read: the database did not answer. The rest of this page works; load it again in a
      moment.
    </p>
  );
}
