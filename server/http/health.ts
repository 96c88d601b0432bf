/** `GET /healthz`: whether this process can serve, for supervisors and tests. */
import type postgres from 'postgres';
import { answerError, answerJson } from './answers';
import type { Endpoint } from './endpoint';

const DATABASE_TIMEOUT_MS = 2_000;

export interface HealthSource {
  sql: postgres.Sql;
  version: string;
  epoch: string;
}

/**
 * 200 with `{ status: 'ok', version, epoch }`; 503 with `status: 'no_database'` when Postgres does not
 * answer.
 */
export function createHealthEndpoint(source: HealthSource): Endpoint {
  return {
    async handleRequest(req, res) {
      if (req.method !== 'GET' && req.method !== 'HEAD') {
        res.setHeader('Allow', 'GET, HEAD');
        answerError(res, 405, 'method_not_allowed', 'Allowed methods: GET, HEAD.');
        return;
      }
      const isUp = await answersInTime(source.sql);
      answerJson(res, isUp ? 200 : 503, {
        status: isUp ? 'ok' : 'no_database',
        version: source.version,
        epoch: source.epoch,
      });
    },
    close: () => Promise.resolve(),
  };
}

async function answersInTime(sql: postgres.Sql): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), DATABASE_TIMEOUT_MS);
  });
  const answer = sql`select 1`.then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
