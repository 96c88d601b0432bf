/** For tests: answers of Anthropic's Messages API. */
import type { UsageCounts } from '../../usage/read-usage';

let calls = 0;

export function message(counts: UsageCounts, fields: object = {}) {
  calls += 1;
  return {
    id: `msg_${String(calls).padStart(6, '0')}Qx7Lw2VnB0aKdTzR`,
    type: 'message',
    role: 'assistant',
    model: 'claude-test-1',
    content: [{ type: 'text', text: 'Half full.' }] as object[],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: counts.inputTokens,
      output_tokens: counts.outputTokens,
      cache_read_input_tokens: counts.cacheReadTokens,
      cache_creation_input_tokens: counts.cacheCreationTokens,
    },
    ...fields,
  };
}

/** The events of one streamed message. As in Anthropic's API, the output count of the first event is a placeholder. */
export function messageEvents(counts: UsageCounts): object[] {
  const whole = message(counts);
  const delta = (text: string) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text },
  });
  return [
    {
      type: 'message_start',
      message: { ...whole, content: [], stop_reason: null, usage: { ...whole.usage, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    delta('Half '),
    delta('full.'),
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: counts.outputTokens },
    },
    { type: 'message_stop' },
  ];
}
