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
  it('says its kind and its size before it is shown', () => {
    expect(readDataImage(png(640, 480))).toEqual({ words: 'PNG, 640 × 480', bytes: 33 });
    const gif = [...Buffer.from('GIF89a'), 10, 0, 20, 0, 0, 0];
    expect(readDataImage(address('gif', gif))?.words).toBe('GIF, 10 × 20');
    const jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc0, 0, 11, 8, 0, 30, 0, 40, 1, 1, 0, 0];
    expect(readDataImage(address('jpeg', jpeg))?.words).toBe('JPEG, 40 × 30');
    const webp = Buffer.alloc(30);
    webp.write('RIFF', 0);
    webp.write('WEBPVP8X', 8);
    webp.writeUInt16LE(99, 24);
    webp.writeUInt16LE(49, 27);
    expect(readDataImage(address('webp', [...webp]))?.words).toBe('WEBP, 100 × 50');
  });

  it('is not shown when it is of another place, of another kind, or not what it says', () => {
    for (const other of [
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
    ]) {
      expect(readDataImage(other), other).toBeNull();
    }
  });

  it('is not shown when it would unfold to more than the page can bear', () => {
    expect(readDataImage(png(60_000, 60_000))).toBeNull();
    expect(readDataImage(png(6_000, 6_000))).not.toBeNull();
  });
});
