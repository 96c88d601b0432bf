/** Words of a saved sheet: what ran, what 100 % is, which part is shown, and the notes on it. Pure. */
import type { Note } from '@/core/api/notes';
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import { LENS_NAME } from '@/core/explain/lens-phrase';
import { clientName } from '../../format/boundary-words';
import { formatInstant } from '../../format/format-time';
import { formatExact } from '../../format/format-tokens';
import { limitSourceWords } from '../../format/limit-words';
import { isWithin } from './session-events';
import type { SessionUrl } from './session-url';

export type SheetFormat = 'svg' | 'png';

/** Words around the drawing, one line each. */
export interface SheetWords {
  title: string;
  facts: readonly string[];
  notes: readonly string[];
}

const MOST_NOTES = 24;
const LONGEST_NAME = 60;

export interface SheetWordsInput {
  session: Session;
  points: readonly SeriesPoint[];
  notes: readonly Note[];
  url: Pick<SessionUrl, 'from' | 'to'>;
  /** Milliseconds. */
  now: number;
  zone: string;
}

export function sheetWords(input: SheetWordsInput): SheetWords {
  const { session, notes, url, now, zone } = input;
  const inside = notes
    .filter(({ at }) => isWithin(Date.parse(at), url))
    .sort((a, b) => a.at.localeCompare(b.at));
  const more = inside.length - MOST_NOTES;
  return {
    title: session.title ?? session.key,
    facts: [
      runLine(session),
      scaleLine(session),
      `${rangeLine(input)} · Barograph, ${formatInstant(now, zone)}`,
    ],
    notes: [
      ...inside.slice(0, MOST_NOTES).map((note) => noteLine(note, zone)),
      ...(more > 0 ? [`${more} more notes`] : []),
    ],
  };
}

function runLine({ project, model, client, clientVersion, host }: Session): string {
  const program = client === null ? '' : [clientName(client), clientVersion].filter(Boolean).join(' ');
  return [project, model, program, host].filter(Boolean).join(' · ');
}

function scaleLine({ limit, limitSource, limitDate, restartLine, compactsAt, lens }: Session): string {
  const source = [limitSourceWords(limitSource), limitDate].filter(Boolean).join(', ');
  const hasLine = limit !== null && restartLine !== null && restartLine <= 1;
  return [
    limit === null
      ? 'no known limit: tokens, no percentage'
      : `100 % = limit ${formatExact(limit)} tokens, ${source}`,
    hasLine ? `restart line ${Math.round(restartLine * 100)} %` : '',
    compactsAt === null ? '' : `client compacts at ${formatExact(compactsAt)}`,
    `${LENS_NAME[lens].toLowerCase()} lens`,
  ]
    .filter(Boolean)
    .join(' · ');
}

function rangeLine({ points, url, zone }: SheetWordsInput): string {
  const inside = points.filter(({ t }) => isWithin(t, url));
  const first = inside[0];
  const last = inside.at(-1);
  if (!first || !last) return 'no turn in this range';
  const from = formatInstant(url.from ?? first.t, zone);
  const to = formatInstant(url.to ?? last.t, zone);
  const whole = url.from === null && url.to === null ? ', the whole session' : '';
  const firstTurn = Math.max(1, first.n - first.turns + 1);
  return `${from} to ${to} · turns ${formatExact(firstTurn)} to ${formatExact(last.n)}${whole}`;
}

function noteLine({ at, turn, author, text }: Note, zone: string): string {
  const where = [formatInstant(at, zone), turn === null ? '' : `turn ${turn}`, author ?? ''];
  return `${where.filter(Boolean).join(', ')}: ${text}`;
}

/** `barograph-branch-review-2026-11-22.svg`: plain letters only. */
export function fileName(title: string, now: number, format: SheetFormat): string {
  const slug = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_NAME)
    .replace(/^-+|-+$/g, '');
  const day = new Date(now).toISOString().slice(0, 10);
  return `${['barograph', slug, day].filter(Boolean).join('-')}.${format}`;
}
