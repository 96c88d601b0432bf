import { WebSocket } from 'ws';
import { sessionId } from '../../../core/identity/session-id';
import { applyFleetFrame, type FleetView } from '../../../core/live/apply-fleet-frame';
import { createLiveConnection } from '../../../core/live/live-connection';
import type { LiveFrame } from '../../../core/live/protocol';

/** For tests: the connection and reducers of pages over a real socket. Stop its `connection` at the end. */
export function openTestBrowser(url: string) {
  const frames: LiveFrame[] = [];
  const sockets: WebSocket[] = [];
  const checks = new Set<() => void>();
  let fleet: FleetView | null = null;
  const check = () => {
    for (const task of [...checks]) task();
  };
  const connection = createLiveConnection({
    open() {
      const socket = new WebSocket(url, { origin: url.replace(/^ws(.*)\/v1.*$/, 'http$1') });
      sockets.push(socket);
      socket.on('error', () => undefined);
      return socket as unknown as globalThis.WebSocket;
    },
    onStatus: check,
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
