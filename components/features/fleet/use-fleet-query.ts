'use client';
import { useQueryStates } from 'nuqs';
import { useCallback } from 'react';
import { FLEET_PARSERS, FLEET_URL_KEYS, type FleetQuery } from '../../sessions/fleet-query';

/** The query in the URL, and a way to change it without a request: all rows are here already. */
export function useFleetQuery(): [FleetQuery, (change: Partial<FleetQuery>) => void] {
  const [query, set] = useQueryStates(FLEET_PARSERS, { urlKeys: FLEET_URL_KEYS });
  const change = useCallback(
    ({ states, liveness, ...part }: Partial<FleetQuery>) =>
      void set({
        ...part,
        ...(states && { states: [...states] }),
        ...(liveness && { liveness: [...liveness] }),
      }),
    [set],
  );
  return [query, change];
}
