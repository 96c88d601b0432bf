/** For tests: the real `openai` client of the fake server, the server's answers, and the reported turns. */
import OpenAI from 'openai';
import type { Logger } from '../../logger';
import type { SnapshotSession, SnapshotTurn } from '../openai-types';
import type { FakeModelServer } from './fake-model-server';

export const MODEL = 'gpt-test-1';
export const MESSAGES = [{ role: 'user' as const, content: 'How full is it?' }];

export function createTestClient(server: FakeModelServer): OpenAI {
  return new OpenAI({
    baseURL: server.url,
    apiKey: 'none',
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
  });
}

export class RecordingSession implements SnapshotSession {
  readonly turns: SnapshotTurn[] = [];
  /** The reported lenses. The number is the count of turns that were reported before the lens. */
  readonly lenses: [string | undefined, number][] = [];

  start({ lens }: { lens?: string | undefined }): void {
    this.lenses.push([lens, this.turns.length]);
  }

  turn(turn: SnapshotTurn): number {
    this.turns.push(turn);
    return this.turns.length;
  }
}

export class RecordingLogger implements Logger {
  readonly lines: string[] = [];
  debug = (message: string) => this.#write('debug', message);
  info = (message: string) => this.#write('info', message);
  warn = (message: string) => this.#write('warn', message);
  error = (message: string) => this.#write('error', message);

  #write(level: string, message: string): void {
    this.lines.push(`${level}: ${message}`);
  }
}

/** Lets a test wait for an event instead of a time. */
export function createGate(): { opened: Promise<void>; open(): void } {
  const gate = { open: (): void => undefined };
  const opened = new Promise<void>((resolve) => {
    gate.open = resolve;
  });
  return { opened, open: () => gate.open() };
}

let calls = 0;

/** A new id in OpenAI's format for each call. */
function newId(prefix: string): string {
  calls += 1;
  return `${prefix}${String(calls).padStart(6, '0')}Qx7Lw2VnB0aKdTzR`;
}

/** Usage of a chat call: the given tokens sent and answered. */
export function chatUsage(prompt: number, completion: number, cached = 0) {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

export function completion(usage: object | null | undefined, fields: object = {}) {
  return {
    id: newId('chatcmpl-'),
    object: 'chat.completion',
    created: 1,
    model: MODEL,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Half full.' } }],
    ...(usage === undefined ? {} : { usage }),
    ...fields,
  };
}

/** The chunks of one answer: two with text, the last choice, and one with the usage if there is one. */
export function chunks(usage: object | null, fields: object = {}): object[] {
  const shared = {
    id: newId('chatcmpl-'),
    object: 'chat.completion.chunk',
    created: 1,
    model: MODEL,
    ...fields,
  };
  const choice = (delta: object, finish_reason: string | null = null) => ({
    ...shared,
    choices: [{ index: 0, delta, finish_reason }],
    usage: null,
  });
  return [
    choice({ role: 'assistant', content: 'Half ' }),
    choice({ content: 'full.' }),
    choice({}, 'stop'),
    ...(usage === null ? [] : [{ ...shared, choices: [], usage }]),
  ];
}

export function responsesUsage(input: number, output: number, cached = 0) {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

export function response(usage: object | null, fields: object = {}) {
  const content = [{ type: 'output_text', text: 'Half full.', annotations: [] }];
  return {
    id: newId('resp_'),
    object: 'response',
    created_at: 1,
    status: 'completed',
    error: null,
    model: MODEL,
    output: [{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content }],
    usage,
    ...fields,
  };
}

/** The events of one response, up to the last one. */
export function responseEvents(whole: ReturnType<typeof response>, last = 'response.completed'): object[] {
  const begun = { ...whole, status: 'in_progress', output: [], usage: null };
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0, logprobs: [] };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
  const part = { type: 'output_text', text: '', annotations: [] };
  const list = [
    { type: 'response.created', response: begun },
    { type: 'response.output_item.added', output_index: 0, item: message },
    { type: 'response.content_part.added', item_id: 'msg_1', output_index: 0, content_index: 0, part },
    { type: 'response.output_text.delta', ...place, delta: 'Half ' },
    { type: 'response.output_text.delta', ...place, delta: 'full.' },
    { type: last, response: whole },
  ];
  return list.map((event, index) => ({ ...event, sequence_number: index }));
}
