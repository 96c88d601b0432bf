/** One statement per table. The short names of the rows save a third of what crosses the socket. */
import type postgres from 'postgres';
import { toJsonText } from './json-text';

export type Row = Readonly<Record<string, unknown>>;
export type Write = (tx: postgres.TransactionSql, rows: readonly Row[]) => Promise<unknown>;

/** What was reported of a call, after an amendment. */
export const updateCalls: Write = (tx, rows) => tx`
  update turns x set input = r.i, output = r.o, cache_read = r.r, cache_creation = r.w, reading = r.d,
    limit_tokens = r.l, bits = r.b, chain = r.ch, model_id = r.mo
  from json_to_recordset(${toJsonText(rows)}::text::json) as r (p bigint, i bigint, o bigint, r bigint, w bigint, d bigint,
    l bigint, s int, b int, ch int, mo int, m smallint)
  where x.month = r.m and x.session_id = r.s and x.position = r.p`;

/** What follows from the calls before it, after a recomputation. */
export const updateDerived: Write = (tx, rows) => tx`
  update turns x set cumulative_input = r.ci, cumulative_output = r.co, cumulative_cache_read = r.cr,
    limit_tokens = r.l, chart_time = to_timestamp(r.tc / 1000.0), number = r.n, context = r.c, bits = r.b
  from json_to_recordset(${toJsonText(rows)}::text::json) as r (p bigint, ci bigint, co bigint, cr bigint, l bigint, tc float8,
    s int, n int, c int, b int, m smallint)
  where x.month = r.m and x.session_id = r.s and x.position = r.p`;

export const removeCalls: Write = (tx, rows) => tx`
  delete from turns x using json_to_recordset(${toJsonText(rows)}::text::json) as r (m smallint, s int, p bigint)
  where x.month = r.m and x.session_id = r.s and x.position = r.p`;

export const insertReports: Write = (tx, rows) => tx`
  insert into reports (position, seq, hash, runner_time, server_time, stream_id, session_id, month, bits, item)
  select r.p, r.q, r.h, to_timestamp(r.tr / 1000.0), to_timestamp(r.ts / 1000.0), r.t, r.s, r.m, r.b, r.i
  from json_to_recordset(${toJsonText(rows)}::text::json) as r (p bigint, q bigint, h bigint, tr float8, ts float8, t int,
    s int, m smallint, b int, i jsonb)`;

export const insertDeliveries: Write = (tx, rows) => tx`
  insert into deliveries (stream_id, seq, hash, outcome, refusal, received_at)
  select r.t, r.q, r.h, r.o, r.f, to_timestamp(r.ts / 1000.0)
  from json_to_recordset(${toJsonText(rows)}::text::json) as r (t int, q bigint, h bigint, o smallint, f jsonb, ts float8)
  on conflict do nothing`;

export const addReceived: Write = (tx, rows) => tx`
  update streams x set received = x.received + r.g::int8multirange, last_seen_at = now()
  from json_to_recordset(${toJsonText(rows)}::text::json) as r (t int, g text)
  where x.id = r.t`;

export const raiseMaxSeqs: Write = (tx, rows) => tx`
  insert into session_streams (session_id, stream_id, max_seq)
  select r.s, r.t, r.q from json_to_recordset(${toJsonText(rows)}::text::json) as r (s int, t int, q bigint)
  on conflict (session_id, stream_id)
  do update set max_seq = greatest(session_streams.max_seq, excluded.max_seq)`;

export const upsertChains: Write = (tx, rows) => tx`
  insert into chains (month, session_id, chain, key, fold)
  select r.m, r.s, r.c, r.k, r.f
  from json_to_recordset(${toJsonText(rows)}::text::json) as r (m smallint, s int, c int, k text, f json)
  on conflict (month, session_id, chain) do update set fold = excluded.fold`;

export const removeChains: Write = (tx, rows) => tx`
  delete from chains x using json_to_recordset(${toJsonText(rows)}::text::json) as r (m smallint, s int, c int)
  where x.month = r.m and x.session_id = r.s and x.chain = r.c`;

export const upsertContexts: Write = (tx, rows) => tx`
  insert into contexts (month, session_id, chain, index, started_at, ended_at, ended_by, turn_count, input, output,
    cache_read, cache_creation, calls, cumulative_input, cumulative_output, cumulative_cache_read,
    first_occupancy, last_occupancy, peak_occupancy, limit_tokens, tracked, complete)
  select r.m, r.s, r.c, r.x, to_timestamp(r.ta / 1000.0), to_timestamp(r.te / 1000.0), r.e, r.n, r.i, r.o, r.r, r.w,
    r.k, r.ci, r.co, r.cr, r.of, r.ol, r.op, r.l, r.tr, r.cp
  from json_to_recordset(${toJsonText(rows)}::text::json) as r (m smallint, s int, c int, x int, ta float8, te float8, e text,
    n int, i bigint, o bigint, r bigint, w bigint, k int, ci bigint, co bigint, cr bigint, of bigint, ol bigint,
    op bigint, l bigint, tr boolean, cp boolean)
  on conflict (month, session_id, chain, index) do update set started_at = excluded.started_at,
    ended_at = excluded.ended_at, ended_by = excluded.ended_by, turn_count = excluded.turn_count,
    input = excluded.input, output = excluded.output, cache_read = excluded.cache_read,
    cache_creation = excluded.cache_creation, calls = excluded.calls,
    cumulative_input = excluded.cumulative_input, cumulative_output = excluded.cumulative_output,
    cumulative_cache_read = excluded.cumulative_cache_read, first_occupancy = excluded.first_occupancy,
    last_occupancy = excluded.last_occupancy, peak_occupancy = excluded.peak_occupancy,
    limit_tokens = excluded.limit_tokens, tracked = excluded.tracked, complete = excluded.complete`;

