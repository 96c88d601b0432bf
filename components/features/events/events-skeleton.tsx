const ROWS = 16;

/** Skeleton of the stream while its first page loads. */
export function EventsSkeleton() {
  return (
    <div className="page-x" role="status" aria-label="Loading the events">
      <p className="flex h-[40px] items-center text-small text-ink2">Loading the events …</p>
      <div className="h-[26px] border-t border-b border-t-ink border-b-hair2" />
      {Array.from({ length: ROWS }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows without identity
        <div key={row} className="flex h-[32px] items-center gap-[16px] border-b border-hair">
          <div className="h-[10px] w-[58px] bg-sunken" />
          <div className="h-[10px] w-[110px] bg-sunken" />
          <div className="h-[10px] w-1/3 bg-sunken" />
        </div>
      ))}
    </div>
  );
}
