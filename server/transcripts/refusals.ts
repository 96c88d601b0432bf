/** What is answered to a runner that hands a transcript over and is not taken. */
import type { ServerResponse } from 'node:http';
import { judgeFault } from '../../db/judge-fault';
import type { IntakeRefusal } from '../../db/transcripts/offer-archive';
import { answerJson } from '../http/answers';
import { describeOutage, type Outage } from '../http/describe-outage';

export interface ChunkRefusal {
  status: IntakeRefusal['status'] | 400 | 401 | 403 | 405 | 415 | 503 | 507;
  code: string;
  /** The field, header or part of the path that is at fault; empty: none. */
  field: string;
  reason: string;
}

export interface Trouble {
  refusal: ChunkRefusal;
  retryAfter: number;
  /** What is the matter, for the operator: a sentence. */
  cause: string;
}

/** Seconds after which a runner may come again. */
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
    reason: 'The server takes in as many chunks at once as it can; come again in a moment.',
  },
  retryAfter: BUSY_SECONDS,
} as const;

export const GOING_AWAY: Trouble = {
  refusal: {
    status: 503,
    code: 'going_away',
    field: '',
    reason: 'The server is stopping; what it has of the transcript stays.',
  },
  retryAfter: AWAY_SECONDS,
  cause: 'The server is stopping.',
};

/** What a failure of the store is to a runner: nothing it could do better, so it comes again. Null: a fault of ours. */
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
    refusal: { status: 507, code, field: '', reason: `${reason}; what was sent stays to be sent again.` },
    retryAfter: FULL_SECONDS,
    cause,
  };
}

/** Others were in the way for as long as was waited. */
const BUSY_STORE: Outage = {
  code: 'unavailable',
  reason: 'The server cannot reach its database at the moment',
};
