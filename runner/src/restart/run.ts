import type { Logger } from '../logger';
import type { UsageProcessor } from '../usage/usage-processor';
import type { CommandInbox } from './command-inbox';
import type { OpenCalls } from './open-calls';
import type { AgentCall, RestartOptions, RestartResult, RestartSession } from './restart-types';
import type { RunFile } from './run-state';

/** State shared by the contexts of a run. */
export interface Run<Message> {
  options: RestartOptions<Message>;
  processor: UsageProcessor;
  result: RestartResult<Message>;
  /** Sends to the server, if there is one. Never throws. */
  send(report: (session: RestartSession) => unknown): void;
  /** Counts a call that no message of the agent states. */
  report(call: AgentCall): void;
  /** Notes a call that is about to be sent. @returns a function that notes its answer. */
  openCall: OpenCalls['open'];
  /** Reports the calls that have no answer, and that nothing waits for any more. */
  reportLost(): void;
  commands: CommandInbox;
  file: RunFile;
  /** Asks a session that goes on for a checkpoint, and keeps it. @returns whether there is one */
  checkpoint(sessionId: string, continuation: number): Promise<boolean>;
  /** Processors of the sub-agents' chains. */
  chains: Map<string, UsageProcessor>;
  logger: Logger;
  name: string;
  /** The owner's signal, or one that never aborts. */
  signal: AbortSignal;
  /** Assumptions that the run has warned about. */
  warned: Set<string>;
}
