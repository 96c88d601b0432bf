/** Runners of the stories: the real client of the `barograph` package, each with a queue of its own. */
import { join } from 'node:path';
import type { Scenario, ScenarioStep } from '@/core/scenario/types';
import type { BarographClient, ClientOptions, RefusedItem } from '@/runner/src/client/client-types';
import { createClient } from '@/runner/src/client/create-client';
import type { BarographServer } from './server';

export interface TestRunner extends BarographClient {
  /** All that was refused, by the client or the server. */
  readonly refused: readonly RefusedItem[];
}

/** Reconnects sooner than a real one would: the stories wait for it. */
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
 * Hands a scenario over at once, one client a stream, each item with the time it has in the story.
 * @param beginningMs the moment the story calls its beginning, milliseconds since the epoch.
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
