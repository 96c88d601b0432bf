/** What operators wrote, on the sheet that is taken away: a number where each note stands, its text at the foot. */
import type { Note } from '@/core/api/notes';
import { formatInstant } from '../../format/format-time';
import { excerpt, placeNotes } from '../../notes/place-notes';
import type { Sheet } from '../prepare-sheet';
import type { SessionUrl } from '../session-url';
import { NUMERALS, type SheetColours } from './sheet-colours';
import { el, type Markup, words } from './svg-markup';

export interface DrawnNotes {
  /** On the barogram, in its place. */
  marks: Markup;
  /** The texts, from the given place down. */
  texts: (x: number, y: number) => Markup;
  /** Of the texts, pixels; 0: there is no note on the sheet. */
  height: number;
}

interface NotesContext {
  sheet: Sheet;
  url: SessionUrl;
  zone: string;
  colours: SheetColours;
  /** Room for a line, pixels. */
  width: number;
}

const LINE = 15;
const NUMBER = 22;
/** An 11 px letter takes so much, on the whole. */
const LETTER_PX = 5.6;
const MOST_LINES = 3;
/** A sheet is no log: as many notes have their text on it. */
const MOST_NOTES = 24;
const SLIP = 13;

export function drawNotes(
  notes: readonly Note[],
  { sheet, url, zone, colours, width }: NotesContext,
): DrawnNotes {
  const { frame, xDomain, unit, points, limit } = sheet;
  const placed = placeNotes(notes, { frame, xDomain, axis: url.axis, unit, points, limit });
  const numbers = new Map(placed.flatMap((mark) => mark.notes).map((note, index) => [note.id, index + 1]));
  const rows = placed
    .flatMap((mark) => mark.notes)
    .slice(0, MOST_NOTES)
    .map((note) => ({
      number: numbers.get(note.id) ?? 0,
      lines: wrap(noteWords(note, zone), Math.floor((width - NUMBER) / LETTER_PX)),
    }));
  const left = numbers.size - rows.length;
  const height = rows.reduce((sum, { lines }) => sum + lines.length * LINE + 2, 0) + (left > 0 ? LINE : 0);
  const marks = placed.map(({ x, y, notes: here }) => {
    const foot = y ?? frame.bottom;
    const isAbove = foot - SLIP - 12 > frame.top;
    const top = isAbove ? foot - SLIP - 7 : foot + 7;
    const first = numbers.get(here[0]?.id ?? '') ?? 0;
    const name = here.length === 1 ? `${first}` : `${first}–${first + here.length - 1}`;
    const slip = Math.max(SLIP, name.length * 6 + 5);
    return el(
      'g',
      {},
      el('line', { x1: x, x2: x, y1: foot, y2: isAbove ? top + SLIP : top, stroke: colours.ink }),
      el('rect', {
        x: x - slip / 2,
        y: top,
        width: slip,
        height: SLIP,
        fill: colours.paper,
        stroke: colours.ink,
      }),
      el(
        'text',
        { x, y: top + 10, 'text-anchor': 'middle', 'font-size': 9, ...NUMERALS, fill: colours.ink },
        words(name),
      ),
    );
  });
  return {
    marks: el('g', {}, ...marks),
    height,
    texts: (x, y) => {
      let at = y;
      const texts = rows.flatMap(({ number, lines }) => {
        const top = at;
        at += lines.length * LINE + 2;
        return [
          el('text', { x, y: top + 10, ...NUMERALS, fill: colours.ink }, words(`${number}`)),
          ...lines.map((line, index) =>
            el('text', { x: x + NUMBER, y: top + 10 + index * LINE, fill: colours.ink }, words(line)),
          ),
        ];
      });
      const more =
        left > 0
          ? [el('text', { x: x + NUMBER, y: at + 10, fill: colours.ink2 }, words(`${left} more notes`))]
          : [];
      return el('g', {}, ...texts, ...more);
    },
  };
}

function noteWords({ at, turn, author, text }: Note, zone: string): string {
  const where = [formatInstant(at, zone), turn === null ? '' : `turn ${turn}`, author ?? '']
    .filter(Boolean)
    .join(', ');
  return `${where}: ${excerpt(text, 600).replace(/\s+/g, ' ').trim()}`;
}

/** At word ends, or within a word that is longer than a line; what does not fit ends in a sign. */
function wrap(text: string, letters: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const pieces = Array.from(word).length <= letters ? [word] : chunks(word, letters);
    for (const piece of pieces) {
      const longer = line === '' ? piece : `${line} ${piece}`;
      if (Array.from(longer).length <= letters) line = longer;
      else {
        lines.push(line);
        line = piece;
      }
    }
  }
  lines.push(line);
  if (lines.length <= MOST_LINES) return lines;
  const last = Array.from(lines[MOST_LINES - 1] ?? '').slice(0, letters - 1);
  return [...lines.slice(0, MOST_LINES - 1), `${last.join('')}…`];
}

function chunks(word: string, letters: number): string[] {
  const all = Array.from(word);
  return Array.from({ length: Math.ceil(all.length / letters) }, (_, index) =>
    all.slice(index * letters, (index + 1) * letters).join(''),
  );
}
