/** The page's layout before its data. */
export function TranscriptsSkeleton() {
  return (
    <div className="page-x pb-[48px]" aria-busy="true">
      <header className="pt-[14px] pb-[10px]">
        <h1 className="text-title">Transcripts</h1>
      </header>
      <div className="min-h-[40px] border-t border-ink" />
      <div className="min-h-[34px] border-t border-hair" />
      <div className="min-h-[480px] border-t border-ink" />
    </div>
  );
}
