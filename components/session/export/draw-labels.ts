/** Names of lines and traces at the right edge, where they are: no legend is needed for them. */
import { formatPercent } from '@/components/format/format-percent';
import { solveLabels } from '../../charts/solve-labels';
import { STATE_WORD } from '../../ui/state-label';
import type { Sheet } from '../prepare-sheet';
import { NUMERALS, type SheetColours, stateColour } from './sheet-colours';
import { el, type Markup, words } from './svg-markup';

const NOTE_HEIGHT = 13;

export function drawLabels({ frame, lines, sums, current }: Sheet, colours: SheetColours): Markup {
  const ends = sums.flatMap((sum) => (sum.y === null ? [] : [{ ...sum, y: sum.y }]));
  const placed = solveLabels(
    [
      ...lines.map(({ id, y, note }) => ({
        id: id as string,
        y: frame.y(y) - (note ? 7 : 0),
        below: note ? NOTE_HEIGHT : 0,
      })),
      ...(current === null ? [] : [{ id: 'current', y: frame.y(current.y) }]),
      ...ends.map(({ id, y }) => ({ id, y: frame.y(y) })),
    ],
    { gap: 14, min: frame.top - 6, max: frame.bottom },
  );
  const x = frame.right + 16;
  const at = (id: string) => (placed.get(id) ?? 0) + 4;
  const amountOf = (amount: string) => el('tspan', { ...NUMERALS, dx: 4 }, words(amount));
  return el(
    'g',
    {},
    ...lines.flatMap(({ id, name, amount, note, next }) => [
      el(
        'text',
        { x, y: at(id), fill: colours.ink, 'font-weight': next ? 600 : undefined },
        words(name),
        amountOf(amount),
      ),
      ...(note === null ? [] : [el('text', { x, y: at(id) + NOTE_HEIGHT, fill: colours.ink2 }, words(note))]),
    ]),
    ...ends.map(({ id, name, amount }) =>
      el('text', { x, y: at(id), fill: colours.ink2 }, words(name), amountOf(amount)),
    ),
    ...(current === null
      ? []
      : [
          el(
            'text',
            { x, y: at('current'), fill: stateColour(current.state, colours) },
            el('tspan', { ...NUMERALS, 'font-weight': 600 }, words(formatPercent(current.ratio))),
            el('tspan', { dx: 8 }, words(STATE_WORD[current.state])),
          ),
        ]),
  );
}
