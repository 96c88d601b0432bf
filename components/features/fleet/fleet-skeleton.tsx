import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import { BarcodeLabels, BarcodeSvg } from './barcode-plot';

/** The outline of the fleet while its first rows load, without motion. */
export function FleetSkeleton() {
  return (
    <div className="page-x" role="status" aria-label="Loading the fleet">
      <div className="relative h-[106px] pt-[34px]">
        <p className="absolute top-[9px] text-small text-ink2 max-md:sr-only">Loading the fleet …</p>
        <BarcodeSvg bounds={DEFAULT_THRESHOLDS} code={null} />
        <BarcodeLabels bounds={DEFAULT_THRESHOLDS} coloured={false} />
      </div>
      <div className="h-[268px] border-t border-hair" />
      {/* Lines where rows will be. */}
      <div className="h-[458px] border-t border-ink bg-[repeating-linear-gradient(var(--hair)_0_1px,transparent_1px_36px)] bg-position-[0_25px]" />
    </div>
  );
}