/** Contexts past the last one of their chain: a recomputation found fewer boundaries. */
export const removeContexts: Write = (tx, rows) => tx`
  delete from contexts x using json_to_recordset(${toJsonText(rows)}::text::json) as r (m smallint, s int, c int, x int)
  where x.month = r.m and x.session_id = r.s and x.chain = r.c and x.index > r.x`;

export const upsertEvents: Write = (tx, rows) => tx`
  insert into events (month, session_id, cause, kind, position, rank, chain, context, turn, at, detail)
  select r.m, r.s, r.a, r.k, r.p, r.r, r.c, r.x, r.n, to_timestamp(r.ta / 1000.0), r.d
  from json_to_recordset(${toJsonText(rows)}::text::json) as r (m smallint, s int, a uuid, k text, p bigint, r smallint,
    c int, x int, n int, ta float8, d jsonb)
  on conflict (month, session_id, cause, kind) do update set position = excluded.position, rank = excluded.rank,
    chain = excluded.chain, context = excluded.context, turn = excluded.turn, at = excluded.at,
    detail = excluded.detail, revision = events.revision + 1, retracted = false`;

export const amendEvents: Write = (tx, rows) => tx`
  update events x set detail = r.d, revision = x.revision + 1
  from json_to_recordset(${toJsonText(rows)}::text::json) as r (m smallint, s int, p bigint, k text, d jsonb)
  where x.month = r.m and x.session_id = r.s and x.position = r.p and x.kind = r.k and not x.retracted
    and x.detail is distinct from r.d`;

export const retractEvents: Write = (tx, rows) => tx`
  update events x set retracted = true, revision = x.revision + 1
  from json_to_recordset(${toJsonText(rows)}::text::json) as r (m smallint, s int, a uuid, k text)
  where x.month = r.m and x.session_id = r.s and x.cause = r.a and x.kind = r.k and not x.retracted`;

/** From a position on; with `near`, only the moving one before it. */
export const removeCheckpoints: Write = (tx, rows) => tx`
  delete from checkpoints x
  using json_to_recordset(${toJsonText(rows)}::text::json) as r (m smallint, s int, p bigint, near boolean)
  where x.month = r.m and x.session_id = r.s and (x.position >= r.p or (r.near and x.near))`;

export const insertCheckpoints: Write = (tx, rows) => tx`
  insert into checkpoints (month, session_id, position, fold, edge, near)
  select r.m, r.s, r.p, r.f, r.e, r.near
  from json_to_recordset(${toJsonText(rows)}::text::json) as r (m smallint, s int, p bigint, f json, e json, near boolean)
  on conflict (month, session_id, position) do update set fold = excluded.fold, edge = excluded.edge,
    near = checkpoints.near and excluded.near`;

/** Buckets that hold a turn past this number; 0: the whole pyramid. */
export const removeBuckets: Write = (tx, rows) => tx`
  delete from pyramid x using json_to_recordset(${toJsonText(rows)}::text::json) as r (m smallint, s int, n int)
  where x.month = r.m and x.session_id = r.s and x.last_number > r.n`;

export const upsertBuckets: Write = (tx, rows) => tx`
  insert into pyramid (first_time, last_time, cumulative_min, cumulative_max, cumulative_last, snapshot_min,
    snapshot_max, snapshot_last, input, output, cache_read, cache_creation, cumulative_input, cumulative_output,
    cumulative_cache_read, limit_tokens, session_id, bucket, turns, last_number, context, bits, month, level)
  select to_timestamp(r.tf / 1000.0), to_timestamp(r.tl / 1000.0), r.c1, r.c2, r.c3, r.s1, r.s2, r.s3, r.i, r.o, r.r,
    r.w, r.ci, r.co, r.cr, r.l, r.s, r.b, r.n, r.ln, r.x, r.f, r.m, r.v
  from json_to_recordset(${toJsonText(rows)}::text::json) as r (tf float8, tl float8, c1 bigint, c2 bigint, c3 bigint,
    s1 bigint, s2 bigint, s3 bigint, i bigint, o bigint, r bigint, w bigint, ci bigint, co bigint, cr bigint,
    l bigint, s int, b int, n int, ln int, x int, f int, m smallint, v smallint)
  on conflict (month, session_id, level, bucket) do update set first_time = excluded.first_time,
    last_time = excluded.last_time, cumulative_min = excluded.cumulative_min,
    cumulative_max = excluded.cumulative_max, cumulative_last = excluded.cumulative_last,
    snapshot_min = excluded.snapshot_min, snapshot_max = excluded.snapshot_max,
    snapshot_last = excluded.snapshot_last, input = excluded.input, output = excluded.output,
    cache_read = excluded.cache_read, cache_creation = excluded.cache_creation,
    cumulative_input = excluded.cumulative_input, cumulative_output = excluded.cumulative_output,
    cumulative_cache_read = excluded.cumulative_cache_read, limit_tokens = excluded.limit_tokens,
    turns = excluded.turns, last_number = excluded.last_number, context = excluded.context, bits = excluded.bits`;

