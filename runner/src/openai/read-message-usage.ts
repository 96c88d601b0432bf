import { asCount, asFields, asList, type Fields } from '../../../core/agents/fields';
import { type CallReading, readCallUsage } from './read-usage';

const COUNTS = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
] as const;

/**
 * Read the usage of a message. With server-side tools or compactions, `iterations` has the usage of each sampling. The
 * last sampling gives the context's size. The message's own counts exclude compactions, so their counts are added.
 *
 * @param isPlaceholder whether the output count is from the stream's first event, which does not count the answer.
 */
export function readMessageUsage(usage: Fields, isPlaceholder = false): CallReading | null {
  const steps = asList(usage.iterations)
    .map(asFields)
    .filter((step) => step !== null);
  const spent = { ...usage };
  let last: Fields = usage;
  for (const step of steps) {
    if (step.type === 'compaction') {
      for (const name of COUNTS) spent[name] = (asCount(spent[name]) ?? 0) + (asCount(step[name]) ?? 0);
    } else if (step.type !== 'advisor_message') last = step;
  }
  const stated = readCallUsage(spent, 'anthropic');
  const size = readCallUsage(last, 'anthropic')?.contextTokens ?? null;
  if (stated === null || size === null || !isPlaceholder) return stated && { ...stated, contextTokens: size };
  return { ...stated, contextTokens: size - (asCount(usage.output_tokens) ?? 0), basis: 'input' };
}
