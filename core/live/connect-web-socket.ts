import type { LiveSocket, SocketHandlers } from './live-connection';

/**
 * `connect` for createLiveConnection over the standard WebSocket class.
 * @param isFinal whether to call no handler after a close with this code, so that nothing reconnects
 */
export function connectWebSocket(
  Socket: new (url: string) => WebSocket,
  isFinal: (code: number) => boolean = () => false,
): (url: string, handlers: SocketHandlers) => LiveSocket {
  return (url, handlers) => {
    const socket = new Socket(url);
    socket.onopen = () => handlers.onOpen();
    socket.onmessage = (event) => handlers.onMessage(typeof event.data === 'string' ? event.data : '');
    // A close event follows every error.
    socket.onclose = ({ code }) => {
      if (!isFinal(code)) handlers.onClose();
    };
    return {
      send: (text) => {
        if (socket.readyState === socket.OPEN) socket.send(text);
      },
      close: () => socket.close(),
    };
  };
}
