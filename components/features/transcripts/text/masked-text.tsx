'use client';
import { useConversation, useEntry } from '../conversation/conversation-context';
import { PlainText } from './plain-text';
import { secretParts } from './secret-parts';

/** Plain text with masked secrets. */
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
  const { revealed, askToReveal } = useConversation();
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
      title="Masked. The audit log records when secrets are shown"
      onClick={askToReveal}
    >
      {rule}
      <span className="sr-only">, masked: show secrets</span>
    </button>
  );
}
