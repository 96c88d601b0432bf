/**
 * The short way for nearly all traffic: a turn whose every field is valid, in a fraction of the schema's time. Any
 * doubt goes to the schema, which alone refuses; `plain-turn.test.ts` holds the two together.
 */
import type { TurnItem, Usage } from './items';
import { PROTOCOL_LIMITS } from './limits';

const { maxKeyLength, maxLabelLength } = PROTOCOL_LIMITS;
/** Printable ASCII only: everything beyond is rare in keys and left to the schema. */
const printable = /^[ -~]+$/;
const LAST_INSTANT = 253_402_300_799_999;

const isKey = (v: unknown): v is string =>
  typeof v === 'string' && v.length <= maxKeyLength && printable.test(v);
const isLabel = (v: unknown): v is string =>
  typeof v === 'string' && v.length <= maxLabelLength && printable.test(v);
const isCount = (v: unknown): v is number => Number.isSafeInteger(v);
const isSize = (v: unknown): v is number => Number.isSafeInteger(v) && (v as number) >= 0;
const isInstant = (v: unknown): v is number => typeof v === 'number' && v >= 0 && v <= LAST_INSTANT;

/** @returns the turn without unknown fields, or null: let the schema decide. */
export function readPlainTurn(value: unknown): TurnItem | null {
  if (typeof value !== 'object' || value === null) return null;
  const v = value as Record<string, unknown>;
  if (v.type !== 'turn') return null;
  if (!isSize(v.seq) || v.seq === 0 || !isKey(v.session) || !isInstant(v.at)) return null;
  const turn: TurnItem = { type: 'turn', seq: v.seq, session: v.session, at: v.at };
  // Rare, and deep: the schema's.
  if (v.composition !== undefined) return null;
  if (v.chain !== undefined) {
    if (!isKey(v.chain)) return null;
    turn.chain = v.chain;
  }
  if (v.scope !== undefined) {
    if (v.scope !== 'main' && v.scope !== 'side') return null;
    turn.scope = v.scope;
  }
  if (v.call !== undefined) {
    if (!isKey(v.call)) return null;
    turn.call = v.call;
  }
  if (v.model !== undefined) {
    if (!isLabel(v.model)) return null;
    turn.model = v.model;
  }
  if (v.limit !== undefined) {
    if (!isSize(v.limit)) return null;
    turn.limit = v.limit;
  }
  if (v.usage !== undefined) {
    const usage = readUsage(v.usage);
    if (!usage) return null;
    turn.usage = usage;
  }
  if (v.contextTokens !== undefined) {
    if (!isSize(v.contextTokens)) return null;
    turn.contextTokens = v.contextTokens;
  }
  if (v.basis !== undefined) {
    if (v.basis !== 'total' && v.basis !== 'input' && v.basis !== 'estimate') return null;
    turn.basis = v.basis;
  }
  if (v.inherited !== undefined) {
    if (typeof v.inherited !== 'boolean') return null;
    turn.inherited = v.inherited;
  }
  return turn;
}

function readUsage(value: unknown): Usage | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const v = value as Record<string, unknown>;
  const usage: Usage = {};
  for (const name of ['input', 'output', 'cacheRead', 'cacheCreation'] as const) {
    const tokens = v[name];
    if (tokens === undefined) continue;
    if (!isCount(tokens)) return null;
    usage[name] = tokens;
  }
  return usage;
}
