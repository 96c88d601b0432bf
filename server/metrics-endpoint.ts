/**
 * `/metrics`: the metrics of this process and of its database, for Prometheus. Answers also while the database is down:
 * its figures are then NaN.
 */
import { statfs } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { setTimeout as rest } from 'node:timers/promises';
import { loadOperatingFigures } from '../db/queries/operating-figures';
import { archiveStore, checkArchiveStore } from '../db/transcripts/archive-store';
import { authorize } from './auth/authorize';
import { answerError } from './http/answers';
import type { Endpoint, ServerContext } from './http/endpoint';
import { isLoopback } from './http/gate';
import * as metrics from './metrics';

/** Less than Prometheus waits, and less than the time after which requests end with 503. */
const FIGURES_TIMEOUT_MS = 1_000;

export function createMetricsEndpoint({
  sql,
  auth,
  probe,
  replica,
  storage,
  settings,
}: Pick<ServerContext, 'sql' | 'auth' | 'probe' | 'replica' | 'storage' | 'settings'>): Endpoint {
  async function collect(): Promise<void> {
    const isUp = await probe.answers();
    metrics.databaseUp.set(Number(isUp));
    metrics.replicaDelay.set((replica?.behindMs() ?? Number.NaN) / 1_000);
    metrics.ready.set(Number(isUp && storage.outage() === null));
    const within = async <T>(work: () => Promise<T>): Promise<T | null> =>
      isUp ? Promise.race([work().catch(() => null), rest(FIGURES_TIMEOUT_MS, null)]) : null;
    const [figures, store] = await Promise.all([
      within(() => loadOperatingFigures(sql)),
      within(() => checkArchiveStore(sql).then(() => 1)),
    ]);
    metrics.archiveStoreUp.set(archiveStore() === null || !isUp ? Number.NaN : (store ?? 0));
    metrics.databaseBytes.set(figures?.databaseBytes ?? Number.NaN);
    metrics.deadMessages.set(figures?.deadMessages ?? Number.NaN);
    metrics.damagedTranscripts.set(figures?.damagedTranscripts ?? Number.NaN);
    // Operators of their own PostgreSQL may use its tools.
    const noBackup = settings.databaseUrl === null ? 0 : Number.NaN;
    metrics.lastBackup.set(figures ? (figures.lastBackupAt ?? noBackup) / 1_000 : Number.NaN);
    metrics.backlog.reset();
    for (const [task, count] of Object.entries(figures?.backlog ?? {})) metrics.backlog.set({ task }, count);
    if (settings.databaseUrl !== null) return;
    const disk = await statfs(settings.dataFolder).catch(() => null);
    metrics.freeBytes.set(disk ? disk.bavail * disk.bsize : Number.NaN);
  }

  return {
    async handleRequest(req, res, url) {
      if (!isOnThisMachine(req)) {
        const options = {
          request: req,
          url,
          rights: ['read', 'admin'],
          allowPages: false,
        } as const;
        const access = await authorize(auth, options);
        if (!access.ok) return answerError(res, access.status, access.code, access.reason);
      }
      await collect();
      const text = await metrics.registry.metrics();
      // The HTTP server answers 503 when the database freezes meanwhile.
      if (res.headersSent) return;
      res.writeHead(200, { 'Content-Type': metrics.registry.contentType, 'Cache-Control': 'no-store' });
      res.end(text);
    },
    close: () => Promise.resolve(),
  };
}

/** A request of a program on this machine. A proxy on this machine names the origin of its requests. */
function isOnThisMachine({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): boolean {
  const isForwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some((name) => name in headers);
  const host = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  return !isForwarded && isLoopback(host) && isLoopback(address);
}
