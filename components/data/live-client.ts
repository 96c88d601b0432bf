/**
 * The page's one live connection, shared by all panels. The client keeps the last view of the fleet in memory until the
 * page is closed. A viewer who returns to the fleet sees that view until the next snapshot arrives.
 */
import { applyFleetFrame, type FleetView } from '@/core/live/apply-fleet-frame';
import type { SessionFrame } from '@/core/live/apply-session-frame';
import type { LiveStatus } from '@/core/live/connection-state';
import type { EventsFrame } from '@/core/live/event-stream';
import {
  createLiveConnection,
  type LiveConnection,
  type LiveConnectionOptions,
} from '@/core/live/live-connection';
import type { LiveFrame } from '@/core/live/protocol';

import { createListeners } from './listeners';

export type AlertsFrame = Extract<LiveFrame, { type: 'alerts' }>;

export type LiveEnvironment = Omit<LiveConnectionOptions, 'url' | 'onState' | 'onFrame'> & {
  /** Returns the address of the feed; called when the first subscriber arrives. */
  url(): string;
};
export type LiveClient = ReturnType<typeof createLiveClient>;

const CONNECTING: LiveStatus = { status: 'connecting' };

/** Each `watch…` subscribes to a topic until the returned function is called. */
export function createLiveClient(environment: LiveEnvironment) {
  const status = createListeners();
  const fleets = createListeners();
  const turns = createListeners();
  const sessions = createListeners<[SessionFrame]>();
  const events = createListeners<[EventsFrame]>();
  const alertLists = createListeners();
  let alerts: AlertsFrame | null = null;
  let connection: LiveConnection | null = null;
  let fleet: FleetView | null = null;
  let lastTurnAt: number | null | undefined;
  /** Subscribers to the fleet or to turns. The newest turn is known only while there is a subscriber. */
  let turnWatchers = 0;

  function ensure(): LiveConnection {
    connection ??= createLiveConnection({
      ...environment,
      url: environment.url(),
      onState: status.notify,
      onFrame,
    });
    return connection;
  }

  function onFrame(frame: LiveFrame): void {
    switch (frame.type) {
      case 'fleet_snapshot':
      case 'fleet_delta':
        fleet = applyFleetFrame(fleet, frame);
        noteTurns(frame.type === 'fleet_delta' ? frame.changed : frame.sessions);
        fleets.notify();
        turns.notify();
        break;
      case 'newest_turn':
        noteTurns([{ lastTurnAt: frame.at }]);
        turns.notify();
        break;
      case 'alerts':
        alerts = frame;
        alertLists.notify();
        break;
      case 'session_snapshot':
      case 'session_delta':
      case 'not_found':
        sessions.notify(frame);
        break;
      case 'events_snapshot':
      case 'events_delta':
        events.notify(frame);
    }
  }

  function noteTurns(sessions: Iterable<{ lastTurnAt: string | null }>): void {
    lastTurnAt ??= null;
    for (const { lastTurnAt: at } of sessions) {
      const time = at === null ? 0 : Date.parse(at);
      if (time > (lastTurnAt ?? 0)) lastTurnAt = time;
    }
  }

  /** Subscribe to a topic and count a watcher of turns until the returned function is called. */
  function watch(topic: 'fleet' | 'turns', remove: () => void): () => void {
    const leave = ensure().subscribe({ topic });
    turnWatchers += 1;
    if (topic === 'fleet') turns.notify();
    return () => {
      remove();
      leave();
      turnWatchers -= 1;
      if (topic === 'fleet') turns.notify();
    };
  }

  return {
    open: () => void ensure(),
    nudge: () => connection?.nudge(),
    status: (): LiveStatus => connection?.status ?? CONNECTING,
    onStatus: status.add,
    fleet: () => fleet,
    /** Accepts rows that the server rendered, unless the client already has newer rows. */
    seedFleet(view: FleetView) {
      if (fleet !== null && fleet.at >= view.at) return;
      fleet = view;
      // The newest turn may be in a session that the page does not have yet.
      if (view.sessions.size >= view.total) noteTurns(view.sessions.values());
      fleets.notify();
      turns.notify();
    },
    watchFleet: (listener: () => void) => watch('fleet', fleets.add(listener)),
    watchTurns: (listener: () => void) => watch('turns', turns.add(listener)),
    /** The listener gets the frames in order. */
    watchSession(id: string, listener: (frame: SessionFrame) => void) {
      const remove = sessions.add((frame) => {
        if (frame.id === id) listener(frame);
      });
      const leave = ensure().subscribe({ topic: 'session', id });
      return () => {
        remove();
        leave();
      };
    },
    /** The listener gets a snapshot first, then the frames in order. */
    watchEvents(listener: (frame: EventsFrame) => void) {
      const remove = events.add(listener);
      const leave = ensure().subscribe({ topic: 'events' });
      return () => {
        remove();
        leave();
      };
    },
    /** Open alerts; null: not known yet. */
    alerts: () => alerts,
    watchAlerts(listener: () => void) {
      const remove = alertLists.add(listener);
      const leave = ensure().subscribe({ topic: 'alerts' });
      return () => {
        remove();
        leave();
      };
    },
    /**
     * Time of the newest turn of any session, milliseconds; null: no turns; undefined: not known yet, or no subscriber
     * of turns or the fleet.
     */
    lastTurnAt: () => (turnWatchers > 0 ? lastTurnAt : undefined),
  };
}
