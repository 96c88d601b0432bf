'use client';
import { useState, useSyncExternalStore } from 'react';
import { useLive } from '../data/live-provider';
import { useLiveStatus } from '../data/use-live-status';
import { Ago } from '../ui/ago';
import { type Light, newestTurn, nextLight } from './agent-light';

/** Shows whether turns of an agent arrive, from the live feed. */
export function AgentStatus({ agent }: { agent: string }) {
  const { client } = useLive();
  const fleet = useSyncExternalStore(client.watchFleet, client.fleet, () => null);
  const [light, setLight] = useState<Light>();
  const next = nextLight(light, newestTurn(fleet, agent));
  if (next !== light) setLight(next);
  const isLive = useLiveStatus().status === 'live';
  const turn = next?.turn ?? null;
  const waiting = isLive && next ? 'Waiting for the first turn' : 'Connecting to the server';
  return (
    <span className="flex items-baseline gap-[7px]">
      <svg width="9" height="9" viewBox="0 0 9 9" aria-hidden="true" className="shrink-0">
        <circle
          cx="4.5"
          cy="4.5"
          r="3.7"
          fill={turn === null ? 'none' : 'var(--ink)'}
          stroke="var(--ink)"
          strokeDasharray={turn === null ? '1.6 1.3' : undefined}
        />
      </svg>
      <span className={turn === null ? '' : 'text-ink'}>
        <span role="status">
          {turn === null ? waiting : next?.isFirst ? 'First turn received' : 'Last turn'}
        </span>
        {turn === null ? null : (
          <>
            {' '}
            <Ago at={turn.at} /> ago from <span className="[overflow-wrap:anywhere]">{turn.from}</span>
          </>
        )}
      </span>
    </span>
  );
}
