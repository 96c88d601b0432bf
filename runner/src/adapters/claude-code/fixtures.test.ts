import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { collectSources } from '../../transcripts/collect-sources';
import { readLines } from '../../transcripts/read-lines';
import { TranscriptFeed } from '../../transcripts/transcript-feed';
import {
  createCallOwners,
  type ParserCounts,
  type TranscriptItem,
  type TranscriptItemOf,
  type TranscriptParser,
} from '../format';
import { measureItems } from '../measure/measure-items';
import { compareSessions, type MeasuredSession } from '../measure/measured-session';
import type { CallBook } from './call-book';
import { createClaudeCodeParser } from './parser';
import { contextTokensOf } from './read-usage';

/** Values worked out by hand from the lines, never by running the parser. */
interface Expected {
  why: string;
  sessions: Record<string, MeasuredSession>;
  starts?: Record<string, Record<string, unknown>>;
  aliases?: Record<string, string[]>;
  inherited?: Record<string, string[]>;
  counts?: Partial<ParserCounts>;
  callOrder?: string[];
  oneCallHasManyLines?: boolean;
}

const folder = fileURLToPath(new URL('../../../fixtures/claude-code', import.meta.url));
const fixtures = readdirSync(folder).map((name) => ({
  name,
  path: join(folder, name),
  expected: JSON.parse(readFileSync(join(folder, name, 'expected.json'), 'utf8')) as Expected,
}));

type Read = Map<string, { items: TranscriptItem[]; counts: ParserCounts[] }>;

/** Reads a fixture as an import does. `remake` may put another parser in place before each line. */
async function readFixture(path: string, options: { content?: boolean } = {}): Promise<Read> {
  const owners = createCallOwners();
  const read: Read = new Map();
  const { sessions } = await collectSources([path]);
  for (const { session, sources, hasMain } of sessions) {
    const items: TranscriptItem[] = [];
    const counts: ParserCounts[] = [];
    for (const source of sources) {
      const announces = source.identity.chain === null || !hasMain;
      const content = options.content ?? true;
      const feed = new TranscriptFeed({ source, project: 'harbour', announces, content, owners });
      for await (const batch of feed.pull()) items.push(...batch.items);
      items.push(...feed.settle());
      counts.push(feed.parser.counts);
    }
    read.set(session, { items, counts });
  }
  return read;
}

/** Reads each file with parsers made by the test; `after` runs behind each line and may replace the parser. */
async function readWith(
  path: string,
  make: (
    state?: unknown,
  ) => (identity: Parameters<typeof createClaudeCodeParser>[0]['identity']) => TranscriptParser,
  after: (parser: TranscriptParser, items: TranscriptItem[]) => TranscriptParser,
): Promise<Map<string, TranscriptItem[]>> {
  const read = new Map<string, TranscriptItem[]>();
  for (const { session, sources } of (await collectSources([path])).sessions) {
    const items: TranscriptItem[] = [];
    for (const source of sources) {
      let parser = make()(source.identity);
      for await (const { lines } of readLines(source.path, { from: 0 })) {
        for (const line of lines) {
          items.push(...parser.line(line));
          parser = after(parser, items);
        }
      }
      items.push(...parser.settle());
    }
    read.set(session, items);
  }
  return read;
}

function makeParser(parts?: Parameters<typeof createClaudeCodeParser>[1]) {
  const owners = createCallOwners();
  return (state?: unknown) => (identity: Parameters<typeof createClaudeCodeParser>[0]['identity']) =>
    createClaudeCodeParser(
      {
        identity,
        content: true,
        owners,
        announces: true,
        fallbackAt: 0,
        isFree: () => true,
        ...(state === undefined ? {} : { state }),
      },
      parts,
    );
}

