import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type postgres from 'postgres';
import type { Db } from '../../db/client';
import type { SessionChanges } from '../changes';
import type { ServerSettings } from '../settings';
import type { HeldUpArchives } from '../transcripts/held-up';

/**
 * What answers below one path prefix. Host and Origin were checked, and the security headers set, before an
 * endpoint is called; authorisation is the endpoint's own.
 */
export interface Endpoint {
  handleRequest(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void>;
  /** Takes over the socket. Without it an upgrade below the prefix is answered 404 and closed. */
  handleUpgrade?(req: IncomingMessage, socket: Duplex, head: Buffer, url: URL): void;
  /**
   * Graceful end: take nothing new, finish what was begun, close sockets with 1001, then resolve. The
   * database is still up until every endpoint has resolved.
   */
  close(): Promise<void>;
}

/** What `main.ts` resolves once and passes to every endpoint. */
export interface ServerContext {
  /** Raw client; bigint arrives as number. Safe for json, arrays and COPY-like bulk statements. */
  sql: postgres.Sql;
  /** Drizzle over a client of its own (Drizzle alters the client it is given). */
  db: Db;
  log: Logger;
  settings: ServerSettings;
  /** Random id of this server process: a reader that sees another one starts over. */
  epoch: string;
  /** Version of the software, as in package.json. */
  version: string;
  changes: SessionChanges;
  /** Archives that the store could not take in; empty in a process that takes none. */
  heldUp: HeldUpArchives;
}
