import { expect, test } from 'vitest';
import { fc } from '../../../core/testing/property-runs';
import { encodeHeader, encodeRecord, readSegment } from './queue-files';

const read = (...parts: Uint8Array[]) => readSegment(Buffer.concat(parts));

test('writes the standard CRC-32 before each line', () => {
  expect(encodeRecord('123456789').toString()).toBe('cbf43926 123456789\n');
});

test('reads back what was written', () => {
  fc.assert(
    fc.property(fc.array(fc.json(), { maxLength: 5 }), (values) => {
      const records = values.map((value, seq) => ({ seq, json: `{"seq":${seq},"value":${value}}` }));
      const bytes = records.map(({ json }) => encodeRecord(json));
      expect(read(encodeHeader(7, true), ...bytes)).toEqual({
        header: { first: 7, thinned: true },
        records,
        invalid: [],
        isCut: false,
      });
    }),
  );
});

test('skips an incomplete last record and keeps the others', () => {
  const first = encodeRecord('{"seq":1}');
  const second = encodeRecord('{"seq":2,"title":"Grüße"}');
  for (let length = 1; length < second.length; length += 1) {
    const { records, invalid, isCut } = read(first, second.subarray(0, length));
    expect([records, invalid, isCut]).toEqual([[{ seq: 1, json: '{"seq":1}' }], [], true]);
  }
});

test('counts a damaged record and keeps its neighbours', () => {
  const records = ['{"seq":1}', '{"seq":2}', '{"seq":3}'].map(encodeRecord);
  const middle = records[1];
  if (middle) middle[12] = 0x58;
  const { records: left, invalid } = read(...records);
  expect([left.map(({ seq }) => seq), invalid.length]).toEqual([[1, 3], 1]);
});

test('never throws for any bytes', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => read(bytes).invalid.length >= 0));
});
