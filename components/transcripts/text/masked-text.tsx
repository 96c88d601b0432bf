'use client';
import { useEntry, useTalk } from '../talk/talk-context';
import { PlainText } from './plain-text';
import { secretParts } from './secret-parts';

/** A text as it is, with secrets masked until somebody asks to see them. */
export function MaskedText({ text }: { text: string }) {
  const parts = secretParts(text);
  if (parts.length === 1 && parts[0]?.secret === null) return <PlainText text={text} />;
  return parts.map((part, index) =>
    part.secret === null ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other name than their place
      <PlainText key={index} text={part.text} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other name than their place
      <Secret key={index} secret={part.secret} rule={part.rule} />
    ),
  );
}

function Secret({ secret, rule }: { secret: number; rule: string }) {
  const { revealed, askToReveal } = useTalk();
  const value = revealed(secret, useEntry());
  if (value !== undefined) {
    return (
      <span className="secret-shown" title={rule}>
        <PlainText text={value} />
      </span>
    );
  }
  return (
    <button
      type="button"
      className="secret"
      title="Masked. Showing it is written to the audit log"
      onClick={() => askToReveal(secret, rule)}
    >
      {rule}
      <span className="sr-only">, masked: show it</span>
    </button>
  );
}
