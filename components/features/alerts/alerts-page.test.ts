import { describe, expect, test } from 'vitest';
import { CHANNEL_KIND_NAMES } from '@/core/alerts/names';
import { ruleDefinition } from '@/core/alerts/rule';
import { type Alert, type AlertChannel, channelDefinition } from '@/core/api/alerts';
import { newNotices } from '../../alerts/new-notices';
import { channelParts, fieldTexts } from './channel-form';
import { prepareStrip } from './prepare-preview';
import { CONDITIONS, newRule, ruleWords, toPatterns } from './rule-form';

const at = (seconds: number) => new Date(seconds * 1_000).toISOString();

describe('the rule editor', () => {
  test.each(CONDITIONS.map(([key, , condition]) => [key, condition] as const))(
    'offers a valid rule for %s',
    (_, condition) => {
      const rule = { ...newRule(), condition };
      expect(ruleDefinition.parse(rule)).toEqual(rule);
    },
  );

  test('describes a rule with its scope and time', () => {
    const scope = { ...newRule().scope, project: toPatterns('shop, web-* ,') };
    expect(ruleWords({ ...newRule(), scope, forSeconds: 30 })).toBe(
      'pressure at or above 80 % for 30 s · project shop, web-*',
    );
  });
});

describe('the channel editor', () => {
  const filled: Record<string, string> = {
    'config.url': 'https://example.com/',
    'config.topic': 'ops',
    'config.host': 'smtp.example.com',
    'config.port': '2525',
    'config.security': 'tls',
    'config.from': 'a@example.com',
    'config.to': 'b@example.com, c@example.com',
    'secret.key': 'sixteen characters',
    'secret.url': 'https://example.com/secret',
    'secret.routingKey': 'r',
  };

  test.each(CHANNEL_KIND_NAMES)('sends a valid channel of the kind %s', (kind) => {
    const body = { kind, name: 'n', ...channelParts(kind, filled, true) };
    expect(channelDefinition.safeParse(body).error).toBeUndefined();
  });

  test('leaves an empty secret as stored, and never fills it in', () => {
    const channel = {
      kind: 'webhook',
      config: { url: 'https://example.com/' },
      secrets: ['key'],
    } as unknown as AlertChannel;
    const texts = fieldTexts('webhook', channel);
    expect(texts).toEqual({ 'config.url': 'https://example.com/', 'secret.key': '' });
    expect(channelParts('webhook', texts, false)).toEqual({ config: { url: 'https://example.com/' } });
  });
});

test('the preview places trace, line and spans on one axis', () => {
  const strip = prepareStrip(
    {
      trace: [
        [0, 0.5],
        [50, 1],
        [100, null],
      ],
      spans: [{ firedAt: at(50), resolvedAt: null, text: '' }],
    },
    { width: 200, height: 101, line: 0.8 },
  );
  expect(strip.spans).toEqual([{ x: 100, width: 100 }]);
  expect(strip.trace).toBe('M0 55.5H100V10.1H200');
  expect(strip.lineY).toBe(28.3);
});

test('a tab announces new alerts of a browser channel only', () => {
  const now = Date.now();
  const alert = (id: string, more: Partial<Alert> = {}) =>
    ({
      id,
      phase: 'firing',
      pulledBy: ['browser'],
      mutedUntil: null,
      firedAt: new Date(now - 1_000).toISOString(),
      ...more,
    }) as Alert;
  const first = newNotices([alert('a')], null, now);
  expect(first.shown).toEqual([]);
  const list = [
    alert('a'),
    alert('b'),
    alert('c', { pulledBy: [] }),
    alert('d', { mutedUntil: at(1) }),
    alert('e', { firedAt: new Date(now - 3_600_000).toISOString() }),
    alert('f', { phase: 'pending' }),
  ];
  expect(newNotices(list, first.next, now).shown.map(({ id }) => id)).toEqual(['b']);
});
