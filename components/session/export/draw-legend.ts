/** The foot of the sheet: what each sign on it means, with how often it stands there. */
import type { Session } from '@/core/api/session';
import { hatchPath, tornEdgePath } from '../../charts/torn-edge';
import { LENS_NAME } from '../lens-sentence';
import type { Sheet } from '../prepare-sheet';
import type { SessionUrl } from '../session-url';
import type { SheetColours } from './sheet-colours';
import { el, type Markup, words } from './svg-markup';

interface LegendItem {
  /** Drawn in a box of 24 × 12. */
  sign: Markup;
  text: string;
}

const SIGN = { width: 24, height: 12 };
const ROW = 17;

/** Only what is on the sheet. */
export function legendItems(
  sheet: Sheet,
  session: Session,
  url: SessionUrl,
  colours: SheetColours,
): LegendItem[] {
  const stroke = (style: Record<string, string | number> = {}) =>
    el('path', { d: 'M0 9H10V3H24', fill: 'none', stroke: colours.ink, 'stroke-width': 1.75, ...style });
  const flat = (style: Record<string, string | number>) =>
    el('path', { d: 'M0 6H24', stroke: colours.ink, ...style });
  const items: LegendItem[] = [
    {
      sign: stroke(),
      text: `${sheet.unit === 'percent' ? 'pressure' : 'tokens'} after each turn, ${session.lens} lens`,
    },
  ];
  const add = (isThere: boolean, sign: Markup, text: string) => {
    if (isThere) items.push({ sign, text });
  };
  const lens = url.lens;
  add(
    sheet.overlayRows !== null && lens !== null,
    stroke({ stroke: colours.ink3, 'stroke-width': 1 }),
    `the same turns by the ${lens === null ? '' : LENS_NAME[lens].toLowerCase()} lens`,
  );
  add(
    sheet.rows.estimate !== undefined,
    flat({ 'stroke-width': 1.75, 'stroke-dasharray': '5 2' }),
    'estimated',
  );
  add(
    sheet.rows.unknown !== undefined,
    flat({ stroke: colours.ink2, 'stroke-width': 1.25, 'stroke-dasharray': '2 2' }),
    'unknown: last known value',
  );
  add(
    sheet.rows.idle !== undefined,
    flat({ stroke: colours.ink3, 'stroke-width': 1.25, 'stroke-dasharray': '1.5 2.5' }),
    'no turn since',
  );
  add(sheet.hollow, stroke({ 'stroke-width': 3.5 }), 'hollow: the limit is assumed');
  const { length: agents } = sheet.agents;
  add(
    agents > 0,
    stroke({ stroke: colours.ink3, 'stroke-width': 1 }),
    `${agents} ${agents === 1 ? 'sub-agent' : 'sub-agents'}, by ${agents === 1 ? 'its' : 'their'} own context`,
  );
  add(
    sheet.sums.length > 0,
    stroke({ stroke: colours.ink2, 'stroke-width': 1 }),
    'input of the context so far',
  );
  add(
    sheet.sums.length > 0,
    stroke({ stroke: colours.ink2, 'stroke-width': 1, 'stroke-dasharray': '4 2' }),
    'output of the context so far',
  );
  const count = (kind: string) => sheet.marks.filter(({ boundary }) => boundary.kind === kind).length;
  const times = (kind: string, one: string) => {
    const number = count(kind);
    return `${number} ${number === 1 ? one : `${one}s`}`;
  };
  const whose = sheet.marks.some(({ boundary }) => boundary.read !== null) ? ' by the client’s count' : '';
  add(
    count('compaction') > 0,
    tearSign(colours),
    `${times('compaction', 'compaction')}, before${whose} → after`,
  );
  add(count('restart') > 0, rules([10, 13.5], colours), `${times('restart', 'restart')}: context’s number`);
  add(count('clear') > 0, rules([12], colours, '1 3'), times('clear', 'clear'));
  add(
    sheet.forecast !== null,
    el('path', { d: 'M0 10L24 2V9Z', fill: colours.ink, 'fill-opacity': 0.15 }),
    'forecast: 8 in 10 fall inside',
  );
  return items;
}

function rules(places: readonly number[], colours: SheetColours, dash?: string): Markup {
  return el(
    'g',
    { stroke: colours.ink },
    ...places.map((x) => el('path', { d: `M${x} 0V12`, 'stroke-dasharray': dash })),
  );
}

function tearSign(colours: SheetColours): Markup {
  const edge = { from: 0, to: SIGN.height, direction: 'vertical' } as const;
  return el(
    'g',
    { fill: 'none' },
    ...[8, 17].map((at) =>
      el('path', {
        d: tornEdgePath({ ...edge, seed: `legend${at}`, at }),
        stroke: colours.ink3,
        'stroke-width': 0.75,
      }),
    ),
    el('path', {
      d: hatchPath({ x: 9, y: 1, width: 8, height: 10 }),
      stroke: colours.ink,
      'stroke-width': 0.9,
    }),
  );
}

/** In columns, top to bottom. @returns its markup and its height in pixels */
export function drawLegend(
  items: readonly LegendItem[],
  box: { x: number; y: number; width: number; columns: number },
  colours: SheetColours,
): { markup: Markup; height: number } {
  const rows = Math.ceil(items.length / box.columns);
  const columnWidth = box.width / box.columns;
  const markup = el(
    'g',
    {},
    ...items.map(({ sign, text }, index) => {
      const x = box.x + Math.floor(index / rows) * columnWidth;
      const y = box.y + (index % rows) * ROW;
      return el(
        'g',
        { transform: `translate(${Math.round(x)} ${y})` },
        sign,
        el('text', { x: SIGN.width + 8, y: 10, fill: colours.ink }, words(text)),
      );
    }),
  );
  return { markup, height: rows * ROW };
}
