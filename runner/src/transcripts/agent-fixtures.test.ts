import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type {
  ParserCounts,
  TranscriptItem,
  TranscriptItemOf,
  TranscriptParser,
} from '../../../core/agents/agent-format';
import {
  compareSessions,
  createCallOwners,
  type MeasuredSession,
  measureItems,
} from '../../../core/agents/testing/measure-sessions';
import { collectSources, type TranscriptSource } from './collect-sources';
import { readLines } from './read-lines';
import { readSession } from './testing/read-session';

/** Values calculated by hand from the lines, never by running the parser. */
interface Expected {
  why: string;
  sessions: Record<string, MeasuredSession>;
  starts?: Record<string, Record<string, unknown>>;
  aliases?: Record<string, string[]>;
  inherited?: Record<string, string[]>;
  counts?: Partial<ParserCounts>;
  callOrder?: string[];
}

const agents = fileURLToPath(new URL('../../../core/agents', import.meta.url));
const fixtures = readdirSync(agents)
  .map((agent) => join(agents, agent, 'fixtures'))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => ({ name, path: join(folder, name) })))
  .map((fixture) => ({
    ...fixture,
    expected: JSON.parse(readFileSync(join(fixture.path, 'expected.json'), 'utf8')) as Expected,
  }));

type Read = Map<string, { items: TranscriptItem[]; counts: ParserCounts[] }>;

async function readFixture(path: string, content = true): Promise<Read> {
  const owners = createCallOwners();
  const read: Read = new Map();
  for (const session of (await collectSources([path])).sessions) {
    read.set(session.session, await readSession(session, { owners, content }));
  }
  return read;
}

const PREVIOUS = 'the previous session';
type MakeParser = (state?: unknown) => TranscriptParser;

/** Reads each file line by line; `after` runs after each line and may replace the parser. */
async function readWith(
  path: string,
  after: (parser: TranscriptParser, items: TranscriptItem[], make: MakeParser) => TranscriptParser,
): Promise<Map<string, TranscriptItem[]>> {
  const owners = createCallOwners();
  const makeFor =
    ({ format, identity }: TranscriptSource): MakeParser =>
    (state) => {
      const options = { content: true, announces: true, fallbackAt: 0, isFree: () => true };
      const previousAt = () => PREVIOUS;
      return format.createParser({ identity, owners, state, previousAt, ...options });
    };
  const read = new Map<string, TranscriptItem[]>();
  for (const { session, sources } of (await collectSources([path])).sessions) {
    const items: TranscriptItem[] = [];
    for (const source of sources) {
      const make = makeFor(source);
      let parser = make();
      const isDocument = source.format.readsAs(source.path) === 'document';
      const whole = [{ lines: [readFileSync(source.path, 'utf8')] }];
      for await (const { lines } of isDocument ? whole : readLines(source.path, { from: 0 })) {
        for (const line of lines) {
          items.push(...parser.line(line));
          parser = after(parser, items, make);
        }
      }
      items.push(...parser.settle());
    }
    read.set(session, items);
  }
  return read;
}

describe.each(fixtures)('fixture $name', ({ path, expected }) => {
  it('has the numbers calculated by hand', async () => {
    const read = await readFixture(path);
    expect([...read.keys()].sort()).toEqual(Object.keys(expected.sessions).sort());
    for (const [session, wanted] of Object.entries(expected.sessions)) {
      const { differences } = compareSessions(wanted, measureItems(read.get(session)?.items ?? []));
      expect(differences, `${session}: ${expected.why}`).toEqual([]);
    }
  });

  it('describes each session from its lines', async () => {
    const read = await readFixture(path);
    for (const [session, wanted] of Object.entries(expected.starts ?? {})) {
      expect(mergeStarts(read.get(session)?.items ?? [])).toMatchObject(wanted);
    }
    for (const [session, { items }] of read) {
      const ids = items.flatMap((item) => (item.type === 'session_alias' ? [item.clientSessionId] : []));
      expect(ids).toEqual(expected.aliases?.[session] ?? []);
      const inherited = turnsOf(items)
        .filter((turn) => turn.inherited)
        .map((turn) => idOf(turn)?.replace(/^copy:/, ''));
      expect(inherited).toEqual(expected.inherited?.[session] ?? []);
    }
    const order = [...read.values()].flatMap(({ items }) => turnsOf(items).map(idOf));
    if (expected.callOrder) expect(order).toEqual(expected.callOrder);
  });

  it('counts skipped lines', async () => {
    const counts = [...(await readFixture(path)).values()].flatMap((session) => session.counts);
    const sum = (name: keyof ParserCounts) => counts.reduce((total, each) => total + each[name], 0);
    for (const [name, wanted] of Object.entries(expected.counts ?? {})) {
      expect([name, sum(name as keyof ParserCounts)]).toEqual([name, wanted]);
    }
  });

  it('has the same numbers when reading stops and continues after every line', async () => {
    const read = await readWith(path, (parser, _items, make) =>
      make(JSON.parse(JSON.stringify(parser.state()))),
    );
    expectNumbers(read, expected);
  });

  it('has the same numbers when each call is sent at its first line and amended by its later lines', async () => {
    const read = await readWith(path, (parser, items) => {
      items.push(...parser.settle());
      return parser;
    });
    expectNumbers(read, expected);
    // An announcement before the client's command would lack the previous session.
    for (const [session, { reason, previous }] of Object.entries(expected.starts ?? {}))
      if (previous !== undefined)
        expect(mergeStarts(read.get(session) ?? [])).toMatchObject({ reason, previous: PREVIOUS });
  });
});

describe('titles', () => {
  it('are not sent when content is off', async () => {
    const read = await readFixture(join(agents, 'claude-code/fixtures/titles'), false);
    for (const { items } of read.values())
      expect(JSON.stringify(items)).not.toMatch(/Name the|Naming|Boats were|harbour-work/);
  });
});

function expectNumbers(read: Map<string, TranscriptItem[]>, expected: Expected): void {
  for (const [session, wanted] of Object.entries(expected.sessions)) {
    expect(compareSessions(wanted, measureItems(read.get(session) ?? [])).differences).toEqual([]);
  }
}

/** The first id of a call. */
const idOf = ({ call }: TranscriptItemOf<'turn'>): string | undefined => [call].flat()[0];

function turnsOf(items: readonly TranscriptItem[]): TranscriptItemOf<'turn'>[] {
  return items.filter((item): item is TranscriptItemOf<'turn'> => item.type === 'turn');
}

/** The facts that a server has of the session after all starts. */
function mergeStarts(items: readonly TranscriptItem[]): Record<string, unknown> {
  return Object.assign({}, ...items.filter((item) => item.type === 'session_start'));
}
