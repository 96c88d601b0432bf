import { describe, expect, it } from 'vitest';
import { emptyChain, emptySessionFold } from './empty-fold';
import type { ChainFold, SessionFold } from './fold-types';
import { type CompactionOutcome, compactionOutcome, compactionPoint } from './next-boundary';

function pointOf(
  session: Partial<SessionFold>,
  chain: Partial<ChainFold> = {},
  peers: readonly CompactionOutcome[] = [],
) {
  return compactionPoint(
    { ...emptySessionFold(), lens: 'snapshot', client: 'claude-code', ...session },
    { ...emptyChain(), limit: { tokens: 200_000, source: 'client', at: 0 }, ...chain },
    peers,
  );
}
const rule = (tokens: number, passed = false) => ({ tokens, source: 'rule', passed });

describe('the automatic compaction point', () => {
  it.each([
    [null, 167_000],
    ['2.1.25', 167_000],
    ['2.1.200', 167_000],
    ['2.2.0', 167_000],
    ['2.10.0', 167_000],
    ['10.0.0', 167_000],
    ['3.0.0', 167_000],
    ['2.1.25-beta.1', 167_000],
    ['2.1.20', 155_000],
    ['2.0.99', 155_000],
    ['1.9.9', 155_000],
  ])('of Claude Code %s is %i of 200 000 by the built-in rule', (clientVersion, tokens) => {
    expect(pointOf({ clientVersion })).toEqual(rule(tokens));
  });

  it.each(['2.1.21', '2.1.24', 'v2.1.25', '2.1', 'latest', ''])(
    'is unknown for version "%s", because no rule is known for it',
    (clientVersion) => {
      expect(pointOf({ clientVersion })).toBeNull();
    },
  );

  it.each(['Claude Code', 'claude_code', 'claudecode', 'claude-code/2', 'CLAUDE-CODE'])(
    'follows the rule for a client named %s',
    (client) => {
      expect(pointOf({ client })).toEqual(rule(167_000));
    },
  );

  it.each([null, 'gemini', 'my-claude-code', 'claude-coder', 'claude'])(
    'is unknown for the client %s',
    (client) => {
      expect(pointOf({ client })).toBeNull();
    },
  );

  it.each([
    ['the limit is unknown', null, 'none'],
    ['the limit is assumed', 200_000, 'assumed'],
    ['the limit is at most the tokens that the client keeps free', 33_000, 'client'],
  ] as const)('follows no rule if %s', (_, tokens, source) => {
    expect(pointOf({}, { limit: { tokens, source, at: 0 } })).toBeNull();
  });

  it('follows the rule for a window that a reading proved', () => {
    expect(pointOf({}, { limit: { tokens: 1_000_000, source: 'learned', at: 0 } })).toEqual(rule(967_000));
  });

  it('follows the rule if the limit exceeds the reserve by one token', () => {
    expect(pointOf({}, { limit: { tokens: 33_001, source: 'table', at: 0 } })).toEqual(rule(1));
  });

  it.each([
    [166_999, { tokens: 166_999, source: 'learned', passed: false }],
    [167_000, rule(167_000)],
    [197_000, rule(167_000)],
    [197_001, { tokens: 197_001, source: 'learned', passed: false }],
  ])('after a compaction at %i is the rule’s point if that is near, else the compaction’s', (seen, point) => {
    expect(pointOf({}, { compactedAt: [seen] })).toEqual(point);
  });

  it('is passed once a further call follows it without a compaction', () => {
    expect(pointOf({}, { passed: 166_999 })).toEqual(rule(167_000));
    expect(pointOf({}, { passed: 167_000 })).toEqual(rule(167_000, true));
  });

  it('is the observed compaction near the rule’s point if the client passed that point before', () => {
    const point = pointOf({}, { passed: 188_000, compactedAt: [193_000] });
    expect(point).toEqual({ tokens: 193_000, source: 'learned', passed: false });
  });

  it('is the lowest of several past compactions', () => {
    expect(pointOf({ client: 'codex' }, { compactedAt: [150_000, 140_000, 160_000] })).toEqual({
      tokens: 140_000,
      source: 'learned',
      passed: false,
    });
  });

  it('is the client’s stated point in both lenses; a cumulative session has no other point', () => {
    const stated = { tokens: 90_000, source: 'client', passed: false };
    expect(pointOf({ compactsAt: 90_000 }, { compactedAt: [150_000] })).toEqual(stated);
    expect(pointOf({ compactsAt: 90_000, lens: 'cumulative' })).toEqual(stated);
    expect(pointOf({ lens: 'cumulative' }, { compactedAt: [150_000] })).toBeNull();
  });
});

