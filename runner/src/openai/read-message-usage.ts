import { readIterations } from '../../../core/agents/claude-code/message-usage';
import { asCount, type Fields } from '../../../core/agents/fields';
import { type CallReading, readCallUsage } from './read-usage';

const COUNTS = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
] as const;

/**
 * Read the usage of a message. With server-side tools or compactions, `iterations` has the usage of each step. The last
 * sampling gives the context's size. The message's own counts exclude compactions, so their counts are added, and
 * advisors, which are calls of another model.
 *
 * @param isPlaceholder whether the output count is from the stream's first event, which does not count the answer.
 */
export function readMessageUsage(usage: Fields, isPlaceholder = false): CallReading | null {
  const { messages, compactions, advisors } = readIterations(usage);
  const spent = { ...usage };
  for (const step of compactions) {
    for (const name of COUNTS) spent[name] = (asCount(spent[name]) ?? 0) + (asCount(step[name]) ?? 0);
  }
  const counts = readCallUsage(spent, 'anthropic');
  if (counts === null) return null;
  const size = readCallUsage(messages.at(-1) ?? usage, 'anthropic')?.contextTokens ?? null;
  const stated = { ...counts, advisors, contextTokens: size };
  if (size === null || !isPlaceholder) return stated;
  return { ...stated, contextTokens: size - (asCount(usage.output_tokens) ?? 0), basis: 'input' };
}
