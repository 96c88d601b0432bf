import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type postgres from 'postgres';
import type { ServerSettings } from '../settings';
import type { DatabaseProbe } from './database-probe';

/**
 * Answers below one path prefix. Host and Origin are checked and the security headers set before an endpoint
 * is called. The endpoint itself checks authorization.
 */
export interface Endpoint {
  handleRequest(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void>;
  /** Take over the socket. Without this method, an upgrade below the prefix is answered with 404 and closed. */
  handleUpgrade?(req: IncomingMessage, socket: Duplex, head: Buffer, url: URL): void;
  /**
   * Graceful end: accept nothing new, finish current requests, close sockets with 1001, then resolve. The
   * database stays up until every endpoint has resolved.
   */
  close(): Promise<void>;
}

/** Resolved once by `main.ts` and passed to every endpoint. */
export interface ServerContext {
  /** Returns bigint columns as numbers. */
  sql: postgres.Sql;
  probe: DatabaseProbe;
  log: Logger;
  settings: ServerSettings;
  /** Random id of this server process. A reader that gets another id starts over. */
  epoch: string;
  version: string;
}
