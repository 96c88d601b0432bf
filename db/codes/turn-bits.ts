/** Packs the small properties of a turn into one integer. Sixteen columns would take as much space as the counts. */
import {
  LIMIT_SOURCES,
  type LimitSource,
  type ReadingBasis,
  type SourceName,
  type TurnFlags,
} from '../../core/accounting/types';

/** Sources by code, best first. Codes are stored: only append. */
const SOURCES: readonly SourceName[] = ['transcript', 'sdk', 'hook', 'otlp'];

export function sourceCode(source: SourceName): number {
  return SOURCES.indexOf(source);
}

/** @throws for an unknown code */
export function sourceOf(code: number): SourceName {
  const source = SOURCES[code];
  if (!source) throw new RangeError(`no source has the code ${code}`);
  return source;
}

/** Decodes `sessions.sources` (bit 0 transcript … bit 3 otlp) into sources, best first. */
export function sourcesOf(bits: number): SourceName[] {
  return SOURCES.filter((_, code) => bits & (1 << code));
}

export interface TurnBits {
  scope: 'main' | 'side';
  /** Basis of the reading; null if there is no reading. */
  basis: ReadingBasis | null;
  limitSource: LimitSource;
  /** Code of the source. */
  source: number;
  flags: TurnFlags;
  /** The item had a call id. Otherwise the call key is derived from stream and seq. */
  hasCall: boolean;
  /** The snapshot lens uses the reading of this turn. */
  readingUsed: boolean;
  /**
   * The snapshot lens has a value after this turn: the turn's own reading, or the last used reading before the turn.
   */
  snapshotKnown: boolean;
  /** The clocks of runner and server agreed at the hello, so the server trusts an old time. */
  clockAgrees: boolean;
  /** High bits of the packed sources of the figures (db/ingest/columns.ts). */
  figures: number;
}

const SIDES = ['main', 'side'] as const;
const BASES: readonly (ReadingBasis | null)[] = [null, 'total', 'input', 'estimate'];
const FLAGS: readonly (keyof TurnFlags)[] = [
  'estimated',
  'untracked',
  'noUsage',
  'inherited',
  'negative',
  'clock',
  'readingIgnored',
  'readingOnly',
];

/** Positions of the fields, lowest bit first. Stored rows depend on them, so never change a position. */
export const TURN_BITS = {
  side: 1 << 0,
  basisShift: 1,
  limitSourceShift: 3,
  sourceShift: 7,
  flagsShift: 9,
  hasCall: 1 << 17,
  readingUsed: 1 << 18,
  snapshotKnown: 1 << 19,
  clockAgrees: 1 << 20,
  figuresShift: 21,
} as const;

/** The bit of one flag, for conditions in SQL. */
export function flagBit(flag: keyof TurnFlags): number {
  return 1 << (TURN_BITS.flagsShift + FLAGS.indexOf(flag));
}

export function packTurnBits(turn: TurnBits): number {
  let bits =
    SIDES.indexOf(turn.scope) |
    (BASES.indexOf(turn.basis) << TURN_BITS.basisShift) |
    (LIMIT_SOURCES.indexOf(turn.limitSource) << TURN_BITS.limitSourceShift) |
    (turn.source << TURN_BITS.sourceShift) |
    (turn.figures << TURN_BITS.figuresShift) |
    (turn.clockAgrees ? TURN_BITS.clockAgrees : 0) |
    (turn.hasCall ? TURN_BITS.hasCall : 0) |
    (turn.readingUsed ? TURN_BITS.readingUsed : 0) |
    (turn.snapshotKnown ? TURN_BITS.snapshotKnown : 0);
  for (let i = 0; i < FLAGS.length; i += 1) {
    const flag = FLAGS[i];
    if (flag && turn.flags[flag]) bits |= 1 << (TURN_BITS.flagsShift + i);
  }
  return bits;
}

/** @throws for bits that this code cannot have written */
export function unpackTurnBits(bits: number): TurnBits {
  const limitSource = LIMIT_SOURCES[(bits >> TURN_BITS.limitSourceShift) & 15];
  if (!limitSource) throw new RangeError(`no turn has the bits ${bits}`);
  const has = (bit: number) => (bits & bit) !== 0;
  return {
    scope: SIDES[bits & 1] ?? 'main',
    basis: BASES[(bits >> TURN_BITS.basisShift) & 3] ?? null,
    limitSource,
    ...unpackReportBits(bits),
    flags: Object.fromEntries(
      FLAGS.map((flag, index) => [flag, has(1 << (TURN_BITS.flagsShift + index))]),
    ) as unknown as TurnFlags,
    hasCall: has(TURN_BITS.hasCall),
    readingUsed: has(TURN_BITS.readingUsed),
    snapshotKnown: has(TURN_BITS.snapshotKnown),
    figures: bits >>> TURN_BITS.figuresShift,
  };
}

/** Reports store source and clock in the same bits as turns. */
export function packReportBits(source: number, clockAgrees: boolean): number {
  return (source << TURN_BITS.sourceShift) | (clockAgrees ? TURN_BITS.clockAgrees : 0);
}

export function unpackReportBits(bits: number): { source: number; clockAgrees: boolean } {
  return { source: (bits >> TURN_BITS.sourceShift) & 3, clockAgrees: (bits & TURN_BITS.clockAgrees) !== 0 };
}
