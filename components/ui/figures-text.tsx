/** A sentence with its numbers in the number font: `185 k cleared`. */
export function FiguresText({ text }: { text: string }) {
  return text.split(FIGURE).map((part, index) =>
    // Splitting by a capture group puts the matches at odd indexes.
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id but their position
      <span key={index} className="num">
        {part}
      </span>
    ) : (
      part
    ),
  );
}

const FIGURE = /([\u2212+≥≈]?\d[\d\u202f.]*(?:\u00a0(?:k|M|%|kB|MB|B|s|ms|min|h)(?![a-z]))?)/;
