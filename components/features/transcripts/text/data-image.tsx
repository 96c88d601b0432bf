'use client';
import { useState } from 'react';
import { formatBytes } from '../../../format/format-bytes';
import { visibleText } from '../../../format/visible-text';
import { readDataImage } from './read-data-image';

export const ADDRESS = 'font-mono text-small font-normal text-ink2';

/** An image embedded in the file, shown on request. Images from other addresses are named but not loaded. */
export function DataImage({ address, alt }: { address: string; alt: string }) {
  const [isShown, setIsShown] = useState(false);
  const image = readDataImage(address);
  const name = visibleText(alt).slice(0, 300);
  if (image === null) {
    return (
      <span className="text-ink2">
        [picture, not loaded{name === '' ? '' : `: ${name}`}{' '}
        <span className={ADDRESS}>{visibleText(address.slice(0, 120))}</span>]
      </span>
    );
  }
  if (!isShown) {
    return (
      <button type="button" className="button" onClick={() => setIsShown(true)}>
        Show the picture{name === '' ? '' : ` “${name}”`}, {image.words}, {formatBytes(image.bytes)}
      </button>
    );
  }
  return (
    // biome-ignore lint/performance/noImgElement: the data is in the page already
    <img src={address} alt={name || `Picture, ${image.words}`} className="max-h-[480px]" decoding="async" />
  );
}