describe.each(fixtures)('fixture $name', ({ path, expected }) => {
  it('comes to the numbers worked out by hand', async () => {
    const read = await readFixture(path);
    expect([...read.keys()].sort()).toEqual(Object.keys(expected.sessions).sort());
    for (const [session, wanted] of Object.entries(expected.sessions)) {
      const { differences } = compareSessions(wanted, measureItems(read.get(session)?.items ?? []));
      expect(differences, `${session}: ${expected.why}`).toEqual([]);
    }
  });

  it('says of each session what its lines say', async () => {
    const read = await readFixture(path);
    for (const [session, wanted] of Object.entries(expected.starts ?? {})) {
      expect(mergeStarts(read.get(session)?.items ?? [])).toMatchObject(wanted);
    }
    for (const [session, { items }] of read) {
      const ids = items.flatMap((item) => (item.type === 'session_alias' ? [item.clientSessionId] : []));
      expect(ids).toEqual(expected.aliases?.[session] ?? []);
      const inherited = turnsOf(items)
        .filter((turn) => turn.inherited)
        .map((turn) => turn.call);
      expect(inherited).toEqual(expected.inherited?.[session] ?? []);
    }
    const order = [...read.values()].flatMap(({ items }) => turnsOf(items).map((turn) => turn.call));
    if (expected.callOrder) expect(order).toEqual(expected.callOrder);
  });

  it('counts what it left out', async () => {
    const counts = [...(await readFixture(path)).values()].flatMap((session) => session.counts);
    const sum = (name: keyof ParserCounts) => counts.reduce((total, each) => total + each[name], 0);
    for (const [name, wanted] of Object.entries(expected.counts ?? {})) {
      expect([name, sum(name as keyof ParserCounts)]).toEqual([name, wanted]);
    }
  });

  it('comes to the same when reading stops and goes on behind every line', async () => {
    const make = makeParser();
    const identityOf = new Map<TranscriptParser, Parameters<ReturnType<typeof make>>[0]>();
    const remember = (state?: unknown) => (identity: Parameters<ReturnType<typeof make>>[0]) => {
      const parser = make(state)(identity);
      identityOf.set(parser, identity);
      return parser;
    };
    const read = await readWith(path, remember, (parser) => {
      const identity = identityOf.get(parser);
      if (identity === undefined) throw new Error('a parser the test did not make');
      return remember(JSON.parse(JSON.stringify(parser.state())))(identity);
    });
    expectNumbers(read, expected);
  });

  it('comes to the same when each call is sent at its first line and amended by the later ones', async () => {
    const read = await readWith(path, makeParser(), (parser, items) => {
      items.push(...parser.settle());
      return parser;
    });
    expectNumbers(read, expected);
  });

  it('fails its numbers once lines of one call are taken for calls of their own', async () => {
    const read = await readWith(path, makeParser({ makeCallBook: forgetfulCallBook }), (parser) => parser);
    const differences = Object.entries(expected.sessions).flatMap(
      ([session, wanted]) => compareSessions(wanted, measureItems(read.get(session) ?? [])).differences,
    );
    const fields = differences.map(({ field }) => field);
    if (expected.oneCallHasManyLines)
      expect(fields).toEqual(expect.arrayContaining([expect.stringMatching(/^(main|side)\.calls$/)]));
    else expect(fields).toEqual([]);
  });
});

describe('titles', () => {
  it('are not sent when content is off', async () => {
    const read = await readFixture(join(folder, 'titles'), { content: false });
    for (const { items } of read.values())
      expect(JSON.stringify(items)).not.toMatch(/Name the|Naming|Boats were|harbour-work/);
  });
});

function expectNumbers(read: Map<string, TranscriptItem[]>, expected: Expected): void {
  for (const [session, wanted] of Object.entries(expected.sessions)) {
    expect(compareSessions(wanted, measureItems(read.get(session) ?? [])).differences).toEqual([]);
  }
}

function turnsOf(items: readonly TranscriptItem[]): TranscriptItemOf<'turn'>[] {
  return items.filter((item): item is TranscriptItemOf<'turn'> => item.type === 'turn');
}

/** What a server knows of the session after all its starts. */
function mergeStarts(items: readonly TranscriptItem[]): Record<string, unknown> {
  return Object.assign({}, ...items.filter((item) => item.type === 'session_start'));
}

/** The de-duplication taken out: every line is a call. */
function forgetfulCallBook(): CallBook {
  let lines = 0;
  return {
    take(line) {
      lines += 1;
      const { input, output, cacheRead, cacheCreation } = line.usage;
      return [
        {
          type: 'turn',
          session: line.session,
          at: line.at,
          scope: line.scope,
          call: `${line.call}#${lines}`,
          usage: { input, output, cacheRead, cacheCreation },
          contextTokens: contextTokensOf(line.usage),
          basis: 'total',
          ...(line.chain === null ? {} : { chain: line.chain }),
          ...(line.inherited ? { inherited: true } : {}),
        },
      ];
    },
    release: () => [],
    state: () => ({ known: [] }),
    calls: 0,
    usageConflicts: 0,
  };
}
