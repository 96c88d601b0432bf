/** For tests: runs the two agents that the README shows, exactly as printed, against a scripted model. */
import { readFileSync } from 'node:fs';
import OpenAI from 'openai';
import { createClient } from '../../client/create-client';
import {
  createAnthropicAgent,
  createOpenAIAgent,
  EndlessRestartError,
  type ModelMessage,
  type RestartResult,
  runWithRestarts,
} from '../index';

export const PROVIDERS = ['anthropic', 'openai'] as const;
export type Provider = (typeof PROVIDERS)[number];

export interface AgentRun {
  provider: Provider;
  /** Of `readmeCode`. */
  code: string;
  modelUrl: string;
  url: string;
  token: string;
  queueFolder: string;
  /** Key of the session. */
  key: string;
  signal?: AbortSignal;
  /** Text in front of each conversation. */
  system?: string;
}

export function readmeCode(provider: Provider): string {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const name = provider === 'anthropic' ? 'createAnthropicAgent' : 'createOpenAIAgent';
  const blocks = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code ?? '');
  return blocks.find((code) => code.includes(`agent = ${name}(`)) ?? '';
}

/** A client of Anthropic's Messages API without its SDK, which has retries of its own. */
export function anthropicClient(modelUrl: string) {
  return class {
    messages = {
      async create(body: object, { signal }: { signal: AbortSignal }) {
        const answer = await fetch(`${modelUrl}/messages`, {
          method: 'POST',
          body: JSON.stringify(body),
          signal,
        });
        const parsed: unknown = await answer.json();
        if (answer.ok) return parsed;
        throw Object.assign(new Error(`${answer.status}`), { status: answer.status, error: parsed });
      },
    };
  };
}

/** @returns the loop's result, or its error. */
export async function runReadmeAgent(run: AgentRun): Promise<RestartResult<ModelMessage> | Error> {
  const { provider, code, modelUrl, url, token, queueFolder, key, signal, system } = run;
  let result: RestartResult<ModelMessage> | Error = new Error('The code ran no agent');
  const values: Record<string, unknown> = {
    readFile: async (text: string) => 'x'.repeat(Number(text)),
    Anthropic: anthropicClient(modelUrl),
    OpenAI: class extends OpenAI {
      constructor() {
        super({ apiKey: 'none', baseURL: modelUrl, maxRetries: 0 });
      }
    },
    findServer: () => ({ url, token, queueFolder }),
    createClient,
    createAnthropicAgent: (options: Parameters<typeof createAnthropicAgent>[0]) =>
      createAnthropicAgent({ ...options, request: { ...options.request, system }, retryMs: 1 }),
    createOpenAIAgent: (options: Parameters<typeof createOpenAIAgent>[0]) =>
      createOpenAIAgent({ ...options, ...(system === undefined ? {} : { system }), retryMs: 1 }),
    runWithRestarts: async (options: Parameters<typeof runWithRestarts<ModelMessage>>[0]) => {
      try {
        result = await runWithRestarts({ ...options, signal, retryMs: 1 });
        return result;
      } catch (error) {
        if (!(error instanceof EndlessRestartError) && signal?.aborted !== true) throw error;
        result = error as Error;
        return {};
      }
    },
    console: { log: () => undefined },
  };
  const body = code.replace(/^import .*$/gm, '').replace(`'ledger-${provider}'`, JSON.stringify(key));
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
  await new AsyncFunction(...Object.keys(values), body)(...Object.values(values));
  return result;
}
