import { expect, test } from 'vitest';
import { fc } from '../../../core/testing/property-runs';
import checkpoints from '../../../core/vectors/checkpoint.json';
import { casesOf, type VectorCase } from '../../../core/vectors/vector-testing';
import { extractCheckpoint } from './index';

type CheckpointCase = VectorCase<{ text: string }, never, { checkpoint: string; minimal: boolean }>;

test.each(casesOf<CheckpointCase>(checkpoints))('vector of a checkpoint: $name', (vector) => {
  const checkpoint = extractCheckpoint(vector.given.text);
  expect(checkpoint).toBe(vector.expect.checkpoint);
  expect(checkpoint === '').toBe(vector.expect.minimal);
});

test.each([
  [
    'the fence of an unclosed tag after an introduction is not content',
    'Here it is:\n```xml\n<checkpoint>\n## Goal\nx\n```',
    '## Goal\nx',
  ],
  [
    'a code block at the end of an unclosed tag stays',
    '<checkpoint>\nRun:\n```sh\nnpm test\n```',
    'Run:\n```sh\nnpm test\n```',
  ],
  ['a fence of tildes is a fence', '~~~md\n<checkpoint>a</checkpoint>\n~~~', 'a'],
  ['a tag with an attribute is a tag', '<checkpoint version="2">a</checkpoint >', 'a'],
  ['a closing tag without an opening one is text', '## Goal\n</checkpoint>', '## Goal\n</checkpoint>'],
  ['a fence of blanks is empty', '```\n\n```', ''],
  ['only the first of two lines is a fence', '```js\na()', '```js\na()'],
  ['a fence without content is text', '```', '```'],
  ['two fences with nothing between them are empty', '```\n```', ''],
  ['a tag with an attribute within a line is a tag', 'Here: <checkpoint version="2">a</checkpoint>', 'a'],
  [
    'a tag with an attribute at the start of a line precedes one within a sentence',
    'I write <checkpoint> next.\n<checkpoint version="2">a</checkpoint>',
    'a',
  ],
  ['marks within a line are not a fence', 'see ```\nx\n```', 'see ```\nx\n```'],
  ['marks before another mark are not a fence', '```a`b\nx\n```', '```a`b\nx\n```'],
  [
    'a code block within a fence does not end the fence',
    '```md\n# A\n```js\na\n```\nb\n```',
    '# A\n```js\na\n```\nb',
  ],
  ['the bare fence of an unclosed tag is not content', '```\n<checkpoint>\nx\n```\n', 'x'],
  ['a fenced tag without any end keeps its last line', '```xml\n<checkpoint>\nx', 'x'],
])('%s', (_, answer, expected) => {
  expect(extractCheckpoint(answer)).toBe(expected);
});

const line = fc
  .string({ maxLength: 40 })
  .map((text) => text.replace(/[\r\n]/g, ' '))
  .filter((text) => !/^ {0,3}(`{3}|~{3})/.test(text) && !/<\/?checkpoint/i.test(text));
/** Any text without a tag, and without a line that looks like a fence. */
const content = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));

test('returns the text between the tags, whatever is around them', () => {
  fc.assert(
    fc.property(content, content, content, (before, text, after) => {
      expect(extractCheckpoint(`${before}\n<checkpoint>${text}</checkpoint>\n${after}`)).toBe(text.trim());
    }),
  );
});

test('a fence around the block or around its content changes nothing', () => {
  fc.assert(
    fc.property(content, fc.constantFrom('xml', 'markdown', ''), (text, language) => {
      const block = `<checkpoint>\n${text}\n</checkpoint>`;
      expect(extractCheckpoint(`\`\`\`${language}\n${block}\n\`\`\``)).toBe(text.trim());
      const inner = `<checkpoint>\n\`\`\`${language}\n${text}\n\`\`\`\n</checkpoint>`;
      expect(extractCheckpoint(inner)).toBe(text.trim());
    }),
  );
});

test('returns everything to the end without a closing tag, and everything without a tag', () => {
  fc.assert(
    fc.property(content, content, (before, text) => {
      expect(extractCheckpoint(`${before}\n<checkpoint>\n${text}`)).toBe(text.trim());
      expect(extractCheckpoint(text)).toBe(text.trim());
    }),
  );
});

test('never adds text, whatever tags and fences the answer has', () => {
  const tags = ['<checkpoint>', '</checkpoint>', '<', 'goal'];
  const pieces = [...tags, '```', '```xml', '~~~', '`', '\n', '\r\n', ' '];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), (parts) => {
      const answer = parts.join('');
      const checkpoint = extractCheckpoint(answer);
      expect(answer.includes(checkpoint)).toBe(true);
      expect(checkpoint).toBe(checkpoint.trim());
    }),
    { numRuns: 500 },
  );
});
