/**
 * A process that plays runners, each on its own connection: as fast as their frames are acknowledged, or as an active
 * fleet at an even pace. Any error ends it.
 */
import type { Item } from '../../core/protocol/items';
import { connect, post, type Target } from './connect-runner';
import { createTurnSource } from './make-turns';
import { type KindRequest, type OpenRequest, openSenders, playKind } from './play-kinds';

/** Sends turns over many connections, in frames that are built before the clock starts. */
interface LoadRequest extends Target {
  type: 'load';
  by: 'websocket' | 'post';
  connections: number;
  turnsPerConnection: number;
  /** Number in the names of the sessions. */
  round: number;
}

/** Send the last hour of every session, then answer, then send turns at an even pace until `stop`. */
interface FleetRequest extends Target {
  type: 'fleet';
  sessions: number;
  runners: number;
  turnsBefore: number;
  turnsPerSecond: number;
}

export type PlayRequest = LoadRequest | FleetRequest | OpenRequest | KindRequest | { type: 'stop' };

export interface Played {
  turns: number;
  elapsedMs: number;
}

const PACE_MS = 50;
const HOUR_MS = 3_600_000;
/** A body is larger than a frame, because each body opens its stream again. */
const TURNS_PER_FRAME = { websocket: 20, post: 100 };
const SESSIONS_PER_FRAME = 20;

const range = (length: number) => Array.from({ length }, (_, index) => index);
let stop = (): Played => ({ turns: 0, elapsedMs: 0 });

process.on('message', async (request: PlayRequest) => {
  process.send?.(await play(request));
});
// The parent process ended.
process.once('disconnect', () => process.exit());

async function play(request: PlayRequest): Promise<Played> {
  const startedAt = performance.now();
  if (request.type === 'load') return playLoad(request);
  if (request.type === 'fleet') return playFleet(request);
  if (request.type === 'stop') return stop();
  const turns = await (request.type === 'open' ? openSenders(request) : playKind(request));
  return { turns, elapsedMs: performance.now() - startedAt };
}

async function playLoad(request: LoadRequest): Promise<Played> {
  const { by, connections, turnsPerConnection, round } = request;
  const size = TURNS_PER_FRAME[by];
  const loads = await Promise.all(
    range(connections).map(async (index) => {
      const name = `${round}-${index}`;
      const source = createTurnSource(`session-${name}`, round * 1_000 + index, Date.now() - 60_000);
      const frames: string[] = [];
      for (let made = 0; made < turnsPerConnection; made += size) {
        frames.push(JSON.stringify(source.next(Math.min(size, turnsPerConnection - made))));
      }
      const open = by === 'post' ? post : connect;
      return { frames, runner: await open(request, 'bench', `runner-${name}`) };
    }),
  );
  const startedAt = performance.now();
  await Promise.all(
    loads.map(async ({ frames, runner }) => {
      for (const frame of frames) await runner.send(frame);
      await runner.settled();
    }),
  );
  const elapsedMs = performance.now() - startedAt;
  for (const { runner } of loads) runner.close();
  return { turns: connections * turnsPerConnection, elapsedMs };
}

async function playFleet(request: FleetRequest): Promise<Played> {
  const began = performance.now();
  const runners = await Promise.all(
    range(request.runners).map(async (index) => {
      const runner = await connect(request, `team-${index % 12}`, `runner-${index}`);
      const sources = fleetSources(request, index);
      for (let first = 0; first < sources.length; first += SESSIONS_PER_FRAME) {
        const some = sources.slice(first, first + SESSIONS_PER_FRAME);
        await runner.send(JSON.stringify(some.flatMap((source) => source.next(request.turnsBefore))));
      }
      await runner.settled();
      return { runner, sources };
    }),
  );
  const startedAt = performance.now();
  let turns = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAt) / 1_000) * request.turnsPerSecond);
    const frames = runners.map((): Item[] => []);
    for (; turns < due; turns += 1) {
      const index = turns % runners.length;
      const { sources = [] } = runners[index] ?? {};
      const source = sources[Math.floor(turns / runners.length) % sources.length];
      frames[index]?.push(...(source?.next(1, Date.now()) ?? []));
    }
    frames.forEach((items, index) => {
      if (items.length > 0) void runners[index]?.runner.send(JSON.stringify(items));
    });
  }, PACE_MS);
  stop = () => {
    clearInterval(timer);
    return { turns, elapsedMs: performance.now() - startedAt };
  };
  return { turns: request.sessions * request.turnsBefore, elapsedMs: startedAt - began };
}

function fleetSources({ sessions, runners, turnsBefore }: FleetRequest, index: number) {
  let seq = 0;
  const nextSeq = () => {
    seq += 1;
    return seq;
  };
  const everyMs = Math.floor(HOUR_MS / (turnsBefore + 1));
  return range(Math.floor(sessions / runners)).map((place) => {
    const number = place * runners + index;
    // Contexts of all ages, so that the page shows warnings, countdowns and compactions.
    const from = 18_000 + ((number * 7_919) % 140_000);
    const startAt = Date.now() - HOUR_MS + (number % 60) * 1_000;
    return createTurnSource(`work-${number}`, number, startAt, { everyMs, from, nextSeq });
  });
}
