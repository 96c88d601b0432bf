/** Counts the calls of a run's main chain, and reports those of its sub-agents, each in a chain of its own. */
import { ContextPressureError } from '../usage/context-usage';
import { UsageCountError } from '../usage/usage-count-error';
import { UsageProcessor } from '../usage/usage-processor';
import type { AgentCall } from './restart-types';
import type { Run } from './run';

/** The highest restart line, because only the main chain has a restart line. */
const NEVER = 2;

/** @param calls `isTurn`: the result of an agent's turn. @returns the error of the main chain if its pressure reached the line; else null. */
export function countCalls<Message>(
  run: Pick<Run<Message>, 'options' | 'processor' | 'chains' | 'logger' | 'name'>,
  calls: readonly (AgentCall & { isTurn?: boolean })[],
): ContextPressureError | null {
  let pressure: ContextPressureError | null = null;
  for (const { usage, chain, isTurn, ...facts } of calls) {
    const processor = chain === undefined ? run.processor : chainOf(run, chain);
    try {
      // Wrapped as a message, because a bare empty usage would count as missing.
      processor.process(isTurn ? { type: 'turn.completed', usage } : { usage }, facts);
    } catch (error) {
      if (error instanceof ContextPressureError) pressure = error;
      // An invalid count must not end the agent's work. No sum includes this turn.
      else if (!(error instanceof UsageCountError)) throw error;
      else {
        const { sessionId } = processor;
        run.logger.warn(`${run.name}: a turn could not be counted: ${error.message}`, { sessionId });
      }
    }
  }
  return pressure;
}

function chainOf<Message>(
  { options, chains, logger }: Pick<Run<Message>, 'options' | 'chains' | 'logger'>,
  chain: string,
): UsageProcessor {
  const known = chains.get(chain);
  if (known !== undefined) return known;
  const { session, vendor } = options;
  const processor = new UsageProcessor({
    vendor,
    lens: 'snapshot',
    restartLine: NEVER,
    logger,
    session: session && {
      turn: (turn) => session.turn({ ...turn, chain }),
      gap: (gap) => session.gap?.({ ...gap, chain }),
    },
  });
  chains.set(chain, processor);
  return processor;
}
