import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32, decodeRecords, encodeRecord } from './record';

test('the sum is the CRC-32 that everybody computes', () => {
  expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926);
});

test('what was written is read back', () => {
  fc.assert(
    fc.property(fc.array(fc.json(), { maxLength: 5 }), (values) => {
      const bytes = Buffer.concat(values.map((value) => encodeRecord(value)));
      expect(decodeRecords(bytes)).toEqual({ lines: values, damaged: 0, torn: false });
    }),
  );
});

test('a record that was cut anywhere is left out, and those before it are kept', () => {
  const first = encodeRecord('{"seq":1}');
  const second = encodeRecord('{"seq":2,"title":"Grüße"}');
  for (let length = 1; length < second.length; length += 1) {
    const bytes = Buffer.concat([first, second.subarray(0, length)]);
    expect(decodeRecords(bytes)).toEqual({ lines: ['{"seq":1}'], damaged: 0, torn: true });
  }
});

test('a damaged record in the middle is counted, and its neighbours are kept', () => {
  const records = ['{"seq":1}', '{"seq":2}', '{"seq":3}'].map(encodeRecord);
  const middle = records[1];
  if (middle) middle[12] = 0x58;
  expect(decodeRecords(Buffer.concat(records))).toEqual({
    lines: ['{"seq":1}', '{"seq":3}'],
    damaged: 1,
    torn: false,
  });
});

test('whatever a file holds, reading it never throws', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      (bytes) => decodeRecords(Buffer.from(bytes)).lines.length >= 0,
    ),
  );
});
