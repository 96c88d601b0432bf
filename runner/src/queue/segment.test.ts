import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32, decodeRecords, encodeRecord } from './segment';

test('computes the standard CRC-32', () => {
  expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926);
});

test('reads back what was written', () => {
  fc.assert(
    fc.property(fc.array(fc.json(), { maxLength: 5 }), (values) => {
      const bytes = Buffer.concat(values.map((value) => encodeRecord(value)));
      expect(decodeRecords(bytes)).toEqual({ lines: values, damaged: 0, torn: false });
    }),
  );
});

test('skips an incomplete last record and keeps the others', () => {
  const first = encodeRecord('{"seq":1}');
  const second = encodeRecord('{"seq":2,"title":"Grüße"}');
  for (let length = 1; length < second.length; length += 1) {
    const bytes = Buffer.concat([first, second.subarray(0, length)]);
    expect(decodeRecords(bytes)).toEqual({ lines: ['{"seq":1}'], damaged: 0, torn: true });
  }
});

test('counts a damaged record and keeps its neighbours', () => {
  const records = ['{"seq":1}', '{"seq":2}', '{"seq":3}'].map(encodeRecord);
  const middle = records[1];
  if (middle) middle[12] = 0x58;
  expect(decodeRecords(Buffer.concat(records))).toEqual({
    lines: ['{"seq":1}', '{"seq":3}'],
    damaged: 1,
    torn: false,
  });
});

test('never throws for any bytes', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      (bytes) => decodeRecords(Buffer.from(bytes)).lines.length >= 0,
    ),
  );
});