export const updateSessions: Write = (tx, rows) => tx`
  update sessions x set title = r.title, host = r.host, folder = r.folder, branch = r.branch, model = r.model,
    client = r.client, client_version = r.client_version, previous_id = r.previous_id,
    forked_from_id = r.forked_from_id, backfill = r.backfill, fold = r.fold, lens = r.lens,
    limit_tokens = r.limit_tokens, limit_source = r.limit_source, used = r.used, pressure = r.pressure,
    state = r.state, minutes_left = r.minutes_left, silent_after_ms = r.silent_after_ms,
    turn_count = r.turn_count,
    started_at = to_timestamp(r.started_at / 1000.0), last_turn_at = to_timestamp(r.last_turn_at / 1000.0),
    ended_at = to_timestamp(r.ended_at / 1000.0), items_since_checkpoint = r.items_since_checkpoint,
    owner = r.o, sources = r.so, last_position = r.p, chain_count = r.ch, recompute_from = r.rf,
    last_activity_at = to_timestamp(r.ta / 1000.0), version = r.v, changed_at = clock_timestamp()
  from json_to_recordset(${toJsonText(rows)}::text::json) as r (id int, title text, host text, folder text, branch text,
    model text, client text, client_version text, previous_id uuid, forked_from_id uuid, backfill boolean,
    fold json, lens text, limit_tokens bigint, limit_source text, used bigint, pressure float8, state text,
    minutes_left float8, silent_after_ms int, turn_count int, started_at float8, last_turn_at float8, ended_at float8,
    items_since_checkpoint int, o smallint, so smallint, p bigint, ch int, rf bigint, ta float8, v bigint)
  where x.id = r.id`;

/** What changes with every batch, for a session whose sums wait for a recomputation. */
export const markSessions: Write = (tx, rows) => tx`
  update sessions x set owner = r.o, sources = r.so, last_position = r.p, chain_count = r.ch,
    recompute_from = r.rf, last_activity_at = to_timestamp(r.ta / 1000.0), version = r.v,
    changed_at = clock_timestamp()
  from json_to_recordset(${toJsonText(rows)}::text::json) as r (id int, o smallint, so smallint, p bigint, ch int, rf bigint,
    ta float8, v bigint)
  where x.id = r.id`;

export const upsertCompositions: Write = (tx, rows) => tx`
  insert into compositions (month, session_id, call_key, stream_id, seq, source, runner_time, composition)
  select r.m, r.s, r.k, r.t, r.q, r.so, to_timestamp(r.ta / 1000.0), r.c
  from json_to_recordset(${toJsonText(rows)}::text::json) as r (m smallint, s int, k bigint, t int, q bigint, so smallint,
    ta float8, c json)
  on conflict (month, session_id, call_key) do update set stream_id = excluded.stream_id, seq = excluded.seq,
    source = excluded.source, runner_time = excluded.runner_time, composition = excluded.composition`;

/** All but the newest of each chain, and those whose call is no more. */
export const removeOldCompositions: Write = (tx, rows) => tx`
  with ranked as (
    select x.month, x.session_id, x.call_key, r.n, t.position is null as is_lost,
      row_number() over (partition by x.session_id, t.chain order by t.position desc) as rank
    from json_to_recordset(${toJsonText(rows)}::text::json) as r (m smallint, s int, n int)
    join compositions x on x.month = r.m and x.session_id = r.s
    left join turns t on t.month = x.month and t.session_id = x.session_id and t.call_key = x.call_key
  )
  delete from compositions x using ranked o
  where x.month = o.month and x.session_id = o.session_id and x.call_key = o.call_key and (o.is_lost or o.rank > o.n)`;

/** Behind the statements that raise the version. */
export const markCompositions: Write = (tx, rows) => tx`
  update sessions x set composition_version = x.version
  from json_to_recordset(${toJsonText(rows)}::text::json) as r (s int) where x.id = r.s`;

/** Inserted and never updated: the roll-up that takes them out holds up nobody. */
export const insertHistoryChanges: Write = (tx, rows) => tx`
  insert into history_changes (session_id, position)
  select r.s, r.p from json_to_recordset(${toJsonText(rows)}::text::json) as r (s int, p bigint)`;
