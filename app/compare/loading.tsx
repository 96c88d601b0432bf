export default function CompareLoading() {
  return (
    <div className="page-x" role="status" aria-label="Reading both sides">
      <p className="pt-[18px] pb-[10px] text-title">Compare</p>
      <div className="h-[78px] border-t border-ink max-md:h-[150px]" />
      <div className="h-[34px] border-t border-ink" />
      <div className="mt-[44px] mr-[168px] ml-[44px] h-[392px] border-y border-hair max-md:mr-[18px] max-md:ml-[36px] max-md:h-[264px]" />
    </div>
  );
}
