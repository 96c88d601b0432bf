'use client';
import { use } from 'react';
import { SECRET_MARK } from '@/core/transcript/limits';
import { EntryContext, useConversation } from '../conversation/conversation-context';
import { PlainText } from './plain-text';

/** Plain text with masked secrets. */
export function MaskedText({ text }: { text: string }) {
  const marks = [...text.matchAll(SECRET_MARK)];
  const ends = marks.map((mark) => mark.index + mark[0].length);
  return (
    <>
      {marks.map(({ 1: secret, 2: rule = '', index }, place) => (
        // A secret may be in a text twice.
        <span key={index}>
          <PlainText text={text.slice(ends[place - 1] ?? 0, index)} />
          <Secret secret={Number(secret)} rule={rule} />
        </span>
      ))}
      <PlainText text={text.slice(ends.at(-1) ?? 0)} />
    </>
  );
}

export function hasSecret(text: string): boolean {
  return text.search(SECRET_MARK) !== -1;
}

function Secret({ secret, rule }: { secret: number; rule: string }) {
  const { revealed, askToReveal } = useConversation();
  const value = revealed(secret, use(EntryContext));
  if (value !== undefined) {
    return (
      <span className="border-b border-dashed border-ink" title={rule}>
        <PlainText text={value} />
      </span>
    );
  }
  return (
    <button
      type="button"
      className="border border-dashed border-hair2 px-[5px] font-mono text-small font-normal hover:border-ink"
      title="Masked. The audit log records when secrets are shown"
      onClick={askToReveal}
    >
      {rule}
      <span className="sr-only">, masked: show secrets</span>
    </button>
  );
}
