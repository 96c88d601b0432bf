/**
 * The page's one live connection, shared by all panels.
 *
 * It owns the connection, the fleet's last view and the viewer's clock. It opens at the first look and then
 * stays for the life of the page; leaving a topic keeps its last view, so coming back shows the old picture
 * until the fresh snapshot is there. It trades memory for that: one fleet, never more.
 */
import { applyFleetFrame, type FleetView } from '@/core/live/apply-fleet-frame';
import type { SessionFrame } from '@/core/live/apply-session-frame';
import type { LiveStatus } from '@/core/live/connection-state';
import type { EventsFrame } from '@/core/live/event-stream';
import {
  createLiveConnection,
  type LiveConnection,
  type LiveSocket,
  type SocketHandlers,
} from '@/core/live/live-connection';
import type { LiveFrame } from '@/core/live/protocol';
import { createListeners } from './listeners';

export interface LiveEnvironment {
  /** Address of the feed; asked for at the first look. */
  url(): string;
  connect(url: string, handlers: SocketHandlers): LiveSocket;
  now(): number;
  random(): number;
  schedule(task: () => void, delayMs: number): () => void;
}

export interface LiveClient {
  open(): void;
  nudge(): void;
  status(): LiveStatus;
  onStatus(listener: () => void): () => void;
  fleet(): FleetView | null;
  /** Offers rows that the server rendered; taken when nothing newer is held. */
  seedFleet(view: FleetView): void;
  /** Looks at the fleet until the returned function is called. */
  watchFleet(listener: () => void): () => void;
  /** Looks at one session; the listener gets its frames in order. */
  watchSession(id: string, listener: (frame: SessionFrame) => void): () => void;
  /** Looks at the events of all sessions; the listener gets their frames in order, a snapshot first. */
  watchEvents(listener: (frame: EventsFrame) => void): () => void;
  /** Looks at when the newest turn of any session came, until the returned function is called. */
  watchTurns(listener: () => void): () => void;
  /**
   * Time of the newest turn of any session, milliseconds; null: none has one. undefined: not known yet, or no subscriber
   * at turns or the fleet: who looks at one session hears of no other's turns.
   */
  lastTurnAt(): number | null | undefined;
}

const CONNECTING: LiveStatus = { status: 'connecting' };

export function createLiveClient(environment: LiveEnvironment): LiveClient {
  const statusListeners = createListeners();
  const fleetListeners = createListeners();
  const turnListeners = createListeners();
  const sessionListeners = new Map<string, Set<(frame: SessionFrame) => void>>();
  const eventListeners = new Set<(frame: EventsFrame) => void>();
  let connection: LiveConnection | null = null;
  let fleet: FleetView | null = null;
  let lastTurnAt: number | null | undefined;
  /** Subscribers to the fleet or to turns: while there is one, the newest turn is known. */
  let turnWatchers = 0;

  function ensure(): LiveConnection {
    connection ??= createLiveConnection({
      ...environment,
      url: environment.url(),
      onState: statusListeners.notify,
      onFrame,
    });
    return connection;
  }

  function onFrame(frame: LiveFrame): void {
    switch (frame.type) {
      case 'fleet_snapshot':
      case 'fleet_delta': {
        fleet = applyFleetFrame(fleet, frame);
        for (const session of frame.type === 'fleet_delta' ? frame.changed : frame.sessions) {
          noteTurn(session.lastTurnAt);
        }
        lastTurnAt ??= null;
        fleetListeners.notify();
        break;
      }
      case 'newest_turn':
        if (frame.at !== null) noteTurn(frame.at);
        lastTurnAt ??= null;
        break;
      case 'session_snapshot':
      case 'session_delta':
      case 'not_found':
        for (const listener of sessionListeners.get(frame.id) ?? []) listener(frame);
        return;
      case 'events_snapshot':
      case 'events_delta':
        for (const listener of [...eventListeners]) listener(frame);
        return;
      case 'pong':
        return;
    }
    turnListeners.notify();
  }

  function noteTurn(at: string | null): void {
    if (at === null) return;
    const time = Date.parse(at);
    if (lastTurnAt == null || time > lastTurnAt) lastTurnAt = time;
  }

  return {
    open: () => void ensure(),
    nudge: () => connection?.nudge(),
    status: () => connection?.status ?? CONNECTING,
    onStatus: statusListeners.add,
    fleet: () => fleet,
    seedFleet(view) {
      if (fleet !== null && fleet.at >= view.at) return;
      fleet = view;
      for (const session of view.sessions.values()) noteTurn(session.lastTurnAt);
      lastTurnAt ??= null;
      fleetListeners.notify();
      turnListeners.notify();
    },
    watchFleet(listener) {
      const remove = fleetListeners.add(listener);
      const leave = ensure().subscribe({ topic: 'fleet' });
      turnWatchers += 1;
      turnListeners.notify();
      return () => {
        remove();
        leave();
        turnWatchers -= 1;
        turnListeners.notify();
      };
    },
    watchTurns(listener) {
      const remove = turnListeners.add(listener);
      const leave = ensure().subscribe({ topic: 'turns' });
      turnWatchers += 1;
      return () => {
        remove();
        leave();
        turnWatchers -= 1;
      };
    },
    watchSession(id, listener) {
      const listeners = sessionListeners.get(id) ?? new Set();
      sessionListeners.set(id, listeners);
      listeners.add(listener);
      const leave = ensure().subscribe({ topic: 'session', id });
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) sessionListeners.delete(id);
        leave();
      };
    },
    watchEvents(listener) {
      // Wrapped, so that one function may listen twice and leave once.
      const entry = (frame: EventsFrame) => listener(frame);
      eventListeners.add(entry);
      const leave = ensure().subscribe({ topic: 'events' });
      return () => {
        eventListeners.delete(entry);
        leave();
      };
    },
    lastTurnAt: () => (turnWatchers > 0 ? lastTurnAt : undefined),
  };
}
