import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type postgres from 'postgres';
import type { SecretBox } from '../alerts/secret-box';
import type { Accounts } from '../auth/accounts';
import type { Authenticator } from '../auth/authenticator';
import type { LeftOut } from '../otlp/left-out';
import type { Replica } from '../replica';
import type { ServerSettings } from '../settings';
import type { Budgets } from './budgets';
import type { DatabaseProbe } from './database-probe';
import type { StorageState } from './storage-state';

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
  /** Who sends a request. */
  auth: Authenticator;
  /** Null: the server has no accounts. */
  accounts: Accounts | null;
  probe: DatabaseProbe;
  /** Null: the database has no replica. */
  replica: Replica | null;
  storage: StorageState;
  budgets: Budgets;
  leftOut: LeftOut;
  log: Logger;
  settings: ServerSettings;
  /** For the secrets of alert channels. */
  secrets: SecretBox;
  /** Random id of this server process. A reader that gets another id starts over. */
  epoch: string;
  version: string;
}
