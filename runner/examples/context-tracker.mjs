/**
 * Tracks the context of a simulated agent message by message, with automatic compression: `node context-tracker.mjs`.
 * The session's page shows a line of estimates that rises to 75 %, falls to 50 % at a mark for the compression, and
 * rises again to 77 %.
 */
import { ContextTracker } from 'barograph/tracker';
import { bar, finish, startSession } from './connect.mjs';

const limit = 10_000;

const session = startSession('context-tracker', `context-tracker-${Date.now()}`, {
  title: 'A context, message by message',
  client: 'example',
  lens: 'snapshot',
  limit,
});

const tracker = new ContextTracker({ limit, autoCompress: true, session });
tracker.subscribe((event) => console.log(`        ${JSON.stringify(event)}`));

tracker.addMessage({ role: 'system', content: 'You repair ledgers. '.repeat(40) });
for (let turn = 1; turn <= 12; turn += 1) {
  const call = `toolu_${turn}`;
  const messages = [
    { role: 'user', content: `Now account ${turn}. `.repeat(15) },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: call, name: 'Read', input: { file: `${turn}.csv` } }],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: call, content: '12;debit;ledger\n'.repeat(150) }],
    },
    { role: 'assistant', content: 'The sums of this account agree with the journal. '.repeat(20) },
  ];
  for (const message of messages) tracker.addMessage(message);

  const { pressure, state, tokensUntilWarning } = tracker.currentUsage();
  const left = `${tokensUntilWarning} tokens until warning`;
  console.log(`turn ${turn} ${bar(pressure)}  ${state.padEnd(9)}  ${left}`);
  tracker.reportTurn({ call: `msg_${turn}`, usage: { inputTokens: 660, outputTokens: 250 } });
}

for (const { role, messages, tokens } of tracker.composition().roles) {
  console.log(`${role}: ${messages} messages, ${tokens} tokens`);
}
for (const { description, tokensSaved } of tracker.compressionSuggestions()) {
  console.log(`advice: ${description}, saves ${tokensSaved} tokens`);
}
await finish();
