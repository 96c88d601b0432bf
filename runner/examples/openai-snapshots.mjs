/**
 * Shows the context of a simulated agent on the `openai` package after each call: `node openai-snapshots.mjs`. The
 * example needs the package `openai`; a function answers instead of a model. The session's page shows a rising line in
 * two contexts with a restart between them. The short calls that classify messages are side calls and do not count.
 */
import { trackOpenAI } from 'barograph/openai';
import OpenAI from 'openai';
import { bar, finish, startSession } from './connect.mjs';

const RESTART_LINE = 0.9;
const model = 'made-up-1';
const limit = 16_000;
const session = startSession('openai-snapshots', `openai-snapshots-${Date.now()}`, {
  title: 'An agent on the openai package',
  client: 'example',
  model,
  lens: 'snapshot',
  limit,
  restartLine: RESTART_LINE,
});

let calls = 0;
let cached = 0;
const openai = trackOpenAI(new OpenAI({ apiKey: 'none', fetch: answer }), { session, limit });
const { snapshot } = openai;

/** @type {import('openai').OpenAI.ChatCompletionMessageParam} */
const system = { role: 'system', content: 'You keep the log of a weather station.' };
/** @type {import('openai').OpenAI.ChatCompletionMessageParam[]} */
let messages = [system];
let continuation = 0;
for (let turn = 1; turn <= 12; turn += 1) {
  const report = `Readings of hour ${turn}: ${'1013.2 hPa, steady, wind from the west; '.repeat(150)}`;
  // A call without the history does not count towards the context.
  await openai.side.chat.completions.create({
    model,
    messages: [{ role: 'user', content: `Is this a report? ${report.slice(0, 200)}` }],
  });

  messages.push({ role: 'user', content: report });
  let content = '';
  for await (const chunk of await openai.chat.completions.create({ model, messages, stream: true })) {
    content += chunk.choices[0]?.delta.content ?? '';
  }
  messages.push({ role: 'assistant', content });
  const { state, contextTokens } = snapshot;
  const pressure = snapshot.pressure ?? 0;
  const left = `${contextTokens} tokens, ${snapshot.tokensUntil(RESTART_LINE)} until the restart line`;
  console.log(`turn ${turn} ${bar(pressure)}  ${state.padEnd(9)}  ${left}`);

  if (pressure >= RESTART_LINE) {
    const checkpoint = `Hours 1 to ${turn} are in the log.`;
    continuation += 1;
    session?.restart({ continuation, reason: 'context_pressure', checkpoint, pressure });
    snapshot.startContext('restart');
    messages = [system, { role: 'user', content: checkpoint }];
    console.log('        restart: a fresh context starts with a checkpoint');
  }
}
await finish();

/**
 * Answers as a model server does, with usage, and streaming on request.
 * @param {unknown} _url
 * @param {RequestInit} [request]
 */
async function answer(_url, request) {
  const body = JSON.parse(String(request?.body));
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
  const message = { role: 'assistant', content: 'Written down: steady, wind from the west.' };
  const choice = { index: 0, finish_reason: 'stop' };
  if (!body.stream) return Response.json({ ...shared, choices: [{ ...choice, message }], usage });
  const events = [{ choices: [{ ...choice, delta: message }] }, { choices: [], usage }];
  const lines = events.map((fields) => `data: ${JSON.stringify({ ...shared, ...fields })}\n\n`);
  return new Response(`${lines.join('')}data: [DONE]\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  });
}
