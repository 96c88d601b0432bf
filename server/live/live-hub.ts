/**
 * The feeds of the fleet, of events and of turns, and one feed per watched session.
 *
 * The transaction that changes a session notifies every server process. Such a hint only triggers the feeds, which then
 * read the database. Hints may be lost: a sweep finds the changes, every few seconds and after each reconnect.
 */
import type postgres from 'postgres';
import * as z from 'zod';
import { compactingUntil } from '../../core/accounting/compacting';
import type { Session } from '../../core/api/session';
import { idleAt } from '../../core/identity/liveness';
import { fleetRow } from '../../core/live/apply-fleet-frame';
import { ALERTS_CHANNEL, SESSIONS_CHANNEL } from '../../db/hints';
import { countDeadLetters } from '../../db/queries/alerts/dead-letters';
import { listAlerts } from '../../db/queries/alerts/list-alerts';
import type { Clock } from '../../db/queries/clock';
import { listEvents } from '../../db/queries/events';
import { fleetCounts, listChangedSessions, newestTurnAt } from '../../db/queries/live-fleet';
import {
  type LiveSession,
  loadLiveSessions,
  loadRecentSessions,
  mapInSlices,
} from '../../db/queries/load-session';
import { loadSessionState } from '../../db/queries/load-session-state';
import { createTurns } from '../http/places';
import { createEventsFeed } from './events-feed';
import { createFeed } from './feed';
import { createFleetFeed, type FleetFeedOptions } from './fleet-feed';
import type { FleetRow } from './fleet-reader';
import type { FrameSender } from './frame-sender';
import { createSessionFeed, OVERLAP_TURNS, type SessionFeed } from './session-feed';
import { createPace } from './throttle';

export interface LiveOptions extends Omit<FleetFeedOptions, 'source' | 'onError' | 'pauseMs'> {
  /** Maximum time between two frames of a session or the fleet under load, and time between two frames of events. */
  tickMs: number;
  sweepMs: number;
  /** Time between two pings of a socket. Each ping also checks the token again. */
  pingIntervalMs: number;
  /** Unread bytes at which a browser counts as slow. */
  maxBufferedBytes: number;
}

interface LiveHubOptions extends Omit<FleetFeedOptions, 'source' | 'pauseMs'>, Pick<LiveOptions, 'sweepMs'> {
  sql: postgres.Sql;
  idleAfterMs: number;
}

/** Maximum number of new turns sent as points. Beyond it the browser fetches the series. */
const MAX_NEW_TURNS = 300;
/** Pages show the age of the newest turn in seconds, so an update every eighth tick is enough. */
const TURNS_TICKS = 8;
/** Sessions that are read at the same time, so that many subscriptions leave connections to ingest. */
const READS_AT_ONCE = 2;
/** Number of newest events of a session that are compared with the previous read. */
const MAX_TAIL_EVENTS = 64;

/** Public id and version of each changed session. */
const hints = z.array(z.tuple([z.string(), z.int()]));

export type LiveHub = Awaited<ReturnType<typeof createLiveHub>>;

