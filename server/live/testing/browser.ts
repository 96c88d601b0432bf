import { WebSocket } from 'ws';
import { sessionId } from '../../../core/identity/session-id';
import { applyFleetFrame, type FleetView } from '../../../core/live/apply-fleet-frame';
import type { LiveStatus } from '../../../core/live/connection-state';
import { createLiveConnection, type LiveConnection } from '../../../core/live/live-connection';
import type { LiveFrame } from '../../../core/live/protocol';

/** For tests: the connection and reducers of pages over a real socket. Stop its `connection` at the end. */
export function openTestBrowser(url: string) {
  const frames: LiveFrame[] = [];
  const states: LiveStatus[] = [];
  const sockets: WebSocket[] = [];
  const checks = new Set<() => void>();
  let fleet: FleetView | null = null;
  const check = () => {
    for (const task of [...checks]) task();
  };
  const connection: LiveConnection = createLiveConnection({
    url,
    connect(target, handlers) {
      const socket = new WebSocket(target, { origin: url.replace(/^ws(.*)\/v1.*$/, 'http$1') });
      sockets.push(socket);
      socket.on('open', handlers.onOpen);
      socket.on('message', (data) => handlers.onMessage(data.toString()));
      socket.on('error', () => undefined);
      socket.on('close', handlers.onClose);
      return { send: (text) => socket.send(text), close: () => socket.close() };
    },
    now: Date.now,
    random: () => 0.5,
    schedule(task, delayMs) {
      const timer = setTimeout(task, delayMs);
      return () => clearTimeout(timer);
    },
    onState(status) {
      states.push(status);
      check();
    },
    onFrame(frame) {
      frames.push(frame);
      if (frame.type === 'fleet_snapshot' || frame.type === 'fleet_delta')
        fleet = applyFleetFrame(fleet, frame);
      check();
    },
  });
  return {
    connection,
    frames,
    states,
    sockets,
    fleet: () => fleet,
    session: (key: string) => fleet?.sessions.get(sessionId('atlas', key)),
    /** Resolve when the condition is met, checked after each frame and each change of state. */
    until(condition: () => boolean): Promise<void> {
      return new Promise((resolve) => {
        const task = () => {
          if (!condition()) return;
          checks.delete(task);
          resolve();
        };
        checks.add(task);
        task();
      });
    },
  };
}
