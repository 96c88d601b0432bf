/** One exchange with a server over either transport, with the same result type. */
import { WebSocket } from 'ws';
import type { Ack, ErrorMessage, ServerMessage } from '../../../core/protocol/messages';

interface Answer {
  ack: Ack | null;
  error: ErrorMessage | null;
  /** Close code of the WebSocket, or status of the HTTP answer; null while the socket is open. */
  code: number | null;
}

export type Talk = (url: string, body: string | Buffer, headers?: Record<string, string>) => Promise<Answer>;

export const talkOverHttp: Talk = async (url, body, headers = {}) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: body as BodyInit,
  });
  const message = (await response.json()) as Ack | ErrorMessage;
  return {
    ack: message.type === 'ack' ? message : null,
    error: message.type === 'error' ? message : null,
    code: response.status,
  };
};

/** Sends the body as one frame, and resolves with the first ack, or when the server closes. */
export const talkOverWebSocket: Talk = (url, body, headers = {}) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace('http', 'ws'), { headers });
    let error: ErrorMessage | null = null;
    socket.on('error', reject);
    socket.on('open', () => socket.send(body));
    socket.on('close', (code) => resolve({ ack: null, error, code }));
    socket.on('message', (data) => {
      const message = JSON.parse(data.toString()) as ServerMessage;
      if (message.type === 'error') error = message;
      if (message.type !== 'ack') return;
      socket.removeAllListeners('close');
      socket.terminate();
      resolve({ ack: message, error, code: null });
    });
  });
