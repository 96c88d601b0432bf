import { callsOfAdvisors, readIterations } from '../../../core/agents/claude-code/message-usage';
import { asFields } from '../../../core/agents/fields';
import type { CallLedger } from './call-ledger';
import { findUsage } from './find-usage';
import { statedOf } from './read-field';
import { roleOf } from './read-origin';
import { countsOf, readCounts, type TurnUsage } from './read-usage';
import type { ReportedTurn } from './usage-session';

/**
 * The calls that other models made for a message of Anthropic, each once. They have no part of the message's context.
 * @param call id of the message.
 */
export function advisorTurns(message: unknown, call: string | undefined, ledger: CallLedger): ReportedTurn[] {
  const usage = asFields(findUsage(message) ?? message);
  // The result of a turn repeats the calls of its messages.
  if (usage === null || roleOf(message) === 'turn') return [];
  const calls = callsOfAdvisors(call ?? null, readIterations(usage).advisors);
  return calls.flatMap((advisor): ReportedTurn[] => {
    const counts = readCounts(advisor.usage, 'barograph');
    const usage: TurnUsage = { ...counts, vendor: 'barograph' };
    const taken = ledger.take({ call: advisor.call ?? undefined, usage, role: null });
    if (taken === null) return [];
    return [
      { ...statedOf({ call: taken.call, model: advisor.model }), scope: 'side', usage: countsOf(counts) },
    ];
  });
}
