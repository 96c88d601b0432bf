/**
 * The barogram as a sheet of its own: title, facts, drawing, legend. One self-contained SVG text: colours are
 * inlined, no font, style or picture is fetched, and everything that people wrote is escaped. Pure.
 */
import type { Note } from '@/core/api/notes';
import type { Session } from '@/core/api/session';
import { clientName } from '../../format/boundary-words';
import { formatInstant } from '../../format/format-time';
import { formatExact } from '../../format/format-tokens';
import { LENS_NAME } from '../lens-sentence';
import { prepareSheet, type SheetInput } from '../prepare-sheet';
import { limitSourceWords } from '../session-words';
import { drawBarogram } from './draw-barogram';
import { drawLegend, legendItems } from './draw-legend';
import { drawNotes } from './draw-notes';
import { SANS, SHEET_COLOURS, type SheetColours } from './sheet-colours';
import { el, words } from './svg-markup';

export interface SheetSvg {
  svg: string;
  /** CSS pixels. */
  width: number;
  height: number;
}

/** As wide as an A4 page is at its longer side. */
const WIDTH = 1_123;
const MARGIN = 32;
const HEAD = 84;
/** Letters that fit on the title's line, also in the wider letters of a machine without ours. */
const TITLE_LETTERS = 88;
const FACT_LETTERS = 150;

/** What the page's own sheet is prepared from, without its width, and what was noted on it. */
export interface SheetSvgInput extends Omit<SheetInput, 'width'> {
  notes: readonly Note[];
}

export function sheetSvg(input: SheetSvgInput, colours: SheetColours = SHEET_COLOURS): SheetSvg {
  const { session, url, zone, now } = input;
  const inner = WIDTH - 2 * MARGIN;
  // An opened event is a matter of the page: no mark on the sheet stands out for it.
  const sheet = prepareSheet({ ...input, url: { ...url, event: null }, width: inner });
  const title = session.title ?? session.key;
  const legendTop = MARGIN + HEAD + sheet.frame.height + 22;
  const legend = drawLegend(
    legendItems(sheet, session, url, colours),
    { x: MARGIN, y: legendTop, width: inner, columns: 3 },
    colours,
  );
  const notes = drawNotes(input.notes, { sheet, url, zone, colours, width: inner });
  const notesTop = legendTop + legend.height + (notes.height > 0 ? 10 : 0);
  const height = notesTop + notes.height + MARGIN - 6;
  const drawnAt = `Barograph, ${formatInstant(now, zone)}`;
  const root = el(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width: WIDTH,
      height,
      viewBox: `0 0 ${WIDTH} ${height}`,
      'font-family': SANS,
      'font-size': 11,
      role: 'img',
    },
    el('title', {}, words(title)),
    el('desc', {}, words([...factLines(session), rangeLine(input), drawnAt].join('. '))),
    el('rect', { width: WIDTH, height, fill: colours.paper }),
    el(
      'text',
      { x: MARGIN, y: MARGIN + 14, 'font-size': 17, 'font-weight': 600, fill: colours.ink },
      words(shorten(title, TITLE_LETTERS)),
    ),
    el(
      'text',
      { x: WIDTH - MARGIN, y: MARGIN + 66, 'text-anchor': 'end', fill: colours.ink2 },
      words(drawnAt),
    ),
    ...[...factLines(session), rangeLine(input)].map((line, index) =>
      el(
        'text',
        { x: MARGIN, y: MARGIN + 34 + index * 16, fill: colours.ink2 },
        words(shorten(line, FACT_LETTERS)),
      ),
    ),
    el(
      'g',
      { transform: `translate(${MARGIN} ${MARGIN + HEAD})` },
      drawBarogram(sheet, session.state, colours),
      notes.marks,
    ),
    el('path', {
      d: `M${MARGIN} ${legendTop - 12}H${WIDTH - MARGIN}`,
      stroke: colours.hair2,
    }),
    legend.markup,
    notes.texts(MARGIN, notesTop),
  );
  return { svg: root.svg, width: WIDTH, height };
}

/** Who ran, on what, and what 100 % is. */
function factLines(session: Session): string[] {
  const client =
    session.client === null
      ? ''
      : [clientName(session.client), session.clientVersion].filter(Boolean).join(' ');
  const who = [session.project, session.model, client, session.host].filter(Boolean);
  const scale =
    session.limit === null
      ? 'no limit is known: tokens, no percentage'
      : `100 % = limit ${formatExact(session.limit)} tokens, ${[limitSourceWords(session.limitSource), session.limitDate].filter(Boolean).join(', ')}`;
  return [
    who.join(' · '),
    [
      scale,
      session.restartLine === null || session.restartLine > 1 || session.limit === null
        ? ''
        : `restart line ${Math.round(session.restartLine * 100)} %`,
      session.compactsAt === null ? '' : `client compacts at ${formatExact(session.compactsAt)}`,
      `${LENS_NAME[session.lens].toLowerCase()} lens`,
    ]
      .filter(Boolean)
      .join(' · '),
  ];
}

/** Which part of the session, in times and turns. */
function rangeLine({ points, url, zone }: Omit<SheetInput, 'width'>): string {
  const inside = points.filter(
    ({ t }) => (url.from === null || t >= url.from) && (url.to === null || t <= url.to),
  );
  const first = inside[0];
  const last = inside.at(-1);
  if (!first || !last) return 'no turn in this range';
  const from = formatInstant(url.from ?? first.t, zone);
  const to = formatInstant(url.to ?? last.t, zone);
  const isWhole = url.from === null && url.to === null;
  return `${from} to ${to} · turns ${formatExact(Math.max(1, first.n - first.turns + 1))} to ${formatExact(last.n)}${isWhole ? ', the whole session' : ''}`;
}

/** Cut between letters people see, with a sign that it was. */
function shorten(text: string, letters: number): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  const all = Array.from(flat);
  return all.length <= letters ? flat : `${all.slice(0, letters - 1).join('')}…`;
}
