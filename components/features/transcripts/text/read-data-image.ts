/** Images embedded in a transcript: hostile until their header is checked. */
const MOST_CHARACTERS = 20_000_000;
/** More pixels would exhaust the page's memory, however few bytes they take. */
const MOST_PIXELS = 40_000_000;
const HEADER_CHARACTERS = 65_536;

/**
 * Kind and size of an image from its first bytes, as `PNG, 640 × 480`. Null: not a data address, another kind than
 * stated, a kind that is not shown (SVG, WebP), or too large.
 */
export function readDataImage(address: string): { words: string; bytes: number } | null {
  const [prefix, kind] = /^data:image\/(png|jpeg|gif);base64,/.exec(address.slice(0, 40)) ?? [];
  if (prefix === undefined || address.length > MOST_CHARACTERS) return null;
  const data = address.slice(prefix.length);
  const head = data.slice(0, HEADER_CHARACTERS);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(head)) return null;
  try {
    const header = atob(head.slice(0, head.length - (head.length % 4)));
    const bytes = Uint8Array.from(header, (character) => character.charCodeAt(0));
    const [width, height] = SIZES[kind as keyof typeof SIZES](new DataView(bytes.buffer)) ?? [];
    if (width === undefined || height === undefined || width * height > MOST_PIXELS) return null;
    const words = `${kind?.toUpperCase()}, ${width} × ${height}`;
    return { words, bytes: Math.floor((data.length * 3) / 4) };
  } catch {
    // Not base64, or cut off before its size.
    return null;
  }
}

type Size = readonly [width: number, height: number];

/** Null: another kind. @throws RangeError when the header is cut off */
const SIZES = {
  png: (view: DataView): Size | null => {
    if (view.getUint32(0) !== 0x89504e47 || view.getUint32(4) !== 0x0d0a1a0a) return null;
    return [view.getUint32(16), view.getUint32(20)];
  },
  gif: (view: DataView): Size | null => {
    if (view.getUint32(0) !== 0x47494638) return null;
    return [view.getUint16(6, true), view.getUint16(8, true)];
  },
  /** Skips segments up to the first frame header. */
  jpeg: (view: DataView): Size | null => {
    if (view.getUint16(0) !== 0xffd8) return null;
    for (let at = 2; view.getUint8(at) === 0xff; at += 2 + Math.max(2, view.getUint16(at + 2))) {
      const marker = view.getUint8(at + 1);
      const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
      if (isFrame) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    }
    return null;
  },
};
