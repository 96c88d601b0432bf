/** Runners of the stories: the real client, each with its own queue. */
import { join } from 'node:path';
import type { Scenario } from '@/core/scenario/types';
import { PATIENCE_MS } from '@/core/testing/patience';
import type { BarographClient, ClientOptions, RefusedItem } from '@/runner/src/client/client-types';
import { createClient } from '@/runner/src/client/create-client';
import type { BarographServer } from './server';

export interface TestRunner extends BarographClient {
  /** Items that the client or the server refused. */
  readonly refused: readonly RefusedItem[];
}

/** Reconnects sooner than the default. */
const TIMING = { capMs: 1_000 };

export type RunnerOptions = Partial<ClientOptions> & { project: string };

let queues = 0;

export function connectRunner(server: BarographServer, options: RunnerOptions): TestRunner {
  queues += 1;
  const refused: RefusedItem[] = [];
  const client = createClient({
    url: server.url,
    token: server.connection.ingestToken,
    runner: { name: 'story@desk', host: 'desk' },
    queueFolder: join(server.home, 'queues', `${process.pid}-${queues}`),
    timing: TIMING,
    onRefused: (item) => refused.push(item),
    ...options,
  });
  const flush = client.flush.bind(client);
  return Object.assign(client, { refused, flush: (timeoutMs = PATIENCE_MS) => flush(timeoutMs) });
}

/**
 * Sends a scenario at once, with one client per stream.
 * @param beginningMs start of the scenario, milliseconds since the epoch
 */
export function playScenario(server: BarographServer, scenario: Scenario, beginningMs: number): TestRunner[] {
  const clients = new Map<string, TestRunner>();
  for (const step of scenario.items()) {
    const { project, runner, source, stream } = step;
    const client = clients.get(stream) ?? connectRunner(server, { project, runner, source });
    clients.set(stream, client);
    client.send({ ...step.item, at: beginningMs + step.afterMs });
  }
  return [...clients.values()];
}
