import { expect, it } from 'vitest';
import { fc } from '../testing/property-runs';
import { fieldsOf } from './read-entry';
import { createDocumentSplitter } from './split-document';
import type { EntryBytes } from './split-entries';
import { toBytes } from './testing-transcripts';

const messages = fc.array(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }));

it('cuts a document into its start and its messages, however deep, with every byte in one entry', () => {
  fc.assert(
    fc.property(messages, fc.integer({ min: 1, max: 50 }), fc.boolean(), (list, size, isPretty) => {
      const document = { sessionId: 's"{[\\', messages: list, kind: 'main' };
      const bytes = toBytes(JSON.stringify(document, null, isPretty ? 2 : 0));
      const splitter = createDocumentSplitter();
      const entries: EntryBytes[] = [];
      for (let at = 0; at < bytes.length; at += size)
        entries.push(...splitter.push(bytes.subarray(at, at + size)));
      entries.push(...splitter.end());
      expect(Buffer.concat(entries.map(({ bytes: own }) => own ?? new Uint8Array()))).toEqual(
        Buffer.from(bytes),
      );
      const [start, ...values] = entries.map(({ bytes: own }) => fieldsOf(own ?? new Uint8Array()));
      expect(start).toMatchObject({ sessionId: 's"{[\\', messages: [] });
      expect(values).toEqual(JSON.parse(JSON.stringify(list)));
    }),
  );
});

it('shows an oversized message without its content, and reads the next message', () => {
  const splitter = createDocumentSplitter(60);
  const bytes = toBytes(JSON.stringify({ messages: [{ text: 'x'.repeat(100) }, { text: 'next' }] }));
  const [, long, next] = [...splitter.push(bytes), ...splitter.end()];
  expect(long?.bytes).toBeNull();
  expect(fieldsOf(next?.bytes ?? new Uint8Array())).toEqual({ text: 'next' });
});
