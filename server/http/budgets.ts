/**
 * What one token, and one address, may cost per minute. A cost is charged once it is known, and a caller who owes is
 * refused until the budget has refilled. Owns the budgets of this process.
 */
import type { IncomingMessage } from 'node:http';
import { addressOf } from '../auth/authorize';
import { createTurns } from './places';

/** Limits per minute by the end of their setting's name, as in `BAROGRAPH_LIMIT_ITEMS`. */
const PER_MINUTE = {
  BYTES: 'bytes of items',
  ITEMS: 'items',
  SESSIONS: 'new sessions',
  SUB_AGENTS: 'new sub-agents',
  STREAMS: 'new streams',
  PROJECTS: 'new projects',
  LATE_TURNS: 'turns counted again because of late items',
  OFFERS: 'offers of archives',
  ARCHIVE_MS: 'milliseconds of work on archives',
  LIVE_REQUESTS: 'requests of live feeds',
} as const;
export type Cost = keyof typeof PER_MINUTE;

/** Maximum numbers at a time. */
const AT_ONCE = [
  'CONNECTIONS',
  'REQUESTS',
  'READS',
  'LIVE_SOCKETS',
  'RUNNER_SOCKETS',
  'OPEN_OFFERS',
] as const;

export const LIMIT_NAMES = [...(Object.keys(PER_MINUTE) as Cost[]), ...AT_ONCE];
export type Limits = Readonly<Record<(typeof LIMIT_NAMES)[number], number>>;

export interface Exceeded {
  reason: string;
  retryAfterSeconds: number;
}

/** The costs of one request or socket. */
export interface Account {
  charge(cost: Cost, amount: number): void;
  /** The budget that is used up; null: none. Those of readers do not stop runners at the same address. */
  exceeded(of?: 'readers'): Exceeded | null;
  /** Count an open socket or request. @returns a function for its end, or the limit that is reached */
  enter(kind: 'REQUESTS' | 'LIVE_SOCKETS' | 'RUNNER_SOCKETS'): (() => void) | Exceeded;
  /** Wait until fewer than READS requests are at work. @returns a function for the end of this one */
  turn(): Promise<() => void>;
}

/** Callers with a budget that is not full. Full budgets are dropped when there are more. */
const MAX_CALLERS = 10_000;
const MINUTE_MS = 60_000;

export type Budgets = ReturnType<typeof createBudgets>;

/** @param now milliseconds of a clock that never jumps */
export function createBudgets(limits: Limits, now: () => number = () => performance.now()) {
  /** Amounts that are owed, as of a time, by caller. */
  const owed = new Map<string, Partial<Record<Cost, { amount: number; at: number }>>>();

  /** Open sockets and requests by kind and caller. */
  const sockets = new Map<string, number>();
  const turns = createTurns(limits.READS);

  function owes(caller: string, cost: Cost): number {
    const known = owed.get(caller)?.[cost];
    return known ? Math.max(0, known.amount - ((now() - known.at) / MINUTE_MS) * limits[cost]) : 0;
  }

  function forgetFull(): void {
    for (const [caller, costs] of owed) {
      if ((Object.keys(costs) as Cost[]).every((cost) => owes(caller, cost) === 0)) owed.delete(caller);
    }
  }

  return {
    limits,
    open(request: IncomingMessage, token: string): Account {
      const callers = [`token "${token}"`, `address ${addressOf(request)}`];
      return {
        charge(cost, amount) {
          if (owed.size >= MAX_CALLERS) forgetFull();
          for (const caller of callers) {
            const costs = owed.get(caller) ?? {};
            costs[cost] = { amount: owes(caller, cost) + amount, at: now() };
            owed.set(caller, costs);
          }
        },
        exceeded(of) {
          for (const caller of callers) {
            for (const cost of Object.keys(owed.get(caller) ?? {}) as Cost[]) {
              if ((cost === 'LIVE_REQUESTS') !== (of === 'readers')) continue;
              // Less than one is left.
              const over = owes(caller, cost) + 1 - limits[cost];
              if (over <= 0) continue;
              const reason = `The ${caller} may cost ${limits[cost]} ${PER_MINUTE[cost]} per minute (BAROGRAPH_LIMIT_${cost}). Send this again later.`;
              return { reason, retryAfterSeconds: Math.ceil((over * 60) / limits[cost]) };
            }
          }
          return null;
        },
        enter(kind) {
          const most = limits[kind];
          const full = callers.find((caller) => (sockets.get(`${kind} ${caller}`) ?? 0) >= most);
          if (full !== undefined) {
            const reason = `The ${full} may have ${most} at a time (BAROGRAPH_LIMIT_${kind}).`;
            return { reason, retryAfterSeconds: kind === 'REQUESTS' ? 1 : 60 };
          }
          const add = (change: 1 | -1) => {
            for (const caller of callers) {
              const count = (sockets.get(`${kind} ${caller}`) ?? 0) + change;
              if (count > 0) sockets.set(`${kind} ${caller}`, count);
              else sockets.delete(`${kind} ${caller}`);
            }
          };
          add(1);
          return () => add(-1);
        },
        turn: () => turns.take(token),
      };
    },
  };
}
