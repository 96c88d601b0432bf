export default function SessionLoading() {
  return (
    <div className="page-x" role="status" aria-label="Reading the session">
      <div className="h-[52px] border-b border-hair" />
      <div className="grid h-[116px] grid-cols-[200px_252px_1fr] py-[16px] max-md:h-[260px]">
        <div className="border-r border-hair text-small text-ink2">pressure</div>
        <div className="border-r border-hair px-[24px] text-small text-ink2 max-md:border-0">
          next boundary
        </div>
      </div>
      <div className="h-[34px] border-t border-ink" />
      <div className="mt-[24px] mr-[168px] ml-[44px] h-[392px] border-y border-hair max-md:mr-[18px] max-md:ml-[30px] max-md:h-[264px]" />
    </div>
  );
}
