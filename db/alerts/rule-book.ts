/**
 * The enabled rules and channels, compiled and cached per connection pool. After a second they are read again beside the
 * batch that asks; after two seconds the batch waits for the new ones.
 */
import type postgres from 'postgres';
import { type ChannelKind, PULLED_KINDS } from '../../core/alerts/names';
import type { AlertRule, RuleDefinition } from '../../core/alerts/rule';
import { compileScope, type Scoped } from '../../core/alerts/scope';

export interface CompiledRule extends AlertRule {
  inScope(subject: Scoped): boolean;
  /** Channels to which the server sends messages. */
  pushed: { id: string; titles: boolean }[];
}

export interface RuleBook {
  rules: CompiledRule[];
  /** Names of projects and runners by id; filled by `learnNames`. */
  projects: Map<number, string>;
  runners: Map<number, string>;
  /** Whether rules may send commands. */
  sendsCommands: boolean;
}

const FRESH_MS = 1_000;
const USABLE_MS = 2_000;
/** Pools of servers that send commands. */
const senders = new WeakSet<postgres.Sql>();

/** Let the rules of this process send commands (`BAROGRAPH_COMMANDS`). */
export function allowCommands(sql: postgres.Sql): void {
  senders.add(sql);
}

const books = new WeakMap<postgres.Sql, { readAt: number; book: Promise<RuleBook> }>();

export function ruleBook(sql: postgres.Sql): Promise<RuleBook> {
  const known = books.get(sql);
  const age = known ? performance.now() - known.readAt : Number.POSITIVE_INFINITY;
  if (known && age < FRESH_MS) return known.book;
  const book = readBook(sql, known?.book);
  books.set(sql, { readAt: performance.now(), book });
  book.catch(() => books.delete(sql));
  return known && age < USABLE_MS ? known.book : book;
}

/** A rule changed in this process: read it again at once. Other processes follow within two seconds. */
export function forgetRules(sql: postgres.Sql): void {
  books.delete(sql);
}

async function readBook(sql: postgres.Sql, before: Promise<RuleBook> | undefined): Promise<RuleBook> {
  const [rows, names] = await Promise.all([
    sql<{ id: string; definition: RuleDefinition; channels: Channel[] }[]>`
      select r.id, r.definition, coalesce((
        select json_agg(json_build_object('id', c.id, 'kind', c.kind, 'titles', c.titles)) from alert_channels c
        where c.enabled and c.deleted_at is null and r.definition->'channels' ? c.id::text
      ), '[]') as channels
      from alert_rules r where r.deleted_at is null and (r.definition->>'enabled')::boolean order by r.id`,
    before?.catch(() => undefined),
  ]);
  return {
    rules: rows.map(({ id, definition, channels }) => compileRule({ id, ...definition }, channels)),
    projects: names?.projects ?? new Map(),
    runners: names?.runners ?? new Map(),
    sendsCommands: senders.has(sql),
  };
}

interface Channel {
  id: string;
  kind: ChannelKind;
  titles: boolean;
}

function compileRule(rule: AlertRule, channels: readonly Channel[]): CompiledRule {
  return {
    ...rule,
    inScope: compileScope(rule.scope),
    pushed: channels.filter(({ kind }) => !PULLED_KINDS.includes(kind)),
  };
}

interface Owned {
  projectId: number;
  runnerId: number;
}

/** Names of projects and runners never change, so each is read once. */
export async function learnNames(sql: postgres.ISql, book: RuleBook, owned: readonly Owned[]): Promise<void> {
  const projects = new Set(owned.map(({ projectId }) => projectId).filter((id) => !book.projects.has(id)));
  const runners = new Set(owned.map(({ runnerId }) => runnerId).filter((id) => !book.runners.has(id)));
  if (projects.size + runners.size === 0) return;
  const rows = await sql<{ kind: 'projects' | 'runners'; id: number; name: string }[]>`
    select 'projects' as kind, id, name from projects where id = any(${`{${[...projects]}}`}::text::int[])
    union all select 'runners', id, name from runners where id = any(${`{${[...runners]}}`}::text::int[])`;
  for (const { kind, id, name } of rows) book[kind].set(id, name);
}
