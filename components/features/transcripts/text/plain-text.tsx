import { visibleParts } from '../../../format/visible-text';

/** Uninterpreted text with hidden characters made visible. */
export function PlainText({ text }: { text: string }) {
  return visibleParts(text).map(({ text: part, was }, index) =>
    was === null ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other name than their place
      <span key={index} className="font-mono text-ink2" title={was}>
        {part}
      </span>
    ),
  );
}
