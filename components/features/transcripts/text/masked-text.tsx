'use client';
import { use } from 'react';
import { SECRET_MARK } from '@/core/transcript/limits';
import { visibleParts } from '../../../format/visible-text';
import { EntryContext, useConversation } from '../conversation/conversation-context';

/** Uninterpreted text with hidden characters made visible. */
export function PlainText({ text }: { text: string }) {
  return visibleParts(text).map(({ text: part, was }, index) =>
    was === null ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id but their position
      <span key={index} className="font-mono text-ink2" title={was}>
        {part}
      </span>
    ),
  );
}

export function MaskedText({ text }: { text: string }) {
  const marks = [...text.matchAll(SECRET_MARK)];
  const ends = marks.map((mark) => mark.index + mark[0].length);
  return (
    <>
      {marks.map(({ 1: secret, 2: rule = '', index }, place) => (
        <span key={index}>
          <PlainText text={text.slice(ends[place - 1] ?? 0, index)} />
          <Secret secret={Number(secret)} rule={rule} />
        </span>
      ))}
      <PlainText text={text.slice(ends.at(-1) ?? 0)} />
    </>
  );
}

export const hasSecret = (text: string) => text.search(SECRET_MARK) !== -1;

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
  const more = askToReveal ? 'The audit log records when secrets are shown' : 'Only admins can show secrets';
  return (
    <button
      type="button"
      className="border border-dashed border-hair2 px-[5px] font-mono text-small font-normal enabled:hover:border-ink"
      title={`Masked. ${more}`}
      disabled={askToReveal === null}
      onClick={askToReveal ?? undefined}
    >
      {rule}
      <span className="sr-only">{askToReveal ? ', masked: show secrets' : ', masked'}</span>
    </button>
  );
}
