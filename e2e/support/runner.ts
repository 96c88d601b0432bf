/** Runners of the stories: the real client, each with its own queue. */
import { join } from 'node:path';
import type { Scenario, ScenarioStep } from '@/core/scenario/types';
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
  return Object.assign(client, { refused });
}

export interface PlayedScenario {
  clients: TestRunner[];
  items: number;
}

/**
 * Sends a scenario at once, with one client per stream.
 * @param beginningMs start of the scenario, milliseconds since the epoch
 */
export function playScenario(
  server: BarographServer,
  scenario: Scenario,
  beginningMs: number,
): PlayedScenario {
  const clients = new Map<string, TestRunner>();
  let items = 0;
  for (const step of scenario.items()) {
    const client = clients.get(step.stream) ?? connectStream(server, step);
    clients.set(step.stream, client);
    client.send({ ...step.item, at: beginningMs + step.afterMs });
    items += 1;
  }
  return { clients: [...clients.values()], items };
}

function connectStream(server: BarographServer, { project, runner, source }: ScenarioStep): TestRunner {
  return connectRunner(server, { project, runner, source });
}
