import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import { BarcodeAxis, BarcodeLabels } from './barcode-axis';

const ROWS = 12;

/** The fleet's outline while its first rows come: the same lines at the same places, and nothing that moves. */
export function FleetSkeleton() {
  return (
    <div className="page-x" role="status" aria-label="Loading the fleet">
      <div className="relative h-[106px]">
        <p className="absolute top-[9px] text-small text-ink2 max-md:sr-only">Loading the fleet …</p>
        <svg width="100%" height="44" className="absolute top-[34px] overflow-visible" aria-hidden="true">
          <BarcodeAxis bounds={DEFAULT_THRESHOLDS} />
          <line x1="0" x2="100%" y1="44" y2="44" stroke="var(--ink)" />
        </svg>
        <BarcodeLabels bounds={DEFAULT_THRESHOLDS} coloured={false} />
      </div>
      <div className="grid h-[228px] grid-cols-3 border-t border-hair pt-[28px] max-[1099px]:grid-cols-1">
        {[1, 2, 3].map((rank) => (
          <div
            key={rank}
            className="px-[22px] first:pl-0 not-first:border-l not-first:border-hair max-[1099px]:not-first:hidden"
          >
            <Bone className="h-[17px] w-3/5" />
            <Bone className="mt-[9px] h-[9px] w-2/5" />
            <Bone className="mt-[24px] h-[40px] w-[60px]" />
          </div>
        ))}
      </div>
      <div className="mt-[40px] border-t border-ink pt-[26px]">
        {Array.from({ length: ROWS }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows without identity
          <div key={row} className="flex h-[36px] items-center gap-[16px] border-b border-hair">
            <Bone className="h-[10px] w-[70px]" />
            <Bone className="h-[10px] w-1/4" />
            <Bone className="ml-auto h-[5px] w-[160px]" />
            <Bone className="h-[10px] w-1/5 max-md:hidden" />
          </div>
        ))}
      </div>
    </div>
  );
}

function Bone({ className }: { className: string }) {
  return <div className={`bg-sunken ${className}`} />;
}
