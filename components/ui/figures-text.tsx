/** A sentence with its numbers set as numbers: `185 k cleared`. */
export function FiguresText({ text }: { text: string }) {
  return text.split(FIGURE).map((part, index) =>
    // Splitting by a group puts what matched at the odd places.
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other name
      <span key={index} className="num">
        {part}
      </span>
    ) : (
      part
    ),
  );
}

const FIGURE = /([\u2212+≥≈]?\d[\d\u202f.]*(?:\u00a0(?:k|M|%|kB|MB|B|s|ms|min|h)(?![a-z]))?)/;
