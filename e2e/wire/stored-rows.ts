import type postgres from 'postgres';
/** A stored session, without the columns that differ between deliveries. */
export async function storedRows(sql: postgres.Sql, key: string) {
  const turns = await sql`
    select t.input, t.output, t.cache_read, t.cache_creation, t.cumulative_input, t.cumulative_output,
      t.cumulative_cache_read, t.reading, t.context, t.number, t.chain, t.limit_tokens, t.chart_time
    from turns t join sessions s on s.id = t.session_id where s.key = ${key} order by t.position`;
  const events = await sql`
    select e.kind, e.context, e.turn, e.chain, e.at, e.detail
    from events e join sessions s on s.id = e.session_id
    where s.key = ${key} and not e.retracted order by e.position, e.rank`;
  const contexts = await sql`
    select c.chain, c.index, c.turn_count, c.input, c.output, c.cumulative_input, c.cumulative_output, c.calls,
      c.last_occupancy, c.peak_occupancy, c.complete, c.ended_by
    from contexts c join sessions s on s.id = c.session_id where s.key = ${key} order by c.chain, c.index`;
  return { turns: [...turns], events: [...events], contexts: [...contexts] };
}
