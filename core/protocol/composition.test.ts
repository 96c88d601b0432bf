import { describe, expect, test } from 'vitest';
import { type ItemFault, parseItem } from './parse-item';

const composition = {
  roles: [
    { role: 'system', messages: 1, tokens: 2_100 },
    { role: 'user', messages: 14, tokens: 9_800 },
  ],
  suggestions: [{ kind: 'remove_old_user_messages', messages: 9, tokensSaved: 6_100, impact: 'low' }],
  compression: { targetPercent: 50, messagesRemoved: 4, tokensRemoved: 5_000, tokensLeft: 6_900 },
};
const turn = { type: 'turn', seq: 7, session: 's', at: 1, usage: { input: 1 }, composition };

/** The fault of a composition with one value replaced, by its path. */
function faultOf(path: string, value: unknown): ItemFault | null {
  const copy = structuredClone(turn);
  const names = path.split('.');
  const last = names.pop() ?? '';
  const target = names.reduce<object>((at, name) => Reflect.get(at, name), copy);
  Reflect.set(target, last, value);
  const parsed = parseItem(copy);
  return parsed.ok ? null : parsed.fault;
}

describe('the composition of a turn', () => {
  test('passes unchanged, without unknown fields', () => {
    expect(parseItem(turn)).toEqual({ ok: true, item: turn });
    const known = parseItem({ ...turn, composition: { ...composition, colour: 'red' } });
    expect(known).toEqual({ ok: true, item: turn });
    expect(faultOf('composition', { roles: [], suggestions: [] })).toBeNull();
  });

  test.each([
    ['composition', 'invalid_field', 'much'],
    ['composition', 'invalid_field', []],
    ['composition.roles', 'invalid_field', undefined],
    ['composition.roles', 'invalid_field', Array(17).fill(composition.roles[0])],
    ['composition.roles.1.role', 'invalid_field', ''],
    ['composition.roles.1.role', 'invalid_field', 'us\u0000er'],
    ['composition.roles.0.messages', 'invalid_field', -1],
    ['composition.roles.0.tokens', 'invalid_count', 1.5],
    ['composition.roles.0.tokens', 'invalid_count', -1],
    ['composition.roles.1.tokens', 'invalid_count', 2 ** 53],
    ['composition.roles.1.tokens', 'invalid_count', '12'],
    ['composition.suggestions', 'invalid_field', null],
    ['composition.suggestions.0.kind', 'invalid_field', 'forget'],
    ['composition.suggestions.0.impact', 'invalid_field', 'huge'],
    ['composition.suggestions.0.tokensSaved', 'invalid_count', Number.NaN],
    ['composition.compression.targetPercent', 'invalid_field', 101],
    ['composition.compression.tokensRemoved', 'invalid_count', -5],
    ['composition.compression.tokensLeft', 'invalid_count', undefined],
  ])('is refused with its turn because of the field %s (%s)', (field, code, value) => {
    const expected = field === 'composition' ? expect.stringMatching(/^composition/) : field;
    expect(faultOf(field, value)).toMatchObject({ seq: 7, code, field: expected });
  });

  test('is refused with the path of the invalid field, but without the value', () => {
    const secret = 'text of the system prompt';
    const fault = faultOf('composition.suggestions.0.kind', secret);
    expect(JSON.stringify(fault)).not.toContain(secret);
  });
});
