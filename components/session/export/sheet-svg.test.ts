import { describe, expect, it } from 'vitest';
import type { Note } from '@/core/api/notes';
import { contextOf, eventOf, pointOf } from '../../charts/series-fixture';
import { prepareSheet } from '../prepare-sheet';
import { sessionOf } from '../session-fixture';
import { PLAIN_URL } from '../session-url';
import { fileName } from './file-name';
import { PRINT_COLOURS, SHEET_COLOURS } from './sheet-colours';
import { type SheetSvgInput, sheetSvg } from './sheet-svg';
import { escapeXml } from './svg-markup';

const minute = 60_000;
const at = (n: number) => new Date(n * minute).toISOString();
const points = Array.from({ length: 40 }, (_, i) =>
  pointOf({ n: i + 1, used: 40_000 + ((i * 6_000) % 120_000), context: i < 20 ? 0 : 1 }),
);
const url = PLAIN_URL;
const input = (fields: Partial<SheetSvgInput> = {}) => ({
  session: sessionOf({ compactions: 1, lastTurnAt: at(40) }),
  points,
  overlay: null,
  subAgents: [],
  contexts: [
    contextOf({ index: 0, turnCount: 20, endedAt: at(20), endedBy: 'compaction', lastOccupancy: 154_000 }),
    contextOf({ index: 1, turnCount: 20, firstOccupancy: 40_000 }),
  ],
  events: [
    eventOf({
      id: 'e1',
      kind: 'compaction',
      at: at(20),
      turn: 20,
      detail: { trigger: 'auto', state: 'confirmed', preTokens: 167_000, firstReading: 41_000 },
    }),
  ],
  url,
  now: 41 * minute,
  zone: 'UTC',
  notes: [],
  ...fields,
});

