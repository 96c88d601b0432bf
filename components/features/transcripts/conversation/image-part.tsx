'use client';
import { useState } from 'react';
import type { TranscriptBlock } from '@/core/api/transcript-contents';
import { formatBytes } from '../../../format/format-bytes';
import { DataImage } from '../text/data-image';

interface ImagePartProps {
  block: Extract<TranscriptBlock, { type: 'image' }>;
  entry: number;
  readAll: (entry: number) => Promise<void>;
}

/** An image of the transcript. */
export function ImagePart({ block, entry, readAll }: ImagePartProps) {
  const [state, setState] = useState<'idle' | 'reading' | 'failed'>('idle');
  if (block.mediaType === null) return <p className="text-ink2">[image, not shown]</p>;
  if (block.data !== null) {
    return (
      <p className="part">
        <DataImage address={`data:${block.mediaType};base64,${block.data}`} alt="" />
      </p>
    );
  }
  if (block.characters === 0) return <p className="text-ink2">[image, not in the file]</p>;
  return (
    <button
      type="button"
      className="button"
      disabled={state === 'reading'}
      onClick={() => {
        setState('reading');
        readAll(entry).then(
          () => setState('idle'),
          () => setState('failed'),
        );
      }}
    >
      {state === 'failed' ? 'Loading failed. Retry: ' : 'Load image, '}
      {formatBytes(Math.floor((block.characters * 3) / 4))}
    </button>
  );
}
