import type postgres from 'postgres';

/** Columns of a turn `t` with its chain `c` and model `models`, as `CallRow` has them. */
export function callColumns(tx: postgres.TransactionSql) {
  return tx`
    t.position, t.seq, t.hash::text as hash, t.input, t.output, t.cache_read as "cacheRead",
    t.cache_creation as "cacheCreation", t.cumulative_input as "cumulativeInput",
    t.cumulative_output as "cumulativeOutput", t.cumulative_cache_read as "cumulativeCacheRead", t.reading,
    t.limit_tokens as "limitTokens", t.runner_time as "runnerTime", t.server_time as "serverTime",
    t.chart_time as "chartTime", t.stream_id as "streamId", t.number, t.context, t.bits,
    c.key as "chainKey", models.name as model, t.call_key as "callKey"`;
}
