import { describe, expect, it } from 'vitest';
import type { FleetView } from '@/core/live/apply-fleet-frame';
import { testSession } from '@/core/live/testing-rows';
import { type Light, newestTurn, nextLight } from './agent-light';

const at = (second: number) => new Date(1_790_000_000_000 + second * 1_000).toISOString();

function fleetOf(rows: Parameters<typeof testSession>[0][], more: Partial<FleetView> = {}): FleetView {
  const sessions = new Map(rows.map((row, index) => [String(index), testSession(row)]));
  const counts = { restarts: 0, compactions: 0, cacheReadShare: null };
  return { sessions, counts, total: sessions.size, at: 0, epoch: 'e1', ...more };
}

describe('newestTurn', () => {
  it('finds the newest turn of the agent, and names its host or else its runner', () => {
    const fleet = fleetOf([
      { client: 'Claude Code', lastTurnAt: at(2), host: 'ci-7' },
      { client: 'claude-code', lastTurnAt: at(1), host: 'laptop' },
      { client: 'codex', lastTurnAt: at(3), host: null, runner: 'watch' },
    ]);
    expect(newestTurn(fleet, 'claude-code')).toEqual({ at: at(2), from: 'ci-7' });
    expect(newestTurn(fleet, 'codex')).toEqual({ at: at(3), from: 'watch' });
  });

  it('ignores imported sessions and sessions without a turn', () => {
    const fleet = fleetOf([
      { client: 'codex', lastTurnAt: at(1), backfill: true },
      { client: 'codex', lastTurnAt: null },
    ]);
    expect(newestTurn(fleet, 'codex')).toBeNull();
  });

  it('returns undefined until the live feed has sent all sessions', () => {
    const row = { client: 'codex', lastTurnAt: at(1), host: 'ci-7' };
    expect(newestTurn(null, 'codex')).toBeUndefined();
    expect(newestTurn(fleetOf([row], { epoch: null }), 'codex')).toBeUndefined();
    expect(newestTurn(fleetOf([row], { total: 3_000 }), 'claude-code')).toBeUndefined();
  });
});

describe('nextLight', () => {
  const first = { at: at(1), from: 'ci-7' };
  const second = { at: at(2), from: 'ci-7' };

  it('keeps the first turn that arrives while the page waits', () => {
    const waiting = nextLight(undefined, null);
    expect(waiting).toEqual({ turn: null, isFirst: true });
    const lit = nextLight(waiting, first);
    expect(lit).toEqual({ turn: first, isFirst: true });
    expect(nextLight(lit, second)).toBe(lit);
  });

  it('follows the newest turn of an agent that reported before', () => {
    const lit = nextLight(undefined, first);
    expect(lit).toEqual({ turn: first, isFirst: false });
    expect(nextLight(lit, second)).toEqual({ turn: second, isFirst: false });
  });

  it('keeps its state if the newest turn is unknown or unchanged', () => {
    const lit: Light = { turn: first, isFirst: false };
    expect(nextLight(lit, undefined)).toBe(lit);
    expect(nextLight(lit, { ...first })).toBe(lit);
  });
});
