import { visibleParts } from '../../../format/visible-text';

/** Uninterpreted text with hidden characters made visible. */
export function PlainText({ text }: { text: string }) {
  const parts = visibleParts(text);
  if (parts.length === 0) return null;
  if (parts.length === 1 && parts[0]?.was === null) return text;
  return parts.map(({ text: part, was }, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other name than their place
    if (was === null) return <span key={index}>{part}</span>;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other name than their place
      <span key={index} className="hidden-sign" title={was}>
        {part}
      </span>
    );
  });
}
