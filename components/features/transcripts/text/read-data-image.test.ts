import { describe, expect, it } from 'vitest';
import { readDataImage } from './read-data-image';

const address = (kind: string, bytes: readonly number[]) =>
  `data:image/${kind};base64,${Buffer.from(bytes).toString('base64')}`;
const png = (width: number, height: number) => {
  const header = Buffer.alloc(33);
  header.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return address('png', [...header]);
};

describe('a picture in a transcript', () => {
  const jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc0, 0, 11, 8, 0, 30, 0, 40, 1, 1, 0, 0];
  it.each([
    ['PNG, 640 × 480', png(640, 480)],
    ['GIF, 10 × 20', address('gif', [...Buffer.from('GIF89a'), 10, 0, 20, 0, 0, 0])],
    ['JPEG, 40 × 30', address('jpeg', jpeg)],
    ['PNG, 6000 × 6000', png(6_000, 6_000)],
  ])('is described as %s before it is shown', (words, image) => {
    expect(readDataImage(image)?.words).toBe(words);
  });

  it.each([
    'https://example.test/a.png',
    '//example.test/a.png',
    'data:image/svg+xml;base64,PHN2Zy8+',
    'data:text/html;base64,PHNjcmlwdD4=',
    'data:image/png,%89PNG',
    'data:image/png;base64,PHNjcmlwdD4=',
    'data:image/png;base64,',
    'data:image/png;base64,iVBORw0KGgo=',
    'DATA:image/png;base64,x',
    address('jpeg', [0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0, 0]),
    'blob:https://example.test/1',
    png(60_000, 60_000),
  ])('is refused by address, kind or size: %s', (other) => {
    expect(readDataImage(other)).toBeNull();
  });
});
