/**
 * New calls as an array per column: the hot table. Written as array literals, which cost the server half of what JSON
 * records do; all of them are numbers and need no quotes.
 */
import type postgres from 'postgres';
import type { CallRecord, DerivedColumns } from './call-row';
import type { Place } from './rows';

/** Columns and their types; times are milliseconds. */
const COLUMNS = {
  position: 'int8',
  seq: 'int8',
  hash: 'int4',
  input: 'int8',
  output: 'int8',
  cache_read: 'int8',
  cache_creation: 'int8',
  cumulative_input: 'int8',
  cumulative_output: 'int8',
  cumulative_cache_read: 'int8',
  reading: 'int8',
  limit_tokens: 'int8',
  runner_time: 'float8',
  server_time: 'float8',
  chart_time: 'float8',
  stream_id: 'int4',
  session_id: 'int4',
  number: 'int4',
  context: 'int4',
  bits: 'int4',
  chain: 'int2',
  model_id: 'int4',
  month: 'int2',
  call_key: 'int8',
} as const;

type Column = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as Column[];

export interface CallColumns {
  length: number;
  values: Record<Column, (number | string)[]>;
}

export function newCallColumns(): CallColumns {
  return {
    length: 0,
    values: Object.fromEntries(NAMES.map((name) => [name, []])) as unknown as CallColumns['values'],
  };
}

export function pushCall(
  calls: CallColumns,
  place: Place,
  record: CallRecord,
  columns: DerivedColumns,
  chain: number,
  model: number | null,
): void {
  const { values } = calls;
  const { usage, contextTokens } = record.facts;
  calls.length += 1;
  values.position.push(record.position);
  values.seq.push(record.seq);
  values.hash.push(record.hash);
  values.input.push(usage?.input ?? 0);
  values.output.push(usage?.output ?? 0);
  values.cache_read.push(usage?.cacheRead ?? 0);
  values.cache_creation.push(usage?.cacheCreation ?? 0);
  values.cumulative_input.push(columns.cumulativeInput);
  values.cumulative_output.push(columns.cumulativeOutput);
  values.cumulative_cache_read.push(columns.cumulativeCacheRead);
  values.reading.push(contextTokens ?? 'NULL');
  values.limit_tokens.push(columns.limitTokens ?? 'NULL');
  values.runner_time.push(record.runnerTime);
  values.server_time.push(record.serverTime);
  values.chart_time.push(columns.chartTime);
  values.stream_id.push(record.streamId);
  values.session_id.push(place.id);
  values.number.push(columns.number);
  values.context.push(columns.context);
  values.bits.push(columns.bits);
  values.chain.push(chain);
  values.model_id.push(model ?? 'NULL');
  values.month.push(place.month);
  values.call_key.push(record.callKey);
}

const SELECTED = NAMES.map((name) => (COLUMNS[name] === 'float8' ? `to_timestamp(${name} / 1000.0)` : name));
const ARRAYS = NAMES.map((name, index) => `$${index + 1}::text::${COLUMNS[name]}[]`);
const INSERT = `
  insert into turns (${NAMES.join(', ')}) select ${SELECTED.join(', ')}
  from unnest(${ARRAYS.join(', ')}) as r (${NAMES.join(', ')})`;

export function insertCalls(tx: postgres.TransactionSql, { values }: CallColumns): Promise<unknown> {
  return tx.unsafe(
    INSERT,
    NAMES.map((name) => `{${values[name].join(',')}}`),
    { prepare: true },
  );
}
