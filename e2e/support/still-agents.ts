/** Sessions of the agents in docs/connect, for their pictures. */
import { readApi } from './read-api';
import type { BarographServer } from './server';
import { connectStill, STILL_NOW } from './still-world';

const MINUTE = 60_000;
const SPANS = 34;

/** After `feedStillFleet`. @returns the id of one session per agent */
export async function feedAgents(server: BarographServer): Promise<Record<string, string>> {
  const api = readApi(server);
  await reportSpans(server);
  await reportSessions(server);
  const keys = {
    'claude-code': 'demo-fleet/03',
    codex: 'demo-fleet/07',
    gemini: 'demo-fleet/16',
    opencode: 'opencode:ses_4f1c',
    opentelemetry: 'task-42',
    sdks: 'letters-7',
  };
  const found = Object.entries(keys).map(async ([agent, key]) => [agent, (await api.session(key)).id]);
  return Object.fromEntries(await Promise.all(found));
}

/** Calls of a program with an OpenTelemetry instrumentation. */
async function reportSpans(server: BarographServer): Promise<void> {
  const attributes = (values: Record<string, string | number>) =>
    Object.entries(values).map(([key, value]) => ({
      key,
      value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
    }));
  const spans = Array.from({ length: SPANS }, (_, index) => {
    const tokens = 9_000 + index * 4_700 + (index % 5) * 900;
    return {
      traceId: String(index + 1).padStart(32, '0'),
      spanId: String(index + 1).padStart(16, '0'),
      name: 'chat gpt-5',
      endTimeUnixNano: String((STILL_NOW - (SPANS - index) * 1.5 * MINUTE) * 1e6),
      attributes: attributes({
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-5',
        'gen_ai.conversation.id': 'task-42',
        'gen_ai.response.id': `resp_${index + 1}`,
        'gen_ai.agent.name': 'planner',
        'gen_ai.usage.input_tokens': tokens,
        'gen_ai.usage.cache_read.input_tokens': tokens - 2_000,
        'gen_ai.usage.output_tokens': 340,
      }),
    };
  });
  const resource = { attributes: attributes({ 'service.name': 'my-agent' }) };
  const answer = await fetch(`${server.url}/v1/traces`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.connection.ingestToken}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }),
  });
  if (!answer.ok) throw new Error(`/v1/traces answers ${answer.status}: ${await answer.text()}`);
}

/** Items as `barograph watch` sends them for a session of OpenCode, and as the wrapper of an SDK reports them. */
async function reportSessions(server: BarographServer): Promise<void> {
  const watch = connectStill(server, { project: 'harbour', runner: { name: 'watch', host: 'desk' } });
  const opencode = watch.session('opencode:ses_4f1c', {
    title: 'Rewrite the tide tables',
    client: 'opencode',
    clientVersion: '1.18.33',
    model: 'claude-sonnet-4-5',
    lens: 'snapshot',
    folder: '/home/dev/harbour',
    at: STILL_NOW - 70 * MINUTE,
  });
  reportTurns(opencode, 44, 3_100);
  const program = connectStill(server, {
    project: 'harbour',
    runner: { name: 'answer-letters', host: 'desk' },
  });
  const letters = program.session('letters-7', {
    title: 'Answer the letters',
    model: 'claude-sonnet-4-5',
    lens: 'snapshot',
    at: STILL_NOW - 60 * MINUTE,
  });
  reportTurns(letters, 40, 3_900);
  for (const client of [watch, program]) {
    const { delivered } = await client.close(60_000);
    if (!delivered) throw new Error('The server refused a turn.');
  }
}

/** @param growth tokens per turn */
function reportTurns(
  session: ReturnType<ReturnType<typeof connectStill>['session']>,
  count: number,
  growth: number,
): void {
  for (let turn = 0; turn < count; turn += 1) {
    const contextTokens = 16_000 + turn * growth + (turn % 4) * 700;
    const usage = {
      inputTokens: 12,
      outputTokens: 620,
      cacheReadTokens: contextTokens - 3_000,
      cacheCreationTokens: 2_400,
    };
    session.turn({ at: STILL_NOW - (count - turn) * 1.4 * MINUTE, contextTokens, usage });
  }
}
