/** Runners of the measurements, over a WebSocket or by POST. */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import type { Ack, ErrorMessage, ServerMessage } from '../../core/protocol/messages';
import { PROTOCOL_VERSION } from '../../core/protocol/version';

export interface Target {
  /** ws:// address of the ingest. */
  url: string;
  token: string;
}

export interface Runner {
  /** Resolves when another frame may be sent. */
  send(frame: string): Promise<void>;
  settled(): Promise<void>;
  close(): void;
}

const FRAMES_IN_FLIGHT = 4;

const helloOf = (project: string, name: string) => ({
  type: 'hello',
  v: PROTOCOL_VERSION,
  project,
  runner: { name },
  stream: randomUUID(),
  source: 'sdk',
  now: Date.now(),
});

function checkAck(answer: Ack | ErrorMessage, mayRefuse = false): void {
  if (answer.type === 'error') throw new Error(answer.reason);
  if (!mayRefuse && answer.refused.length > 0) throw new Error(`${answer.refused.length} items were refused`);
}

/** Send one body at a time. */
export async function post({ url, token }: Target, project: string, name: string): Promise<Runner> {
  const hello = JSON.stringify(helloOf(project, name));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return {
    async send(frame) {
      const body = `[${hello},${frame.slice(1)}`;
      const answer = await new Promise<string>((resolve, reject) => {
        const options = { agent, method: 'POST', headers };
        const sent = request(url.replace(/^ws/, 'http'), options, (response) =>
          text(response).then(resolve, reject),
        );
        sent.once('error', reject);
        sent.end(body);
      });
      checkAck(JSON.parse(answer));
    },
    settled: async () => undefined,
    close: () => agent.destroy(),
  };
}

interface ConnectOptions {
  localAddress?: string;
  /** Whether the server may refuse items. */
  mayRefuse?: boolean;
}

export function connect(
  { url, token }: Target,
  project: string,
  name: string,
  { mayRefuse = false, ...options }: ConnectOptions = {},
): Promise<Runner> {
  const socket = new WebSocket(url, { ...options, headers: { authorization: `Bearer ${token}` } });
  let unanswered = 0;
  const waiting: (() => void)[] = [];
  const below = async (count: number) => {
    while (unanswered >= count) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const runner: Runner = {
    async send(frame) {
      unanswered += 1;
      socket.send(frame);
      await below(FRAMES_IN_FLIGHT);
    },
    settled: () => below(1),
    close: () => socket.terminate(),
  };
  socket.once('open', () => socket.send(JSON.stringify(helloOf(project, name))));
  return new Promise((resolve) => {
    socket.on('message', (data) => {
      const parsed: ServerMessage | ServerMessage[] = JSON.parse(String(data));
      for (const message of [parsed].flat()) {
        if (message.type === 'error') throw new Error(message.reason);
        if (message.type === 'welcome') resolve(runner);
        if (message.type !== 'ack') continue;
        checkAck(message, mayRefuse);
        unanswered -= 1;
        for (const wake of waiting.splice(0)) wake();
      }
    });
  });
}
