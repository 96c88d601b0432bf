import { clientNamed } from '@/core/agents/clients';
import type { Session } from '@/core/api/session';
import type { FleetView } from '@/core/live/apply-fleet-frame';

export interface ReceivedTurn {
  at: string;
  /** Host of the session, or the runner's name if the session states no host. */
  from: string;
}

/** `isFirst`: whether the agent had no turn when the page was opened. */
export interface Light {
  turn: ReceivedTurn | null;
  isFirst: boolean;
}

/**
 * The newest turn of an agent, without imported sessions. Null: the agent has no turn. Undefined: not known yet, because
 * the live feed has not sent all sessions.
 */
export function newestTurn(fleet: FleetView | null, agent: string): ReceivedTurn | null | undefined {
  if (fleet === null || fleet.epoch === null) return undefined;
  let newest: Session | null = null;
  for (const session of fleet.sessions.values()) {
    const { backfill, client, lastTurnAt } = session;
    if (backfill || lastTurnAt === null || lastTurnAt <= (newest?.lastTurnAt ?? '')) continue;
    if (clientNamed(client)?.name === agent) newest = session;
  }
  if (newest?.lastTurnAt) return { at: newest.lastTurnAt, from: newest.host ?? newest.runner };
  return fleet.sessions.size < fleet.total ? undefined : null;
}

/** The next state of a light. It keeps showing the first turn, so that the age of this turn counts up. */
export function nextLight(
  light: Light | undefined,
  newest: ReturnType<typeof newestTurn>,
): Light | undefined {
  if (newest === undefined || (light?.isFirst && light.turn !== null)) return light;
  const isFirst = newest === null || light?.isFirst === true;
  const isSame =
    light?.isFirst === isFirst && light.turn?.at === newest?.at && light.turn?.from === newest?.from;
  return isSame ? light : { turn: newest, isFirst };
}
