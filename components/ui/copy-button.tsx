'use client';
import { useEffect, useRef, useState } from 'react';
import { copyText } from './copy-text';

const SHOWN_MS = 1600;

/** Copies `text`; says so in its own place, without changing its width. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [outcome, setOutcome] = useState<'idle' | 'copied' | 'failed'>('idle');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  async function copy() {
    const copied = await copyText(text);
    setOutcome(copied ? 'copied' : 'failed');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOutcome('idle'), SHOWN_MS);
  }

  const word = outcome === 'copied' ? 'Copied' : outcome === 'failed' ? 'Select it' : 'Copy';
  return (
    <button
      type="button"
      className="button min-w-[56px] justify-center"
      aria-label={`Copy ${what}`}
      onClick={copy}
    >
      <span aria-hidden="true">{word}</span>
      <span className="sr-only" role="status">
        {outcome === 'copied' ? 'Copied' : outcome === 'failed' ? 'Copying failed; select the text' : ''}
      </span>
    </button>
  );
}
