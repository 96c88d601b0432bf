/** The commands of operators to a run. They wait for the next safe point: after a message of the agent. */

import type { RunnerCommand } from '../client/client-types';
import { createReport } from '../guard';
import type { Logger } from '../logger';
import type { RestartSession } from './restart-types';

export interface CommandInbox {
  /** The oldest waiting command that has not expired. */
  next(): RunnerCommand | undefined;
  settle(command: RunnerCommand, state: 'done' | 'refused', reason?: string): void;
  /** Refuses the commands that still wait, and takes no more. */
  close(): void;
}

export function openCommandInbox(
  session: RestartSession | undefined,
  logger: Logger,
  now: () => number = Date.now,
): CommandInbox {
  const waiting: RunnerCommand[] = [];
  const send = createReport(session, logger, 'The restart loop could not report to the server');
  let stop: (() => void) | undefined;
  send((from) => {
    stop = from.onCommand?.((command) => void waiting.push(command));
  });
  const settle: CommandInbox['settle'] = ({ id, action }, state, reason) =>
    send((to) => to.command?.({ command: id, action, state, ...(reason !== undefined && { reason }) }));
  return {
    settle,
    next() {
      let command = waiting.shift();
      while (command !== undefined && command.expiresAt <= now()) command = waiting.shift();
      return command;
    },
    close() {
      send(() => stop?.());
      for (const command of waiting.splice(0)) settle(command, 'refused', 'the run ended first');
    },
  };
}
