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

function faultOf(change: (copy: typeof composition) => unknown): ItemFault | null {
  const copy = structuredClone(composition);
  const changed = change(copy) ?? copy;
  const parsed = parseItem({ ...turn, composition: changed });
  return parsed.ok ? null : parsed.fault;
}
const set = (target: object | undefined, name: string, value: unknown): void => {
  Object.assign(target ?? {}, { [name]: value });
};

describe('the composition of a turn', () => {
  test('passes unchanged, without unknown fields', () => {
    expect(parseItem(turn)).toEqual({ ok: true, item: turn });
    const known = parseItem({ ...turn, composition: { ...composition, colour: 'red' } });
    expect(known).toEqual({ ok: true, item: turn });
    expect(faultOf(() => ({ roles: [], suggestions: [] }))).toBeNull();
  });

  test.each<[string, string, (copy: typeof composition) => unknown]>([
    ['composition', 'invalid_field', () => 'much'],
    ['composition', 'invalid_field', () => []],
    ['composition.roles', 'invalid_field', () => ({ suggestions: [] })],
    ['composition.roles', 'invalid_field', (c) => set(c, 'roles', Array(17).fill(c.roles[0]))],
    ['composition.roles.1.role', 'invalid_field', (c) => set(c.roles[1], 'role', '')],
    ['composition.roles.1.role', 'invalid_field', (c) => set(c.roles[1], 'role', 'us\u0000er')],
    ['composition.roles.0.messages', 'invalid_field', (c) => set(c.roles[0], 'messages', -1)],
    ['composition.roles.0.tokens', 'invalid_count', (c) => set(c.roles[0], 'tokens', 1.5)],
    ['composition.roles.0.tokens', 'invalid_count', (c) => set(c.roles[0], 'tokens', -1)],
    ['composition.roles.1.tokens', 'invalid_count', (c) => set(c.roles[1], 'tokens', 2 ** 53)],
    ['composition.roles.1.tokens', 'invalid_count', (c) => set(c.roles[1], 'tokens', '12')],
    ['composition.suggestions', 'invalid_field', (c) => set(c, 'suggestions', null)],
    ['composition.suggestions.0.kind', 'invalid_field', (c) => set(c.suggestions[0], 'kind', 'forget')],
    ['composition.suggestions.0.impact', 'invalid_field', (c) => set(c.suggestions[0], 'impact', 'huge')],
    [
      'composition.suggestions.0.tokensSaved',
      'invalid_count',
      (c) => set(c.suggestions[0], 'tokensSaved', Number.NaN),
    ],
    [
      'composition.compression.targetPercent',
      'invalid_field',
      (c) => set(c.compression, 'targetPercent', 101),
    ],
    [
      'composition.compression.tokensRemoved',
      'invalid_count',
      (c) => set(c.compression, 'tokensRemoved', -5),
    ],
    [
      'composition.compression.tokensLeft',
      'invalid_count',
      (c) => set(c.compression, 'tokensLeft', undefined),
    ],
  ])('is refused with its turn by the field %s (%s)', (field, code, change) => {
    expect(faultOf(change)).toMatchObject({ seq: 7, code, field });
  });

  test('is named in the refusal and not repeated in it', () => {
    const secret = 'text of the system prompt';
    const fault = faultOf((c) => set(c.suggestions[0], 'kind', secret));
    expect(JSON.stringify(fault)).not.toContain(secret);
  });
});
