import type postgres from 'postgres';
import type { TurnRow } from '../../core/api/session';
import { unpackTurnBits } from '../codes/turn-bits';

export interface StoredTurn {
  position: number;
  number: number;
  chain: string;
  context: number;
  runnerTime: Date;
  serverTime: Date;
  model: string | null;
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
  cumulativeInput: number;
  cumulativeOutput: number;
  cumulativeCacheRead: number;
  reading: number | null;
  limitTokens: number | null;
  bits: number;
  callKey: string;
}

/** Columns of a turn `t` of chain `ch` with model `m`, as `toTurnRow` reads them. */
export function turnColumns(sql: postgres.ISql) {
  return sql`
    t.position, t.number, ch.key as chain, t.context, t.runner_time as "runnerTime",
    t.server_time as "serverTime", m.name as model, t.input, t.output, t.cache_read as "cacheRead",
    t.cache_creation as "cacheCreation", t.cumulative_input as "cumulativeInput",
    t.cumulative_output as "cumulativeOutput", t.cumulative_cache_read as "cumulativeCacheRead",
    t.reading, t.limit_tokens as "limitTokens", t.bits, t.call_key::text as "callKey"`;
}

export function turnTables(sql: postgres.ISql) {
  return sql`
    turns t
    join chains ch on ch.month = t.month and ch.session_id = t.session_id and ch.chain = t.chain
    left join models m on m.id = t.model_id`;
}

/** Counts are as reported. */
export function toTurnRow(row: StoredTurn): TurnRow {
  const { scope, basis, limitSource, flags, hasCall } = unpackTurnBits(row.bits);
  const { input, output, cacheRead, cacheCreation } = row;
  // A clock that was off is not believed: the server's time stands for it.
  const at = flags.clock ? row.serverTime : row.runnerTime;
  return {
    number: row.number,
    chain: row.chain,
    context: row.context,
    scope,
    call: hasCall ? row.callKey : null,
    at: at.toISOString(),
    receivedAt: row.serverTime.toISOString(),
    model: row.model,
    usage: flags.noUsage || flags.readingOnly ? null : { input, output, cacheRead, cacheCreation },
    cumulative: {
      input: row.cumulativeInput,
      output: row.cumulativeOutput,
      cacheRead: row.cumulativeCacheRead,
    },
    contextTokens: row.reading,
    basis,
    limit: row.limitTokens,
    limitSource,
    flags: Object.entries(flags)
      .filter(([, set]) => set)
      .map(([name]) => name),
  };
}
