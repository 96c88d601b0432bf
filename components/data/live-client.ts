/** The page's one live connection and its last view of the fleet, shown again until a fresh snapshot arrives. */
import { applyFleetFrame, type FleetView } from '@/core/live/apply-fleet-frame';
import type { SessionFrame } from '@/core/live/apply-session-frame';
import type { EventsFrame } from '@/core/live/event-stream';
import { createLiveConnection, type LiveConnection, type LiveStatus } from '@/core/live/live-connection';
import type { LiveFrame, LiveTopic } from '@/core/live/protocol';
import { createListeners } from './listeners';

export type LiveClient = ReturnType<typeof createLiveClient>;

const CONNECTING: LiveStatus = { status: 'connecting' };

/** Connects with the first subscription. Each `watch…` subscribes until the returned function is called. */
export function createLiveClient(openSocket: () => WebSocket) {
  const status = createListeners();
  const fleets = createListeners();
  const turns = createListeners();
  const sessions = createListeners<[SessionFrame]>();
  const events = createListeners<[EventsFrame]>();
  let connection: LiveConnection | null = null;
  let fleet: FleetView | null = null;
  let lastTurnAt: number | null | undefined;

  function ensure(): LiveConnection {
    connection ??= createLiveConnection({ open: openSocket, onStatus: status.notify, onFrame });
    return connection;
  }

  function onFrame(frame: LiveFrame): void {
    switch (frame.type) {
      case 'fleet_snapshot':
      case 'fleet_delta':
        fleet = applyFleetFrame(fleet, frame);
        fleets.notify();
        break;
      case 'newest_turn':
        lastTurnAt = frame.at === null ? null : Date.parse(frame.at);
        turns.notify();
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

  function watch(topic: LiveTopic, remove: () => void): () => void {
    const leave = ensure().subscribe(topic);
    return () => {
      remove();
      leave();
    };
  }

  return {
    open: () => void ensure(),
    nudge: () => connection?.nudge(),
    status: (): LiveStatus => connection?.status ?? CONNECTING,
    onStatus: status.add,
    fleet: () => fleet,
    /** Takes rows that the server rendered, unless it holds newer ones. */
    seedFleet(view: FleetView) {
      if (fleet !== null && fleet.at >= view.at) return;
      fleet = view;
      fleets.notify();
    },
    watchFleet: (listener: () => void) => watch({ topic: 'fleet' }, fleets.add(listener)),
    watchTurns: (listener: () => void) => watch({ topic: 'turns' }, turns.add(listener)),
    watchSession(id: string, listener: (frame: SessionFrame) => void) {
      const remove = sessions.add((frame) => {
        if (frame.id === id) listener(frame);
      });
      return watch({ topic: 'session', id }, remove);
    },
    watchEvents: (listener: (frame: EventsFrame) => void) => watch({ topic: 'events' }, events.add(listener)),
    /** Time of the newest turn of any session, milliseconds; null: none has one. undefined: not known yet. */
    lastTurnAt: () => lastTurnAt,
  };
}
