/** Error answers of the archive endpoint. */
import type { ServerResponse } from 'node:http';
import { judgeFault } from '../../db/judge-fault';
import type { IntakeRefusal } from '../../db/transcripts/intake-limits';
import { answerJson, describeOutage, type Outage } from '../http/answers';

export interface ChunkRefusal {
  status: IntakeRefusal['status'] | 400 | 401 | 403 | 405 | 415 | 503 | 507;
  code: string;
  /** The field, header or part of the path at fault; empty: none. */
  field: string;
  reason: string;
}

export interface Trouble {
  refusal: ChunkRefusal;
  retryAfter: number;
  /** A sentence for the operator. */
  cause: string;
}

/** `Retry-After`, seconds. */
const BUSY_SECONDS = 1;
const AWAY_SECONDS = 3;
const FULL_SECONDS = 30;

export function answerRefusal(res: ServerResponse, refusal: ChunkRefusal, retryAfter = AWAY_SECONDS): void {
  const { status, ...problem } = refusal;
  if (status === 503 || status === 507) res.setHeader('Retry-After', String(retryAfter));
  if (status === 401) res.setHeader('WWW-Authenticate', 'Bearer');
  answerJson(res, status, { type: 'error', ...problem });
}

export const BUSY = {
  refusal: {
    status: 503,
    code: 'busy',
    field: '',
    reason: 'The server is at its limit of concurrent chunks; retry in a moment.',
  },
  retryAfter: BUSY_SECONDS,
} as const;

export const GOING_AWAY: Trouble = {
  refusal: {
    status: 503,
    code: 'going_away',
    field: '',
    reason: 'The server is stopping; chunks it has are kept.',
  },
  retryAfter: AWAY_SECONDS,
  cause: 'The server is stopping.',
};

/** The answer for a failure of the store, which the runner can only retry. Null: a bug. */
export function describeTrouble(error: unknown): Trouble | null {
  const outage = describeOutage(error) ?? (judgeFault(error) === 'transient' ? BUSY_STORE : null);
  if (!outage) return null;
  const { code, reason } = outage;
  const cause = `${reason}.`;
  if (code === 'unavailable') {
    return {
      refusal: { status: 503, code, field: '', reason: cause },
      retryAfter: AWAY_SECONDS,
      cause,
    };
  }
  return {
    refusal: { status: 507, code, field: '', reason: `${reason}; send this again later.` },
    retryAfter: FULL_SECONDS,
    cause,
  };
}

/** A lock timeout or serialization failure. */
const BUSY_STORE: Outage = {
  code: 'unavailable',
  reason: 'The server cannot reach its database at the moment',
};
