/**
 * Shows the context of a simulated agent on the `openai` package after each call, until it restarts: `node
 * openai-snapshots.mjs`. It needs the package `openai`, and starts a small server that counts tokens without a model.
 * The session's page shows a rising line in two contexts with a restart between them. The short calls that sort
 * messages are side calls and do not count.
 */
import { createServer } from 'node:http';
import { trackOpenAI } from 'barograph/openai';
import OpenAI from 'openai';
import { bar, connect, finish } from './connect.mjs';

const TURNS = 12;
const RESTART_LINE = 0.9;
const model = 'made-up-1';
const contextMaxTokens = 16_000;

const modelServer = await startModelServer();
const client = connect('openai-snapshots');
const session = client?.session(`openai-snapshots-${Date.now()}`, {
  title: 'An agent on the openai package',
  client: 'example',
  model,
  lens: 'snapshot',
  limit: contextMaxTokens,
  restartLine: RESTART_LINE,
});

const openai = trackOpenAI(
  new OpenAI({ baseURL: modelServer.url, apiKey: 'none', organization: null, project: null }),
  { session, contextMaxTokens },
);
const { snapshot } = openai;

/** @type {import('openai').OpenAI.ChatCompletionMessageParam[]} */
let messages = [{ role: 'system', content: 'You keep the log of a weather station.' }];
let continuation = 0;
for (let turn = 1; turn <= TURNS; turn += 1) {
  const report = `Readings of hour ${turn}: ${'1013.2 hPa, steady, wind from the west; '.repeat(150)}`;
  // Without the history, so it does not count towards the context.
  await openai.side.chat.completions.create({
    model,
    messages: [{ role: 'user', content: `Is this a report? ${report.slice(0, 200)}` }],
  });

  messages.push({ role: 'user', content: report });
  let answer = '';
  for await (const chunk of await openai.chat.completions.create({ model, messages, stream: true })) {
    answer += chunk.choices[0]?.delta.content ?? '';
  }
  messages.push({ role: 'assistant', content: answer });
  console.log(draw(turn));

  if ((snapshot.pressure ?? 0) >= RESTART_LINE) {
    const checkpoint = `Hours 1 to ${turn} are in the log.`;
    continuation += 1;
    session?.restart({
      continuation,
      reason: 'context_pressure',
      checkpoint,
      ...(snapshot.pressure === null ? {} : { pressure: snapshot.pressure }),
    });
    snapshot.startContext('restart');
    messages = [
      { role: 'system', content: 'You keep the log of a weather station.' },
      { role: 'user', content: checkpoint },
    ];
    console.log('        restart: a fresh context begins with a checkpoint');
  }
}

modelServer.stop();
session?.end({ reason: 'done' });
await finish(client);

/** @param {number} turn */
function draw(turn) {
  const { pressure, state, contextTokens } = snapshot;
  const percent = ((pressure ?? 0) * 100).toFixed(1).padStart(5);
  const left = snapshot.tokensUntil(RESTART_LINE);
  return `turn ${turn} ${bar(pressure ?? 0)} ${percent} %  ${state.padEnd(9)}  ${contextTokens} tokens, ${left} until the restart line`;
}

/** A model server's answer, with usage and streaming on request. */
async function startModelServer() {
  let calls = 0;
  let cached = 0;
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const body = JSON.parse(text);
    calls += 1;
    const prompt = Math.round(JSON.stringify(body.messages).length / 3.5);
    const usage = {
      prompt_tokens: prompt,
      completion_tokens: 12,
      total_tokens: prompt + 12,
      prompt_tokens_details: { cached_tokens: Math.min(cached, prompt) },
    };
    if (body.stream) cached = prompt;
    const shared = { id: `chatcmpl-${Date.now()}-${calls}`, created: 0, model: body.model };
    const content = 'Written down: steady, wind from the west.';
    if (!body.stream) {
      const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }];
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...shared, choices, usage }));
      return;
    }
    response.setHeader('content-type', 'text/event-stream');
    const send = (/** @type {object} */ fields) =>
      response.write(`data: ${JSON.stringify({ ...shared, ...fields })}\n\n`);
    send({ choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] });
    if (body.stream_options?.include_usage) send({ choices: [], usage });
    response.end('data: [DONE]\n\n');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/v1`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
