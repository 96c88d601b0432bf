'use client';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import { type ConnectPlace, EmptyPage } from '../../connect/empty-page';
import { HowToRead } from '../../connect/how-to-read';
import { BarcodeCaption } from './barcode';
import { BarcodeLabels, BarcodeSvg } from './barcode-plot';

export default function FirstVisit(place: ConnectPlace) {
  return (
    <div className="page-x wide-type">
      <section aria-labelledby="barcode" className="relative h-[106px] border-b border-hair pt-[34px]">
        <BarcodeCaption>Pressure now. Each session will be a tick here.</BarcodeCaption>
        <BarcodeSvg bounds={DEFAULT_THRESHOLDS} code={null} />
        <BarcodeLabels bounds={DEFAULT_THRESHOLDS} coloured={false} />
      </section>
      <EmptyPage
        title="No runner is connected yet."
        note="Connect one and its first turn appears here within a second. Nothing leaves this machine."
        place={place}
      >
        <HowToRead />
      </EmptyPage>
    </div>
  );
}
