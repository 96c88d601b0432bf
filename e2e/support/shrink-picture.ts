/**
 * A picture of a screen with at most 256 colours, which is half the file: paper, ink and the edges of letters need no
 * more. Half of them are the frequent ones, the others those that lie furthest from all that are there: a colour that
 * a single glyph has stays what it is, and a shade between two becomes one of them.
 */
import { deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MOST_COLOURS = 256;
const FREQUENT_COLOURS = 128;

interface Pixels {
  width: number;
  height: number;
  /** Red, green, blue of each. */
  data: Uint8Array;
}

/** @param png eight bits a channel, red, green and blue, with or without transparency; else it comes back as it is */
export function shrinkPicture(png: Buffer): Buffer {
  const pixels = readPixels(png);
  return pixels === null ? png : writePalette(pixels);
}

function readPixels(png: Buffer): Pixels | null {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const [depth, kind, , , interlace] = png.subarray(24, 29);
  const channels = kind === 2 ? 3 : kind === 6 ? 4 : 0;
  if (depth !== 8 || channels === 0 || interlace !== 0) return null;
  const parts: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const rows = unfilter(inflateSync(Buffer.concat(parts)), width * channels, height, channels);
  const data = new Uint8Array(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    for (let channel = 0; channel < 3; channel += 1) {
      data[pixel * 3 + channel] = rows[pixel * channels + channel] ?? 0;
    }
  }
  return { width, height, data };
}

/** The bytes of the rows, each of which is told by its neighbours (PNG, 9). */
function unfilter(packed: Buffer, stride: number, height: number, channels: number): Uint8Array {
  const rows = new Uint8Array(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = packed[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const here = y * stride + x;
      const left = x < channels ? 0 : (rows[here - channels] ?? 0);
      const up = y === 0 ? 0 : (rows[here - stride] ?? 0);
      const corner = y === 0 || x < channels ? 0 : (rows[here - stride - channels] ?? 0);
      const guess =
        filter === 0
          ? 0
          : filter === 1
            ? left
            : filter === 2
              ? up
              : filter === 3
                ? (left + up) >> 1
                : paeth(left, up, corner);
      rows[here] = (packed[y * (stride + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return rows;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function writePalette({ width, height, data }: Pixels): Buffer {
  const counts = new Map<number, number>();
  const colourOf = (pixel: number) =>
    ((data[pixel * 3] ?? 0) << 16) | ((data[pixel * 3 + 1] ?? 0) << 8) | (data[pixel * 3 + 2] ?? 0);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const colour = colourOf(pixel);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const all = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([colour]) => colour);
  const { palette, places } = choosePalette(all);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      rows[y * (width + 1) + 1 + x] = places.get(colourOf(y * width + x)) ?? 0;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** @param all colours of a picture, the frequent ones first */
function choosePalette(all: readonly number[]): { palette: number[]; places: Map<number, number> } {
  const palette = all.slice(0, FREQUENT_COLOURS);
  const rest = all.slice(FREQUENT_COLOURS).map((colour) => ({ colour, ...nearest(colour, palette) }));
  while (palette.length < MOST_COLOURS && rest.length > 0) {
    const furthest = rest.reduce((best, other) => (other.distance > best.distance ? other : best));
    if (furthest.distance === 0) break;
    const place = palette.push(furthest.colour) - 1;
    for (const one of rest) {
      const distance = distanceOf(one.colour, furthest.colour);
      if (distance < one.distance) Object.assign(one, { distance, place });
    }
  }
  const places = new Map(palette.map((colour, place) => [colour, place]));
  for (const { colour, place } of rest) if (!places.has(colour)) places.set(colour, place);
  return { palette, places };
}

function nearest(colour: number, palette: readonly number[]): { place: number; distance: number } {
  let found = { place: 0, distance: Number.POSITIVE_INFINITY };
  for (const [place, other] of palette.entries()) {
    const distance = distanceOf(colour, other);
    if (distance < found.distance) found = { place, distance };
  }
  return found;
}

function distanceOf(one: number, other: number): number {
  const red = (one >> 16) - (other >> 16);
  const green = ((one >> 8) & 255) - ((other >> 8) & 255);
  const blue = (one & 255) - (other & 255);
  return red * red + green * green + blue * blue;
}

/** CRC-32, as PNG asks for it. */
function checkOf(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

function chunk(name: string, body: Buffer): Buffer {
  const told = Buffer.concat([Buffer.from(name, 'latin1'), body]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(checkOf(told));
  return Buffer.concat([length, told, sum]);
}
