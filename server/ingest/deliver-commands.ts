/**
 * Sends commands to the connected runners. Owns the open connections of this process. Each server process asks the
 * database itself, so a command reaches its runner through whichever process holds the connection.
 */
import type { Logger } from 'pino';
import type { CommandMessage } from '../../core/protocol/messages';
import type { PendingCommand } from '../../db/queries/commands';

interface CommandDelivery {
  /** @returns a function that ends the delivery */
  open(streamId: number, send: (message: CommandMessage) => void): () => void;
  close(): void;
}

/** An operator waits for the answer, and the query reads only open commands. */
const INTERVAL_MS = 500;

export function startCommandDelivery(
  listPending: (streamIds: readonly number[]) => Promise<PendingCommand[]>,
  log: Logger,
  intervalMs = INTERVAL_MS,
): CommandDelivery {
  const connections = new Set<{ streamId: number; sent: Set<string>; send(message: CommandMessage): void }>();
  let isAsking = false;

  async function deliver(): Promise<void> {
    if (isAsking || connections.size === 0) return;
    isAsking = true;
    try {
      const pending = await listPending([...new Set([...connections].map(({ streamId }) => streamId))]);
      for (const connection of connections) {
        for (const { streamId, ...message } of pending) {
          // A new connection gets open commands again: the runner may have lost them.
          if (streamId !== connection.streamId || connection.sent.has(message.id)) continue;
          connection.sent.add(message.id);
          connection.send(message);
        }
      }
    } catch (error) {
      log.warn({ error }, 'Commands could not be read; they wait.');
    } finally {
      isAsking = false;
    }
  }

  const timer = setInterval(() => void deliver(), intervalMs);
  timer.unref();
  return {
    open(streamId, send) {
      const connection = { streamId, sent: new Set<string>(), send };
      connections.add(connection);
      return () => void connections.delete(connection);
    },
    close: () => clearInterval(timer),
  };
}
