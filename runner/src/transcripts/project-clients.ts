/** A client per project and program, each with a stream. At the limit, the least recently used client is closed. */
import { clientOfKey, FORMATS, ownIdOf } from '../../../core/agents/registry';
import type { ProjectSource } from '../../../core/protocol/messages';
import type {
  BarographClient,
  ClientOptions,
  ClientStats,
  FlushResult,
  RefusedItem,
  RunnerCommand,
} from '../client/client-types';
import { createClient } from '../client/create-client';
import type { RunnerSettings } from '../settings';
import { VERSION } from '../version';

type ClientIdentity = Pick<ClientOptions, 'project' | 'projectSource' | 'client'> & { runner: string };

export interface ClientPool {
  of(identity: ClientIdentity): Promise<Sender>;
}
export type Sender = Pick<BarographClient, 'send' | 'drain' | 'stats'>;

const TOTALS = ['acknowledged', 'duplicates', 'refused', 'dropped', 'queued'] as const;
export type ClientTotals = Pick<ClientStats, (typeof TOTALS)[number]>;

export interface ProjectClientsOptions {
  settings: RunnerSettings & { url: string };
  onRefused?(refused: RefusedItem): void;
  /** What operators may ask of the sessions of a client. A change opens a new client. Default: nothing. */
  commandsOf?(runner: string): ClientOptions['commands'];
  onCommand?(client: BarographClient, session: string, command: RunnerCommand): void;
}

const NO_CLIENT = 'hook';
export const RUNNERS: readonly string[] = [...FORMATS.map(({ name }) => name), NO_CLIENT];
/** Runner name for a session: the name of its client. */
const runnerOf = (session: string) => clientOfKey(session) ?? NO_CLIENT;
const MAX_OPEN = 24;
const QUEUE_BYTES = 24 * 1024 * 1024;

/** Wait while the queue is too full: an import reads faster than the server stores. */
export async function waitForRoom(client: Sender, signal?: AbortSignal): Promise<void> {
  while (signal?.aborted !== true && client.stats().queuedBytes > QUEUE_BYTES) {
    await client.drain(QUEUE_BYTES / 2, 1_000);
  }
}

/** Settings that all clients of this machine share. */
export function clientSettings(settings: RunnerSettings & { url: string }) {
  const { url, token, secret, queueFolder, content } = settings;
  return { url, token, secret, queueFolder, content };
}

export class ProjectClients implements ClientPool {
  readonly #open = new Map<string, BarographClient>();
  readonly #options: ProjectClientsOptions;
  #closed: ClientTotals = { acknowledged: 0, duplicates: 0, refused: 0, dropped: 0, queued: 0 };

  constructor(options: ProjectClientsOptions) {
    this.#options = options;
  }

  async of(identity: ClientIdentity): Promise<BarographClient> {
    const { project, projectSource, client: program, runner } = identity;
    const commands = this.#options.commandsOf?.(runner) ?? [];
    const key = JSON.stringify([runner, program, project, projectSource, commands]);
    const known = this.#open.get(key);
    this.#open.delete(key);
    const oldest = this.#open.size >= MAX_OPEN ? this.#open.entries().next().value : undefined;
    if (oldest !== undefined) await this.#close(...oldest);
    const client = known ?? this.#make(identity, commands);
    this.#open.set(key, client);
    return client;
  }

  get clients(): BarographClient[] {
    return [...this.#open.values()];
  }

  totals(): ClientTotals {
    return this.clients.reduce(add, this.#closed);
  }

  /** Why a client waits for the server; undefined if no client waits. */
  get waiting() {
    const states = this.clients.map((client) => client.stats()).filter(({ queued }) => queued > 0);
    return states.flatMap(({ state }) => (state.status === 'waiting' ? [state] : []))[0];
  }

  flush(timeoutMs: number): Promise<FlushResult[]> {
    return Promise.all(this.clients.map((client) => client.flush(timeoutMs)));
  }

  async close(timeoutMs: number): Promise<void> {
    await Promise.all([...this.#open].map(([key, client]) => this.#close(key, client, timeoutMs)));
  }

  async #close(key: string, client: BarographClient, timeoutMs = 60_000): Promise<void> {
    this.#open.delete(key);
    await client.close(timeoutMs);
    this.#closed = add(this.#closed, client);
  }

  #make(identity: ClientIdentity, commands: ClientOptions['commands']): BarographClient {
    const { settings, onRefused, onCommand } = this.#options;
    const client: BarographClient = createClient({
      ...clientSettings(settings),
      ...identity,
      runner: { name: identity.runner, host: settings.host, version: VERSION },
      source: 'transcript',
      commands,
      onCommand: (session, command) => onCommand?.(client, session, command),
      ...(onRefused === undefined ? {} : { onRefused }),
    });
    return client;
  }
}

/** @param folder the session's folder, as the client states it */
export function projectSourceOf(settings: RunnerSettings, folder: string | null): ProjectSource {
  if (settings.project !== null) return 'setting';
  return folder === null ? 'name' : 'folder';
}

/** Identity of the client that reports a session. */
export function identityOf(session: string, project: string, projectSource: ProjectSource) {
  return { project, projectSource, client: ownIdOf(session)?.client, runner: runnerOf(session) };
}

function add(sum: ClientTotals, client: BarographClient): ClientTotals {
  const stats = client.stats();
  return Object.fromEntries(TOTALS.map((name) => [name, sum[name] + stats[name]])) as ClientTotals;
}
