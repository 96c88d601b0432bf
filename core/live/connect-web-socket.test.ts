import { expect, it, vi } from 'vitest';
import { connectWebSocket } from './connect-web-socket';

it('reports no close after the last one, so that nothing reconnects', () => {
  const opened: WebSocket[] = [];
  class Socket {
    constructor() {
      opened.push(this as unknown as WebSocket);
    }
  }
  const onClose = vi.fn();
  const connect = connectWebSocket(Socket as unknown as typeof WebSocket, (code) => code === 4401);
  const handlers = { onOpen: () => undefined, onMessage: () => undefined, onClose };
  for (const code of [1006, 4401]) {
    connect('ws://127.0.0.1', handlers);
    opened.at(-1)?.onclose?.({ code } as CloseEvent);
  }
  expect(onClose).toHaveBeenCalledTimes(1);
});