export async function createLiveHub(options: LiveHubOptions) {
  const { sql, now, onError, tickMs, sweepMs } = options;
  const clock = (): Clock => ({ nowMs: now(), idleAfterMs: options.idleAfterMs });
  const sessions = new Map<string, SessionFeed>();
  const sessionReads = createTurns(READS_AT_ONCE);

  const pace = createPace(tickMs);
  const every = (intervalMs: number) => (tookMs: number) => intervalMs - tookMs;

  const fleet = createFleetFeed({
    ...options,
    pauseMs: pace,
    source: {
      loadFleet: async () => {
        const time = clock();
        const loaded = await loadRecentSessions(sql, options.maxSessions, time);
        return (await mapInSlices(loaded, (live) => toRow(live, time))).reverse();
      },
      loadRows: async (ids) => {
        const time = clock();
        return mapInSlices(await loadLiveSessions(sql, ids, time), (live) => toRow(live, time));
      },
      loadCounts: () => fleetCounts(sql, now()),
      loadChanged: (since) => listChangedSessions(sql, since),
    },
  });

  const events = createEventsFeed(async (limit) => (await listEvents(sql, { limit })).events, {
    onError,
    pauseMs: every(tickMs),
  });

  let newestTurn: string | null | undefined;
  const turnsBody = () => `"type":"newest_turn","at":${JSON.stringify(newestTurn)}`;
  const turns = createFeed({
    async read() {
      const at = await newestTurnAt(sql);
      if (at === newestTurn) return null;
      newestTurn = at;
      return turnsBody();
    },
    snapshot: turnsBody,
    onError,
    pauseMs: every(tickMs * TURNS_TICKS),
  });

  let alertsBody = '"type":"alerts","alerts":[],"total":0,"deadLetters":0';
  const alerts = createFeed({
    async read() {
      const [{ alerts: open, total }, dead] = await Promise.all([
        listAlerts(sql, { phase: 'open' }),
        countDeadLetters(sql),
      ]);
      const body = `"type":"alerts","alerts":${JSON.stringify(open)},"total":${total},"deadLetters":${dead}`;
      if (body === alertsBody) return null;
      alertsBody = body;
      return body;
    },
    snapshot: () => alertsBody,
    onError,
    pauseMs: every(tickMs),
  });

  function sweep(): void {
    fleet.sweep();
    events.ask();
    turns.ask();
    alerts.ask();
    for (const feed of sessions.values()) feed.sweep();
  }

  function takeHints(payload: string): void {
    try {
      const changes = hints.parse(JSON.parse(payload));
      fleet.hint(changes);
      for (const [id, version] of changes) sessions.get(id)?.hint(version);
      events.ask();
      turns.ask();
    } catch (error) {
      onError(error);
    }
  }

  // The client restores a lost connection and then calls `sweep`.
  const listening = await sql.listen(SESSIONS_CHANNEL, takeHints, sweep);
  const listeningToAlerts = await sql.listen(ALERTS_CHANNEL, () => alerts.ask());
  const sweeper = setInterval(sweep, sweepMs);
  sweeper.unref();

  return {
    fleet,
    events,
    turns,
    alerts,
    watchSession(id: string, sender: FrameSender): void {
      let feed = sessions.get(id);
      if (!feed) {
        const load = async (from: number | null) => {
          const end = await sessionReads.take('');
          const maxTurns = from === null ? OVERLAP_TURNS : OVERLAP_TURNS + MAX_NEW_TURNS;
          const range = { from, maxTurns, maxEvents: MAX_TAIL_EVENTS };
          // Its readers may have left meanwhile.
          const state = sessions.has(id) ? loadSessionState(sql, id, range, clock()) : Promise.resolve(null);
          return state.finally(end);
        };
        feed = createSessionFeed({ id, load, onError, pauseMs: pace });
        sessions.set(id, feed);
      }
      feed.subscribe(sender);
    },
    leaveSession(id: string, sender: FrameSender): void {
      const feed = sessions.get(id);
      if (!feed || feed.unsubscribe(sender)) return;
      feed.close();
      sessions.delete(id);
    },
    close(): void {
      clearInterval(sweeper);
      // Not awaited, because an unavailable database would delay the shutdown.
      for (const each of [listening, listeningToAlerts]) each.unlisten().catch(() => undefined);
      fleet.close();
      events.close();
      turns.close();
      alerts.close();
      for (const feed of sessions.values()) feed.close();
      sessions.clear();
    },
  };
}

/** Time at which the row changes without an item: the session turns idle, or its compaction times out. */
function staleAt({ compacting }: Session, idle: number | null): number | null {
  return compacting === null ? idle : Math.min(compactingUntil(compacting), idle ?? Number.POSITIVE_INFINITY);
}

function toRow({ session, facts }: LiveSession, { nowMs, idleAfterMs }: Clock): FleetRow {
  return {
    id: session.id,
    version: session.version,
    json: JSON.stringify(fleetRow(session)),
    staleAt: staleAt(session, idleAt(facts, nowMs, idleAfterMs)),
  };
}
