import { beforeAll, describe, expect, it } from 'vitest';
import { evidence as evidenceShape } from '../../core/api/evidence';
import { SESSION_FIGURES, type SessionFigure } from '../../core/explain/explain-session';
import { evaluate } from '../../core/explain/formula';
import { sessionId } from '../../core/identity/session-id';
import { openTestDatabase } from '../testing/test-database';
import { loadEvidence } from './load-evidence';
import { createTestFeed, testTurn } from './testing-feed';

const now = Date.now();
const clock = { nowMs: now, idleAfterMs: 600_000 };
const at = (minutesAgo: number) => now - minutesAgo * 60_000;
const iso = (minutesAgo: number) => new Date(at(minutesAgo)).toISOString();
const id = sessionId('atlas', 'long');

const { sql } = await openTestDatabase();
beforeAll(async () => {
  const feed = await createTestFeed(sql, { source: 'transcript', now: () => now });
  const call = (minutesAgo: number, name: string, contextTokens: number) =>
    testTurn('long', contextTokens, {
      at: at(minutesAgo),
      call: name,
      model: 'claude-opus-4-5',
      usage: { input: 100, output: 50, cacheRead: contextTokens - 1_000, cacheCreation: 850 },
    });
  await feed.tell(
    {
      type: 'session_start',
      session: 'long',
      at: at(50),
      lens: 'snapshot',
      client: 'claude-code',
      clientVersion: '2.1.90',
    },
    call(49, 'm1', 60_000),
    call(48, 'm2', 160_000),
    {
      type: 'compaction',
      session: 'long',
      at: at(30),
      trigger: 'auto',
      state: 'confirmed',
      preTokens: 161_000,
    },
    call(29, 'm3', 40_000),
    call(28, 'm4', 52_000),
    call(27, 'm5', 47_000),
    call(26, 'm6', 49_000),
    { type: 'turn', session: 'long', at: at(25), scope: 'side', call: 's1', usage: { input: 5, output: 5 } },
    {
      type: 'turn',
      session: 'long',
      at: at(24),
      chain: 'helper',
      call: 'h1',
      usage: { input: 7, output: 3 },
      contextTokens: 90_000,
    },
    { type: 'session_start', session: 'empty', at: at(20) },
  );
});

describe('evidence of a session', () => {
  it('names the turns behind its numbers, on the main chain and in the open context', async () => {
    const found = await loadEvidence(sql, id, clock);
    expect(evidenceShape.parse(found)).toEqual(found);
    expect(found).toMatchObject({
      reading: { tokens: 49_000, basis: 'total', turn: { number: 6, at: iso(26) } },
      lastTurn: { number: 6, at: iso(26), input: 100, output: 50, cacheRead: 48_000, cacheCreation: 850 },
      newestTurn: { number: 7, at: iso(25) },
      peakTurn: { number: 4, at: iso(28) },
      context: { index: 1, startedBy: 'compaction', startedAt: iso(30), mainTurns: 4, peakOccupancy: 52_000 },
      boundaries: { restarts: 0, compactions: 1, clears: 0 },
      limit: { tokens: 200_000, source: 'table', model: 'claude-opus-4-5' },
      compaction: { tokens: 161_000, source: 'learned', seen: [161_000] },
      restartLineBy: 'project',
    });
  });

  it('reproduces the figures of the session in the same read', async () => {
    const found = await loadEvidence(sql, id, clock);
    if (found === null) throw new Error('no session');
    const explain = (figure: SessionFigure) => SESSION_FIGURES[figure](found);
    for (const figure of Object.keys(SESSION_FIGURES) as SessionFigure[]) {
      const { formula, result } = explain(figure);
      if (formula !== null)
        expect({ figure, result: evaluate(formula.expression) }).toEqual({ figure, result });
    }
    expect(explain('pressure').result).toBe(found.session.pressure);
    expect(explain('turns').result).toBe(found.session.nextBoundary?.turns);
    expect(explain('a-minute').result).toBe(found.session.tokensPerMinute);
  });

  it('uses the thresholds of the project', async () => {
    await sql`update projects set settings = ${sql.json({ thresholds: { warning: 0.7, restartLine: 0.8 } })} where name = 'atlas'`;
    const found = await loadEvidence(sql, id, clock);
    expect(found?.thresholds).toMatchObject({ warning: 0.7, restartLine: 0.8 });
    expect(found?.session.tokensUntilWarning).toBe(140_000 - 49_000);
  });

  it('has no turns for a session without turns, and is null for an unknown id', async () => {
    expect(await loadEvidence(sql, sessionId('atlas', 'empty'), clock)).toMatchObject({
      reading: null,
      lastTurn: null,
      newestTurn: null,
      peakTurn: null,
      countdown: null,
      rate: null,
    });
    expect(await loadEvidence(sql, sessionId('atlas', 'unknown'), clock)).toBeNull();
  });
});
