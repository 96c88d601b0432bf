import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createOutput } from './output';

function write(text: string): string {
  const stream = new PassThrough() as unknown as NodeJS.WriteStream;
  createOutput(stream, stream).line(text);
  return String(stream.read());
}

it('writes control characters and direction marks of names as escapes', () => {
  expect(write('a\u001b[2Jb\u202ec\td')).toBe('a\\u001b[2Jb\\u202ec\td\n');
});

it('writes JSON with the same meaning', () => {
  const value = { name: 'a\u202e\u{e0041}\u007f', emoji: '👩‍💻' };
  expect(JSON.parse(write(JSON.stringify(value, null, 2)))).toEqual(value);
});
