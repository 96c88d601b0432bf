/** A call as the row that stores it, and back. */
import type { DerivedTurn } from '../../core/accounting/fold-types';
import type { LimitSource, SourceName, TurnFlags } from '../../core/accounting/types';
import { type ClockJudgement, packTurnBits, unpackTurnBits } from '../codes/turn-bits';
import type { CallFacts } from './call-facts';

/** A call on its way into the table, or read from it. Times in milliseconds. */
export interface CallRecord {
  position: number;
  streamId: number;
  seq: number;
  /** Of the item that made it; as text, for it uses all 64 bits. */
  hash: string;
  callKey: string;
  source: SourceName;
  runnerTime: number;
  serverTime: number;
  clock: ClockJudgement;
  facts: CallFacts;
}

/** What the fold gave, as columns. */
export interface DerivedColumns {
  cumulativeInput: number;
  cumulativeOutput: number;
  cumulativeCacheRead: number;
  limitTokens: number | null;
  chartTime: number;
  number: number;
  context: number;
  bits: number;
}

/** A row of `turns` with its names resolved. */
export interface CallRow {
  position: number;
  seq: number;
  hash: string;
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
  cumulativeInput: number;
  cumulativeOutput: number;
  cumulativeCacheRead: number;
  reading: number | null;
  limitTokens: number | null;
  runnerTime: Date;
  serverTime: Date;
  chartTime: Date;
  streamId: number;
  number: number;
  context: number;
  bits: number;
  chainKey: string;
  model: string | null;
  callKey: string;
}

export function recordOf(row: CallRow): CallRecord {
  const bits = unpackTurnBits(row.bits);
  const usage = bits.flags.noUsage
    ? null
    : {
        ...(bits.absent.input ? {} : { input: row.input }),
        output: row.output,
        ...(bits.absent.cacheRead ? {} : { cacheRead: row.cacheRead }),
        ...(bits.absent.cacheCreation ? {} : { cacheCreation: row.cacheCreation }),
      };
  return {
    position: row.position,
    streamId: row.streamId,
    seq: row.seq,
    hash: row.hash,
    callKey: row.callKey,
    source: bits.source,
    runnerTime: row.runnerTime.getTime(),
    serverTime: row.serverTime.getTime(),
    clock: bits.clock,
    facts: {
      kind: bits.flags.readingOnly ? 'reading' : 'turn',
      chain: row.chainKey,
      scope: bits.scope,
      hasCall: bits.hasCall,
      model: row.model,
      limit: bits.ownLimit ? row.limitTokens : null,
      usage,
      contextTokens: row.reading,
      basis: bits.basis,
      inherited: bits.flags.inherited,
    },
  };
}

export function derivedOf(row: CallRow): DerivedColumns {
  return {
    cumulativeInput: row.cumulativeInput,
    cumulativeOutput: row.cumulativeOutput,
    cumulativeCacheRead: row.cumulativeCacheRead,
    limitTokens: row.limitTokens,
    chartTime: row.chartTime.getTime(),
    number: row.number,
    context: row.context,
    bits: row.bits,
  };
}

export function deriveColumns(record: CallRecord, derived: DerivedTurn): DerivedColumns {
  const { facts } = record;
  const readingUsed =
    facts.contextTokens !== null &&
    derived.usedSnapshot === facts.contextTokens &&
    facts.scope === 'main' &&
    !derived.flags.readingIgnored &&
    !derived.flags.inherited &&
    !derived.flags.superseded;
  return {
    cumulativeInput: derived.cumulative.input,
    cumulativeOutput: derived.cumulative.output,
    cumulativeCacheRead: derived.cumulative.cacheRead,
    limitTokens: derived.limit,
    chartTime: derived.time,
    number: derived.number,
    context: derived.context,
    bits: pack(record, derived.flags, derived.limitSource, readingUsed, derived.usedSnapshot !== null),
  };
}

const NO_FLAGS: TurnFlags = {
  estimated: false,
  untracked: false,
  noUsage: false,
  inherited: false,
  negative: false,
  clock: false,
  superseded: false,
  readingIgnored: false,
  readingOnly: false,
};

/** Columns of a call that waits for its fold: everything that was reported, nothing that follows from it. */
export function rawColumns(record: CallRecord): DerivedColumns {
  const { facts } = record;
  const flags = {
    ...NO_FLAGS,
    noUsage: facts.usage === null,
    inherited: facts.inherited,
    readingOnly: facts.kind === 'reading',
  };
  return {
    cumulativeInput: 0,
    cumulativeOutput: 0,
    cumulativeCacheRead: 0,
    limitTokens: facts.limit,
    chartTime: record.runnerTime,
    number: 0,
    context: 0,
    bits: pack(record, flags, facts.limit === null ? 'none' : 'turn', false, false),
  };
}

function pack(
  record: CallRecord,
  flags: TurnFlags,
  limitSource: LimitSource,
  readingUsed: boolean,
  snapshotKnown: boolean,
): number {
  const { facts } = record;
  const { usage } = facts;
  return packTurnBits({
    scope: facts.scope,
    basis: facts.basis,
    limitSource,
    source: record.source,
    flags,
    ownLimit: facts.limit !== null,
    hasCall: facts.hasCall,
    readingUsed,
    snapshotKnown,
    clock: record.clock,
    absent: {
      input: usage !== null && usage.input === undefined,
      cacheRead: usage !== null && usage.cacheRead === undefined,
      cacheCreation: usage !== null && usage.cacheCreation === undefined,
    },
  });
}

/** Whether two derivations differ in any column. */
export function isDerivedSame(a: DerivedColumns, b: DerivedColumns): boolean {
  return (
    a.bits === b.bits &&
    a.number === b.number &&
    a.context === b.context &&
    a.cumulativeInput === b.cumulativeInput &&
    a.cumulativeOutput === b.cumulativeOutput &&
    a.cumulativeCacheRead === b.cumulativeCacheRead &&
    a.limitTokens === b.limitTokens &&
    a.chartTime === b.chartTime
  );
}
