/**
 * Counts the turns of a simulated agent until its context reaches the restart line: `node context-usage.mjs`.
 * The session's page shows a line that rises in four steps to 91 %, past the restart line at 90 %. The line does not
 * include the millions of cache reads.
 */
import { ContextPressureError, readUsage, UsageProcessor } from 'barograph/usage';
import { finish, startSession } from './connect.mjs';

const key = `example-${Date.now()}`;
const session = startSession('context-usage', key, {
  title: 'Counting the turns of one context',
  client: 'example',
  limit: 200_000,
});
const processor = new UsageProcessor({ limit: 200_000, sessionId: key, session });

/** Usage as the Claude Agent SDK reports it after each turn. */
const results = [
  { input_tokens: 487, output_tokens: 5_880, cache_read_input_tokens: 1_432_262 },
  { input_tokens: 60_000, output_tokens: 12_000, cache_read_input_tokens: 800_000 },
  { input_tokens: 40_000, output_tokens: 20_000, cache_read_input_tokens: 900_000 },
  { input_tokens: 30_000, output_tokens: 14_500, cache_read_input_tokens: 1_100_000 },
];
for (const [index, usage] of results.entries()) {
  try {
    const { pressure, limit, state } = processor.process({ type: 'result', usage });
    const spent = `input=${usage.input_tokens} output=${usage.output_tokens} cache_read=${usage.cache_read_input_tokens}`;
    console.log(`turn ${index + 1}: ${spent} … ${(pressure * 100).toFixed(1)} % of ${limit} (${state})`);
  } catch (error) {
    if (!(error instanceof ContextPressureError)) throw error;
    console.log(`turn ${index + 1}: ${error.message}`);
  }
}

const details = { cached_tokens: 1_000 };
const usage = { prompt_tokens: 1_200, completion_tokens: 300, prompt_tokens_details: details };
console.log('A call of OpenAI in the same fields:', readUsage({ usage }));
console.log(`A turn without usage: ${new UsageProcessor().process({ usage: null }).state} instead of 0 %`);

await finish();
