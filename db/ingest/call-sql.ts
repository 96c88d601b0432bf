import type postgres from 'postgres';

/**
 * Columns of a turn `t`, as `CallRow` has them. The names are looked up per row: a join could be planned from the
 * chains' side, and probe every chain of a session for each of its calls.
 */
export function callColumns(tx: postgres.TransactionSql) {
  return tx`
    t.position, t.seq, t.hash::text as hash, t.input, t.output, t.cache_read as "cacheRead",
    t.cache_creation as "cacheCreation", t.cumulative_input as "cumulativeInput",
    t.cumulative_output as "cumulativeOutput", t.cumulative_cache_read as "cumulativeCacheRead", t.reading,
    t.limit_tokens as "limitTokens", t.runner_time as "runnerTime", t.server_time as "serverTime",
    t.chart_time as "chartTime", t.stream_id as "streamId", t.number, t.context, t.bits,
    (select c.key from chains c where c.month = t.month and c.session_id = t.session_id and c.chain = t.chain)
      as "chainKey",
    (select name from models where id = t.model_id) as model, t.call_key::text as "callKey"`;
}
