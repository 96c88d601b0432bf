import fc from 'fast-check';
import { expect, test } from 'vitest';
import { itemSchema } from './items';
import { parseItem } from './parse-item';
import { readPlainTurn } from './plain-turn';

const key = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constantFrom(
    'a'.repeat(400),
    'a'.repeat(401),
    'a'.repeat(1000),
    'a'.repeat(1001),
    'tab\there',
    '\u0000',
    ' ',
  ),
);
const number = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.maxSafeInteger(),
  fc.constantFrom(
    0,
    -0,
    -1,
    1,
    2 ** 53,
    2 ** 53 - 1,
    -(2 ** 53),
    0.5,
    Number.NaN,
    Infinity,
    253_402_300_800_000,
  ),
);
const anything = fc.anything({ withNullPrototype: false });
const good = { type: 'turn', seq: 1, session: 's', at: 1, usage: { input: 1 }, model: 'm', limit: 5 };
const wild: Record<string, fc.Arbitrary<unknown>> = {
  type: fc.constantFrom('turn', 'reading'),
  seq: number,
  session: key,
  at: fc.oneof(number, anything),
  chain: fc.oneof(key, fc.constant(undefined), anything),
  scope: fc.constantFrom('main', 'side', 'other', undefined, null),
  call: fc.oneof(key, fc.array(key, { maxLength: 9 })),
  model: fc.oneof(key, anything),
  limit: number,
  usage: fc.oneof(
    fc.record(
      { input: number, output: number, cacheRead: number, cacheCreation: number, other: key },
      { requiredKeys: [] },
    ),
    fc.constantFrom(null, undefined),
    anything,
  ),
  contextTokens: number,
  basis: fc.constantFrom('total', 'input', 'estimate', 'guess', undefined),
  inherited: fc.constantFrom(true, false, undefined, 1),
  composition: fc.oneof(anything, fc.constant({ roles: [], suggestions: [], other: 1 })),
  unknown: anything,
};
/** A valid turn with up to three fields replaced by arbitrary values. */
const nearlyTurn = fc
  .subarray(Object.keys(wild), { maxLength: 3 })
  .chain((fields) => fc.record(Object.fromEntries(fields.map((field) => [field, wild[field] ?? anything]))))
  .map((replaced) => ({ ...good, ...replaced }));

test('accepts the same turns as the schema, with the same result', () => {
  let taken = 0;
  let refused = 0;
  fc.assert(
    fc.property(nearlyTurn, (value) => {
      const parsed = itemSchema.safeParse(value);
      const read = parseItem(value);
      expect(read.ok).toBe(parsed.success);
      if (readPlainTurn(value) !== null) taken += 1;
      if (!read.ok) refused += 1;
      // Compared as JSON, because an absent and an undefined field are the same on the wire.
      else expect(JSON.parse(JSON.stringify(read.item))).toEqual(JSON.parse(JSON.stringify(parsed.data)));
    }),
    { numRuns: 3000 },
  );
  expect(Math.min(taken, refused)).toBeGreaterThan(300);
});

test('accepts an ordinary turn, without unknown fields', () => {
  expect(readPlainTurn({ ...good, usage: { input: 487, output: -1 }, extra: 1 })).toEqual({
    ...good,
    usage: { input: 487, output: -1 },
  });
});

test.each([
  { ...good, session: 'ü' },
  { ...good, usage: null },
  { ...good, usage: [] },
  { ...good, limit: 0.5 },
  { ...good, seq: 0 },
  { ...good, composition: { roles: [], suggestions: [] } },
  [[good]],
  null,
])('leaves any other value to the schema: %j', (value) => {
  expect(readPlainTurn(value)).toBeNull();
});