describe('the compaction point learned from other sessions of this client, version and window', () => {
  const passedAt = (passed: number, compactedAt: number | null = null) => ({ passed, compactedAt });
  const compacted = (compactedAt: number) => ({ passed: null, compactedAt });
  const learned = (tokens: number) => ({ tokens, source: 'learned', passed: false });

  it('is the rule’s point unless more sessions passed it than compacted near it', () => {
    expect(pointOf({}, {}, [passedAt(188_000), compacted(167_400)])).toEqual(rule(167_000));
    expect(pointOf({}, {}, [passedAt(188_000), passedAt(190_000), compacted(167_400)])).toBeNull();
    expect(pointOf({}, {}, [passedAt(166_999)])).toEqual(rule(167_000));
    expect(pointOf({}, {}, [passedAt(167_000)])).toBeNull();
    expect(pointOf({}, {}, [compacted(120_000), compacted(198_000)])).toEqual(rule(167_000));
    expect(pointOf({}, {}, [passedAt(188_000, 193_000), compacted(120_000)])).toEqual(learned(193_000));
  });

  it('is the median of their compactions if the rule is refuted or there is no rule', () => {
    const peers = [passedAt(188_000, 195_000), passedAt(170_000, 191_000), passedAt(180_000, 193_000)];
    expect(pointOf({}, {}, peers)).toEqual(learned(193_000));
    expect(pointOf({ client: 'gemini' }, {}, [compacted(235_000), compacted(226_000)])).toEqual(
      learned(226_000),
    );
    expect(pointOf({ client: 'gemini' }, {}, [])).toBeNull();
  });

  it('replaces the rule’s point of Codex, which compacts before the last reading reaches that point', () => {
    const limit = { tokens: 258_400, source: 'client' as const, at: 0 };
    expect(pointOf({ client: 'codex' }, { limit }, [])).toEqual(rule(244_800));
    expect(pointOf({ client: 'codex' }, { limit }, [passedAt(245_000)])).toBeNull();
    expect(pointOf({ client: 'codex' }, { limit }, [passedAt(245_000), compacted(226_000)])).toEqual(
      learned(226_000),
    );
    expect(pointOf({ client: 'codex' }, { limit, passed: 244_800 }, [])).toEqual(rule(244_800, true));
    const peers = [compacted(235_000), compacted(226_000), compacted(228_000)];
    expect(pointOf({ client: 'codex' }, { limit }, peers)).toEqual(learned(228_000));
    expect(pointOf({ client: 'codex' }, { limit, compactedAt: [231_000] }, peers)).toEqual(learned(231_000));
  });

  it('is ignored once this session has compacted or passed the point itself', () => {
    expect(pointOf({}, { compactedAt: [168_000] }, [passedAt(190_000)])).toEqual(rule(167_000));
    expect(pointOf({}, { passed: 170_000 }, [compacted(167_400)])).toEqual(rule(167_000, true));
    expect(pointOf({ lens: 'cumulative' }, {}, [compacted(150_000)])).toBeNull();
  });

  it('is learned from the lowest automatic compaction and from a size at or past the rule’s point', () => {
    const chain = { ...emptyChain(), limit: { tokens: 200_000, source: 'client' as const, at: 0 } };
    const session = { ...emptySessionFold(), lens: 'snapshot' as const, client: 'claude-code' };
    const outcome = (main: Partial<ChainFold>, lens: SessionFold['lens'] = 'snapshot') =>
      compactionOutcome({ ...session, lens, chains: { main: { ...chain, ...main } } });
    expect(outcome({ passed: 166_999 })).toEqual({ compactedAt: null, passed: null });
    expect(outcome({ passed: 167_000, compactedAt: [193_000, 191_000] })).toEqual(passedAt(167_000, 191_000));
    expect(outcome({ passed: 170_000, compactedAt: [1] }, 'cumulative')).toEqual(compactionOutcome(session));
    expect(compactionOutcome(session)).toEqual({ compactedAt: null, passed: null });
    const gemini = { ...session, client: 'gemini', chains: { main: { ...chain, passed: 240_000 } } };
    expect(compactionOutcome(gemini)).toEqual({ compactedAt: null, passed: null });
  });
});
