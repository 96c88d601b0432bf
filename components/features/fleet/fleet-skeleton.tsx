import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import { BarcodeLabels, BarcodeSvg } from './barcode-plot';

const ROWS = 12;

/** The outline of the fleet while its first rows load, without motion. */
export function FleetSkeleton() {
  return (
    <div className="page-x" role="status" aria-label="Loading the fleet">
      <div className="relative h-[106px] pt-[34px]">
        <p className="absolute top-[9px] text-small text-ink2 max-md:sr-only">Loading the fleet …</p>
        <BarcodeSvg bounds={DEFAULT_THRESHOLDS} code={null} />
        <BarcodeLabels bounds={DEFAULT_THRESHOLDS} coloured={false} />
      </div>
      <div className="h-[228px] border-t border-hair pt-[28px]">
        <Bone className="h-[17px] w-1/5" />
        <Bone className="mt-[9px] h-[9px] w-1/6" />
        <Bone className="mt-[24px] h-[40px] w-[60px]" />
      </div>
      <div className="mt-[40px] border-t border-ink pt-[26px]">
        {Array.from({ length: ROWS }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows without identity
          <div key={row} className="flex h-[36px] items-center gap-[16px] border-b border-hair">
            <Bone className="h-[10px] w-[70px]" />
            <Bone className="h-[10px] w-1/4" />
            <Bone className="ml-auto h-[5px] w-[160px]" />
          </div>
        ))}
      </div>
    </div>
  );
}

function Bone({ className }: { className: string }) {
  return <div className={`bg-sunken ${className}`} />;
}
