'use client';
import { useEffect, useRef, useState } from 'react';

const SHOWN_MS = 1600;

/** Returns false if the clipboard refuses, as without focus or permission. */
export function copyText(text: string): Promise<boolean> {
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}

/** Copies `text` and shows the outcome. The button keeps its width. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [outcome, setOutcome] = useState<'idle' | 'copied' | 'failed'>('idle');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  async function copy() {
    setOutcome((await copyText(text)) ? 'copied' : 'failed');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOutcome('idle'), SHOWN_MS);
  }

  const [word, spoken] = {
    idle: ['Copy', ''],
    copied: ['Copied', 'Copied'],
    failed: ['Failed', 'Copying failed. Select the text instead.'],
  }[outcome];
  return (
    <button
      type="button"
      className="button min-w-[56px] justify-center"
      aria-label={`Copy ${what}`}
      onClick={copy}
    >
      <span aria-hidden="true">{word}</span>
      <span className="sr-only" role="status">
        {spoken}
      </span>
    </button>
  );
}

/** @param shown the text on the page, if it is shorter than the copied command */
export function CommandBlock({
  command,
  what,
  shown = command,
}: Record<'command' | 'what', string> & { shown?: string | undefined }) {
  return (
    <div className="flex items-start justify-between gap-[12px] bg-sunken py-[9px] pr-[9px] pl-[11px]">
      <pre className="flex min-w-0 flex-1 pt-[2px] font-mono break-words whitespace-pre-wrap">
        <span className="shrink-0 text-ink2 select-none" aria-hidden="true">
          ${' '}
        </span>
        <code className="min-w-0 font-mono text-balance">
          {shown.split(/(\s+)/).map((word) => (word.trim() === '' ? word : <Word key={word} word={word} />))}
        </code>
      </pre>
      <CopyButton text={command} what={what} />
    </div>
  );
}

/** A word that breaks only if it is longer than a line, preferably after a slash or an equals sign. */
function Word({ word }: { word: string }) {
  return (
    <span className="inline-block max-w-full">
      {word.split(/(?<=\S{18}[/=])/).map((part) => [part, <wbr key="break" />])}
    </span>
  );
}