/** Every tag closed in order, quotes even, only known entities: what any reader of XML asks for. */
function expectWellFormed(svg: string): void {
  const open: string[] = [];
  const rest = svg.replace(
    /<(\/?)([a-zA-Z]+)((?: [a-zA-Z][a-zA-Z0-9-]*="[^"<>]*")*)(\/?)>/g,
    (_, close, name, _a, lone) => {
      if (close) expect(open.pop()).toBe(name);
      else if (!lone) open.push(name);
      return '';
    },
  );
  expect(open).toEqual([]);
  expect(rest).not.toMatch(/[<>]/);
  expect(svg.replace(/&(amp|lt|gt|quot|#39);/g, '')).not.toContain('&');
}
const plain = (text: string) => text.replaceAll('\u00a0', ' ').replaceAll('\u202f', ' ');

describe('the sheet as a file', () => {
  it('is one well-formed drawing that needs nothing from elsewhere', () => {
    const { svg, width, height } = sheetSvg(input());
    expectWellFormed(svg);
    expect(svg.startsWith('<svg xmlns="http://www.w3.org/2000/svg"')).toBe(true);
    expect(svg).toContain(`viewBox="0 0 ${width} ${height}"`);
    expect(svg).not.toMatch(
      / (class|style|href|src|data-[a-z]+|on[a-z]+)=|var\(|<(style|script|image|foreignObject)/,
    );
    expect(svg).not.toMatch(/NaN|undefined|Infinity|\[object/);
  });

  it('names the session, what it ran on, the scale with its source, the range and who drew it', () => {
    const svg = plain(sheetSvg(input()).svg);
    for (const part of [
      'Line-level attribution',
      'demo · claude-opus-4-5 · Claude Code 2.1.7 · soph-mbp',
      '100 % = limit 200 000 tokens, model table',
      'restart line 90 %',
      'client compacts at 167 000',
      'snapshot lens',
      'turns 1 to 40, the whole session',
      'Barograph, 1 Jan 1970, 00:41:00 UTC',
      '167 k → 41 k',
      '1 compaction, before → after',
    ]) {
      expect(svg).toContain(part);
    }
  });

  it('holds a hostile title as text and nothing else', () => {
    const title = '</text><script>alert(1)</script> "&\' ]]> \u0000\u001b[31m \ud800 <![CDATA[';
    const { svg } = sheetSvg(
      input({ session: sessionOf({ title, model: '<b onload="x">', project: '&amp;' }) }),
    );
    expectWellFormed(svg);
    expect(svg).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(svg).toContain('&amp;amp;');
    expect(svg).not.toMatch(/<script|<!\[CDATA|<b /);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is what is tested.
    expect(svg).not.toMatch(/[\u0000-\u0008\u001b]/);
  });

  it('cuts a long title on its line, and keeps the whole one as the drawing’s name', () => {
    const title = 'x'.repeat(400);
    const { svg } = sheetSvg(input({ session: sessionOf({ title }) }));
    expect(svg).toContain(`<title>${title}</title>`);
    expect(svg).toContain(`${'x'.repeat(87)}…</text>`);
  });

  it('holds what was noted: a number on the trace, and the text at the foot, as text', () => {
    const noteOf = (id: string, minuteOf: number, text: string, author: string | null = 'ann'): Note => ({
      id,
      sessionId: '00000000-0000-4000-8000-000000000001',
      at: at(minuteOf),
      turn: minuteOf,
      text,
      author,
      createdAt: at(41),
      editedAt: null,
      editedBy: null,
      version: 1,
    });
    const bare = sheetSvg(input());
    const notes = [
      noteOf('b', 30, 'second </text><script>', null),
      noteOf('a', 10, 'Read the whole log here.'),
    ];
    const { svg, height } = sheetSvg(input({ notes }));
    expectWellFormed(svg);
    const told = plain(svg);
    expect(told).toContain('1 Jan 1970, 00:10:00 UTC, turn 10, ann: Read the whole log here.');
    expect(told).toContain('turn 30: second &lt;/text&gt;&lt;script&gt;');
    expect(told.indexOf('Read the whole log')).toBeLessThan(told.indexOf('second &lt;'));
    expect(height).toBeGreaterThan(bare.height);
    // A note outside the zoomed stretch is not on the sheet.
    const zoomed = sheetSvg(input({ notes, url: { ...PLAIN_URL, from: 20 * minute, to: 35 * minute } }));
    expect(zoomed.svg).not.toContain('Read the whole log');
  });

  it('cuts a long note after three lines, and says how many notes have no text on it', () => {
    const notes = Array.from({ length: 30 }, (_, index) => ({
      id: `n${index}`,
      sessionId: 's',
      at: at(index + 1),
      turn: index + 1,
      text: `${'word '.repeat(300)}${'x'.repeat(900)}`,
      author: null,
      createdAt: at(41),
      editedAt: null,
      editedBy: null,
      version: 1,
    }));
    const { svg } = sheetSvg(input({ notes }));
    expectWellFormed(svg);
    expect(svg).toContain('6 more notes');
    expect(svg.match(/…<\/text>/g)?.length).toBe(24);
  });

  it('draws what is laid over the trace only where it is, with its sign in the legend', () => {
    const bare = sheetSvg(input()).svg;
    expect(bare).not.toContain('so far');
    const overlay = { lens: 'last-turn' as const, points };
    const subAgents = [{ chain: '<a>', turnCount: 2, firstAt: 0, lastAt: 0, points: points.slice(0, 2) }];
    const full = sheetSvg(
      input({ overlay, subAgents, url: { ...url, lens: 'last-turn', sums: true, agents: true } }),
    ).svg;
    expectWellFormed(full);
    expect(full).toContain('the same turns by the last turn lens');
    expect(full).toContain('input of the context so far');
    expect(full).toContain('output so far');
    expect(full).toContain('1 sub-agent, by its own context');
    expect(full).toContain('&lt;a&gt;</text>');
  });

  it('says which part of the session it shows', () => {
    const part = plain(sheetSvg(input({ url: { ...url, from: 10 * minute, to: 15 * minute } })).svg);
    expect(part).toContain('1 Jan 1970, 00:10:00 UTC to 1 Jan 1970, 00:15:00 UTC · turns 10 to 15');
    expect(part).not.toContain('the whole session');
  });

  it('draws a session without a limit, an empty one and one past its limit', () => {
    const noLimit = sessionOf({ limit: null, limitSource: 'none', pressure: null, compactsAt: null });
    const over = sessionOf({ used: 260_000, pressure: 1.3, state: 'redlined' });
    for (const fields of [
      { session: noLimit },
      { points: [], contexts: [], events: [] },
      { session: over, points: [...points, pointOf({ n: 41, used: 260_000, context: 1 })] },
    ]) {
      const { svg } = sheetSvg(input(fields));
      expectWellFormed(svg);
      expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    }
    expect(plain(sheetSvg(input({ session: noLimit })).svg)).toContain('no limit is known');
  });

  it('has the trace of the page: the same steps at the same width', () => {
    const sheet = prepareSheet({ ...input(), width: 1_123 - 64 });
    const first = sheet.rows.ink?.[0];
    expect(first).toBeDefined();
    const x = Math.round(sheet.frame.x(first?.x ?? 0) * 100) / 100;
    const y = Math.round(sheet.frame.y(first?.y ?? 0) * 100) / 100;
    expect(sheetSvg(input()).svg).toContain(`d="M${x} ${y}`);
  });

  it('is black on white on paper', () => {
    const { svg } = sheetSvg(input(), PRINT_COLOURS);
    expect(svg).toContain('fill="#ffffff"');
    expect(svg).not.toContain(SHEET_COLOURS.paper);
  });
});

describe('the parts of it', () => {
  it('escape what XML cannot hold, and leave other letters alone', () => {
    expect(escapeXml('a<b>&"\'\u0001\n\ud83d\ude00')).toBe('a&lt;b&gt;&amp;&quot;&#39;\ufffd\n\ud83d\ude00');
  });

  it('name the file by plain letters alone', () => {
    const now = Date.UTC(2026, 10, 22);
    expect(fileName({ title: 'Über ../../etc “x”', key: 'k' }, now, 'svg')).toBe(
      'barograph-uber-etc-x-2026-11-22.svg',
    );
    expect(fileName({ title: '日本', key: 'k' }, now, 'png')).toBe('barograph-2026-11-22.png');
  });
});
