import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { ContextTracker, createCounter, estimateTokens } from './index';

const textOf = (name: string) =>
  readFileSync(new URL(`../../fixtures/texts/${name}.txt`, import.meta.url), 'utf8');

/** Texts that the costs were not fitted to. */
const NAMES = [
  'english',
  'german',
  'chinese',
  'chinese-technical',
  'japanese',
  'typescript',
  'python',
  'json',
  'licence',
];

test.each(NAMES)('estimates the tokens of %s within a tenth of the tokenizer', (name) => {
  const text = textOf(name);
  const tokens = countTokens(text);
  expect(Math.abs(estimateTokens(text) - tokens) / tokens).toBeLessThan(0.1);
});

test.each([
  ['', 0],
  ['a', 1],
  ['hello world', 2],
  ['The quick brown fox', 4],
  ['🦀', 1],
])('estimates %j as %i tokens', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

test('estimates a megabyte of one character without backtracking', () => {
  // A pattern that backtracks would take many minutes, beyond the time limit of the test.
  for (const character of ['a', 'A', ' ', '\n', '-', '1', '的', 'が', '\u0301', '\ud800', "'", 'é']) {
    expect(estimateTokens(character.repeat(1_000_000)), JSON.stringify(character)).toBeGreaterThan(0);
  }
}, 720_000);

test('a tracker takes a tokenizer for the texts of messages in any shape', () => {
  const tracker = new ContextTracker({ limit: 1_000, counter: createCounter(countTokens) });
  tracker.addMessage({ role: 'user', content: [{ type: 'text', text: 'Guten Morgen, Hafenmeister' }] });
  tracker.addMessage({ role: 'model', parts: [{ text: '早上好' }] });
  const tokens = countTokens('Guten Morgen, Hafenmeister') + countTokens('早上好');
  expect(tracker.currentUsage().contextTokens).toBe(tokens);
});

const jpeg = (width: number, height: number) =>
  Buffer.from(
    [0xff, 0xd8, 0xff, 0xe1, 0, 30, ...Array(28).fill(0), 0xff, 0xc2, 0, 17, 8].concat([
      height >> 8,
      height & 255,
      width >> 8,
      width & 255,
      3,
    ]),
  );
const withNumbers = (head: string, length: number, write: (bytes: Buffer) => void) => {
  const bytes = Buffer.alloc(length);
  bytes.write(head, 'latin1');
  write(bytes);
  return bytes.toString('base64');
};
const png = (width: number, height: number) =>
  withNumbers('\x89PNG\r\n\x1a\n', 40, (bytes) => {
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
  });
const gif = withNumbers('GIF89a', 40, (bytes) => {
  bytes.writeUInt16LE(300, 6);
  bytes.writeUInt16LE(250, 8);
});
const webp = (kind: string, write: (bytes: Buffer) => void) => withNumbers(`RIFF....WEBP${kind}`, 40, write);
const anthropic = (data: string) => ({ type: 'image', source: { type: 'base64', data } });

// OpenAI's and Google's examples; Anthropic's table (200 × 200: about 54, 1000 × 1000: about 1 334).
test.each<[string, object, number]>([
  ['a PNG file for Anthropic', anthropic(png(1000, 1000)), 1334],
  ['a small PNG file for Anthropic', anthropic(png(200, 200)), 54],
  ['a large PNG file for Anthropic', anthropic(png(4000, 4000)), 1600],
  ['a JPEG file for Anthropic', anthropic(jpeg(750, 100).toString('base64')), 100],
  ['a GIF file for Anthropic', anthropic(gif), 100],
  [
    'a WebP file for Anthropic',
    anthropic(webp('VP8X', (bytes) => [bytes.writeUIntLE(749, 24, 3), bytes.writeUIntLE(99, 27, 3)])),
    100,
  ],
  [
    'a lossless WebP file for Anthropic',
    anthropic(webp('VP8L', (bytes) => bytes.writeUInt32LE(749 | (99 << 14), 21))),
    100,
  ],
  [
    'a lossy WebP file for Anthropic',
    anthropic(webp('VP8 ', (bytes) => [bytes.writeUInt16LE(750, 26), bytes.writeUInt16LE(100, 28)])),
    100,
  ],
  [
    'a linked image for Anthropic as 1024 × 1024',
    { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
    1399,
  ],
  [
    'an image for OpenAI',
    { type: 'image_url', image_url: { url: `data:image/png;base64,${png(1024, 1024)}` } },
    765,
  ],
  [
    'a tall image for OpenAI',
    { type: 'input_image', image_url: `data:image/png;base64,${png(2048, 4096)}` },
    1105,
  ],
  [
    'an image in low detail for OpenAI',
    { type: 'input_image', image_url: png(4096, 8192), detail: 'low' },
    85,
  ],
  ['a linked image for OpenAI', { type: 'image_url', image_url: { url: 'https://x.test/a.png' } }, 765],
  ['a small image for Google', { inlineData: { mimeType: 'image/png', data: png(384, 384) } }, 258],
  ['an image for Google', { inline_data: { mime_type: 'image/png', data: png(960, 540) } }, 6 * 258],
  ['bytes for the AI SDK', { type: 'image', image: new Uint8Array(jpeg(750, 100)) }, 100],
  ['a file for the AI SDK', { type: 'file', mediaType: 'image/png', data: png(750, 100) }, 100],
  ['no sound', { inlineData: { mimeType: 'audio/wav', data: 'UklGRg' } }, 0],
  ['no document', { type: 'file', file: { file_data: 'JVBERi0' } }, 0],
])('counts the tokens of %s by the published formula', (_, part, tokens) => {
  const tracker = new ContextTracker({ limit: 10_000 });
  tracker.addMessage({ role: 'user', content: [part] });
  expect(tracker.currentUsage().contextTokens).toBe(tokens);
});
