/** A picture as data of its own file: which kind, how large, how many pixels. Read from its first bytes alone. */
export interface DataImageFacts {
  /** `PNG, 640 × 480`. */
  words: string;
  bytes: number;
}

/** A picture of more pixels would take the page's memory, however few bytes it has. */
const MOST_PIXELS = 40_000_000;
const MOST_CHARACTERS = 20_000_000;
const HEADER_CHARACTERS = 65_536;

/** Null: not a data address of a kind that is shown, not what it says it is, or far too large. */
export function readDataImage(address: string): DataImageFacts | null {
  const match = /^data:image\/(png|jpeg|gif|webp);base64,/.exec(address.slice(0, 40));
  if (match === null || address.length > MOST_CHARACTERS) return null;
  const data = address.slice(match[0].length);
  const head = data.slice(0, HEADER_CHARACTERS);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(head)) return null;
  const header = decode(head.slice(0, head.length - (head.length % 4)));
  const size = header === null ? null : sizeOf(match[1] ?? '', header);
  if (size === null || size.width * size.height > MOST_PIXELS) return null;
  return {
    words: `${(match[1] ?? '').toUpperCase()}, ${size.width} × ${size.height}`,
    bytes: Math.floor((data.length * 3) / 4),
  };
}

function decode(base64: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

interface Size {
  width: number;
  height: number;
}

function sizeOf(kind: string, header: Uint8Array): Size | null {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  try {
    if (kind === 'png') return pngSize(view);
    if (kind === 'gif') return gifSize(view);
    if (kind === 'webp') return webpSize(view);
    return jpegSize(view);
  } catch {
    // Cut off before its size.
    return null;
  }
}

function pngSize(view: DataView): Size | null {
  if (view.getUint32(0) !== 0x89504e47 || view.getUint32(4) !== 0x0d0a1a0a) return null;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

function gifSize(view: DataView): Size | null {
  if (view.getUint32(0) !== 0x47494638) return null;
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function webpSize(view: DataView): Size | null {
  if (view.getUint32(0) !== 0x52494646 || view.getUint32(8) !== 0x57454250) return null;
  const chunk = view.getUint32(12);
  if (chunk === 0x56503858) {
    const size = (at: number) => 1 + (view.getUint16(at, true) | (view.getUint8(at + 2) << 16));
    return { width: size(24), height: size(27) };
  }
  if (chunk === 0x5650384c) {
    const bits = view.getUint32(21, true);
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) };
  }
  if (chunk !== 0x56503820) return null;
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

/** From segment to segment, up to the one that begins a frame. */
function jpegSize(view: DataView): Size | null {
  if (view.getUint16(0) !== 0xffd8) return null;
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + Math.max(2, view.getUint16(at + 2));
  }
}
