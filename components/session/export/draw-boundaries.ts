/** Boundaries and their flags as SVG text: the marks of components/charts/boundary-marks.tsx. */
import { toUnit } from '../../charts/chart-scale';
import { type PlacedBoundary, ticksPath } from '../../charts/pick-marks';
import { FLAG_LEVEL_HEIGHT } from '../../charts/prepare-flags';
import { hatchPath, tornEdgePath } from '../../charts/torn-edge';
import type { Sheet } from '../prepare-sheet';
import { NUMERALS, type SheetColours } from './sheet-colours';
import { el, type Markup, words } from './svg-markup';

const STRIP = 9;

export function drawBoundaries(sheet: Sheet, colours: SheetColours): Markup {
  const { top, bottom } = sheet.frame;
  const rule = (x: number, style: Record<string, string | number> = {}) =>
    el('line', { x1: x, x2: x, y1: top, y2: bottom, stroke: colours.ink, ...style });
  const ticks = ticksPath(sheet.marks, top);
  const drawn = sheet.marks.filter(({ size }) => size !== 'tick');
  const marks = drawn.map((mark) => {
    if (mark.boundary.kind === 'compaction') return drawTear(sheet, mark, colours);
    if (mark.boundary.kind === 'clear') return rule(mark.x, { 'stroke-dasharray': '1 3' });
    return mark.size === 'full' ? el('g', {}, rule(mark.x - 1.75), rule(mark.x + 1.75)) : rule(mark.x);
  });
  const notches = sheet.notches.map(({ x }) =>
    el('path', { d: `M${x - 3} ${top}h6l-3 4z`, fill: colours.ink2 }),
  );
  return el(
    'g',
    {},
    ...(ticks === ''
      ? []
      : [el('path', { d: ticks, fill: 'none', stroke: colours.ink3, 'stroke-width': 0.75 })]),
    ...marks,
    ...notches,
  );
}

/** The paper is torn over the full height; the hatch between before and after is what was freed. */
function drawTear(sheet: Sheet, { boundary, x, size }: PlacedBoundary, colours: SheetColours): Markup {
  const { frame, unit } = sheet;
  const limit = boundary.limit ?? sheet.limit;
  const before = toUnit(boundary.from, limit, unit);
  const after = toUnit(boundary.to, limit, unit);
  const top = before === null ? null : Math.max(frame.top, frame.y(before));
  const bottom = after === null ? null : Math.min(frame.bottom, frame.y(after));
  const freed = top !== null && bottom !== null && bottom > top ? { top, bottom } : null;
  if (size === 'slim') {
    return el('line', {
      x1: x,
      x2: x,
      y1: freed?.top ?? frame.top,
      y2: freed?.bottom ?? frame.bottom,
      stroke: colours.ink,
      'stroke-width': 0.75,
      'stroke-dasharray': '2 2',
    });
  }
  const edge = { from: frame.top, to: frame.bottom, direction: 'vertical' } as const;
  return el(
    'g',
    { fill: 'none' },
    el('rect', {
      x: x - STRIP / 2,
      y: frame.top,
      width: STRIP,
      height: frame.bottom - frame.top,
      fill: colours.paper,
    }),
    ...[-STRIP / 2, STRIP / 2].map((offset) =>
      el('path', {
        d: tornEdgePath({ ...edge, seed: `${boundary.id}${offset}`, at: x + offset }),
        stroke: colours.ink3,
        'stroke-width': 0.75,
      }),
    ),
    ...(freed === null
      ? []
      : [
          el('path', {
            d: hatchPath({ x: x - 4, y: freed.top, width: 8, height: freed.bottom - freed.top }),
            stroke: colours.ink,
            'stroke-width': 0.9,
          }),
        ]),
  );
}

export function drawFlags({ flags, frame }: Sheet, colours: SheetColours): Markup {
  return el(
    'g',
    {},
    ...flags.flatMap(({ x, level, side, text, note }) => {
      const y = frame.top - 9 - level * FLAG_LEVEL_HEIGHT;
      const isLeft = side === 'left';
      return [
        el('line', { x1: x, x2: x, y1: frame.top, y2: y - 3, stroke: colours.ink }),
        el(
          'text',
          { x: x + (isLeft ? -5 : 5), y: y + 2, 'text-anchor': isLeft ? 'end' : undefined },
          ...(text === '' ? [] : [el('tspan', { ...NUMERALS, fill: colours.ink }, words(text))]),
          ...(note === ''
            ? []
            : [el('tspan', { dx: text === '' ? undefined : 6, fill: colours.ink2 }, words(note))]),
        ),
      ];
    }),
  );
}
