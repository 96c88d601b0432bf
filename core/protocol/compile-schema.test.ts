import { expect, test } from 'vitest';
import { fc } from '../testing/property-runs';
import { itemSchema } from './items';
import { parseItem } from './parse-item';

const key = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.integer({ min: 398, max: 402 }).map((points) => '😀'.repeat(points)),
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

test('accepts the same turns as zod, and names the same field', () => {
  let accepted = 0;
  let refused = 0;
  fc.assert(
    fc.property(nearlyTurn, (value) => {
      const parsed = itemSchema.safeParse(value);
      const read = parseItem(value);
      expect(read.ok).toBe(parsed.success);
      if (read.ok) {
        accepted += 1;
        // Compared as JSON, because an absent and an undefined field are the same on the wire.
        expect(JSON.parse(JSON.stringify(read.item))).toEqual(JSON.parse(JSON.stringify(parsed.data)));
      } else {
        refused += 1;
        // zod gives up earlier in a union, so its path may be shorter.
        expect(`${read.fault.field}.`).toContain(parsed.error?.issues[0]?.path.join('.'));
      }
    }),
    { numRuns: 3000 },
  );
  expect(Math.min(accepted, refused)).toBeGreaterThan(300);
});

const values = [
  undefined,
  null,
  '',
  'a',
  'x'.repeat(1_001),
  '😀'.repeat(400),
  '😀'.repeat(401),
  '😀'.repeat(1_000),
  '😀'.repeat(1_001),
  '\ud800',
  0,
  -1,
  1.5,
  2 ** 53,
  NaN,
  true,
  [],
  [1],
  {},
];

const schemas = itemSchema.options.map((schema) => [schema.shape.type.value, schema] as const);

test.each(schemas)('accepts the same values of each field of %s as zod', (type, zod) => {
  for (const name of Object.keys(zod.shape)) {
    for (const value of [
      ...values,
      ...['main', 'side', 'auto', 'pending', 'startup', 'snapshot', 'stored'],
    ]) {
      const item = { type, seq: 1, session: 's', at: 0, ...complete[type], [name]: value };
      const context = `${name}: ${JSON.stringify(value)}`;
      const read = parseItem(item);
      expect(read.ok, context).toBe(itemSchema.safeParse(item).success);
      if (!read.ok && name !== 'type') expect(read.fault.reason, context).toMatch(REASON);
    }
  }
  const item = { type, seq: 1, session: 's', at: 0, ...complete[type], other: 1 };
  expect(parseItem(item)).toEqual({ ok: true, item: { ...item, other: undefined } });
});

/** A reason names what the value must be, in words. */
const REASON = /^must (?!.*Infinity)/;

/** Required fields beside the fields of every item. */
const complete: Record<string, object> = {
  session_alias: { client: 'c', clientSessionId: 'i' },
  reading: { contextTokens: 1 },
  compaction: { state: 'confirmed' },
  compress: { before: 2, after: 1 },
  archive: { state: 'stored' },
  command_state: { command: '0190b0a0-0000-7000-8000-00000000000c', action: 'say', state: 'done' },
  gap: { count: 1 },
};

test.each([
  [{ ...good, session: '' }, 'session', 'must not be empty'],
  [{ ...good, session: 'x'.repeat(401) }, 'session', 'must have at most 400 characters'],
  [{ ...good, session: '\0' }, 'session', 'must not contain a NUL character or half of a surrogate pair'],
  [{ ...good, scope: 'both' }, 'scope', 'must be "main" or "side"'],
  [{ ...good, usage: { input: '1' } }, 'usage.input', 'must be a whole number from −(2^53−1) to 2^53−1'],
  [{ ...good, usage: [] }, 'usage', 'must be an object or null'],
  [{ ...good, usage: 1 }, 'usage', 'must be an object or null'],
  [{ ...good, limit: -1 }, 'limit', 'must be a whole number from 0 to 2^53−1'],
  [{ ...good, at: -1 }, 'at', 'must be milliseconds since the epoch, up to the year 9999'],
  [{ ...good, call: [] }, 'call', 'must not be empty'],
  [{ ...good, call: {} }, 'call', 'must be a text or a list'],
  [{ ...good, call: '' }, 'call', 'must not be empty'],
  [{ ...good, call: Array(9).fill('a') }, 'call', 'must have at most 8 entries'],
  [{ ...good, session: '😀'.repeat(401) }, 'session', 'must have at most 400 characters'],
  [{ ...good, call: ['a', ''] }, 'call.1', 'must not be empty'],
  [{ ...good, composition: { roles: 1 } }, 'composition.roles', 'must be a list'],
])('names the field and the reason: %j', (value, field, reason) => {
  expect(parseItem(value)).toMatchObject({ ok: false, fault: { field, reason } });
});
