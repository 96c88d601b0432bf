/**
 * One connection of a runner over WebSocket or HTTP. Owns the state of the connection. Only the first message may be a
 * hello. Frames reach the pump in their order of arrival.
 */
import { projectsOf } from '../../core/identity/actor';
import type { CloseCode } from '../../core/protocol/close-codes';
import { CLOSE } from '../../core/protocol/close-codes';
import type { ProtocolLimits } from '../../core/protocol/limits';
import type {
  CommandMessage,
  ErrorCode,
  ErrorMessage,
  Hello,
  ServerMessage,
  Welcome,
} from '../../core/protocol/messages';
import { isHello, parseFrame, parseHello } from '../../core/protocol/parse-frame';
import { PROTOCOL_VERSION } from '../../core/protocol/version';
import { StreamTakenError } from '../../db/ingest/open-stream';
import type { ItemOutcome, OpenStream } from '../../db/ingest/types';
import { type Authorization, findForeign } from '../auth/authorize';
import type { Account, Exceeded } from '../http/budgets';
import { buildAck, sortItems } from './build-ack';
import { type CommitPump, StorageUnavailableError } from './commit-pump';

export interface RunnerSessionTransport {
  send(message: ServerMessage): void;
  close(code: CloseCode, error: ErrorMessage): void;
  /** Present if the connection stays open, so that commands can be sent at any time. */
  sendCommand?(message: CommandMessage): void;
  /** Stops and resumes reading; frames that were already read may still arrive. */
  pause(): void;
  resume(): void;
}

export interface RunnerSessionOptions {
  pump: CommitPump;
  /** Whether a token has scope ingest. `isFirst`: in the hello. @throws database errors */
  authorizeToken(token: string, isFirst: boolean): Promise<Authorization>;
  openStream(hello: Hello, charge?: Account['charge']): Promise<OpenStream>;
  /** Limits of the connection with this token; missing: none. */
  openAccount?(token: string): Account;
  /** The runner of an open connection gave a sign. */
  noteSeen?(runnerId: number): Promise<unknown>;
  server: Welcome['server'];
  limits: ProtocolLimits;
  now(): number;
  /** Send commands to an open stream. @returns a function that ends the delivery */
  deliverCommands?(streamId: number, send: (message: CommandMessage) => void): () => void;
  /** Token of the Authorization header; null: the hello must contain the token. */
  headerToken: string | null;
}

export interface RunnerSession {
  /** Resolves when the frame is answered, and never rejects. */
  receive(text: string): Promise<void>;
  /** Closes with `hello_timeout` if no hello arrived. */
  expectHello(): void;
  /** Closes if the token is no longer valid, but not if the database is unavailable. */
  checkToken(): Promise<void>;
  /** The transport closed. Submitted items are still stored. */
  end(): void;
}

type State =
  | { name: 'waiting_for_hello' }
  | { name: 'greeting'; welcomed: Promise<void> }
  | { name: 'open'; stream: OpenStream; token: string; clockAgrees: boolean; account: Account | undefined }
  | { name: 'closed' };

/** Maximum difference between the clocks of runner and server. Beyond it the runner's clock is not trusted. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** Unstored bytes at which a connection is paused. */
const MAX_BYTES_IN_FLIGHT = 8 * 1024 * 1024;

export function createRunnerSession(
  options: RunnerSessionOptions,
  transport: RunnerSessionTransport,
): RunnerSession {
  const { pump, limits, server, now } = options;
  let state: State = { name: 'waiting_for_hello' };
  let bytesInFlight = 0;
  let paused = false;
  let endDelivery: (() => void) | null = null;
  /** Ends the count of this socket. */
  let leave: (() => void) | null = null;

  function close(code: CloseCode, error: ErrorCode, reason: string, field?: string): void {
    if (state.name === 'closed') return;
    end();
    transport.close(code, { type: 'error', code: error, ...(field ? { field } : {}), reason });
  }

  function end(): void {
    state = { name: 'closed' };
    endDelivery?.();
    endDelivery = null;
    leave?.();
    leave = null;
  }

  async function receive(text: string): Promise<void> {
    if (state.name === 'closed') return;
    const frame = parseFrame(text, limits);
    if (!frame.ok) {
      return close(
        frame.code === 'too_large' ? CLOSE.frameTooLarge : CLOSE.badMessage,
        frame.code,
        frame.reason,
      );
    }
    const greets = state.name === 'waiting_for_hello';
    const values = greets ? frame.messages.slice(1) : frame.messages;
    if (greets) beginGreeting(frame.messages[0]);
    if (values.some(isHello)) {
      close(CLOSE.helloTwice, 'hello_twice', 'A connection has exactly one hello, as its first message.');
      return;
    }
    if (state.name === 'greeting') await state.welcomed;
    if (state.name !== 'open' || values.length === 0) return;
    await store(values, greets ? 1 : 0, text.length, state);
  }

  function beginGreeting(first: unknown): void {
    const parsed = parseHello(first);
    if (!parsed.ok) {
      const code = parsed.code === 'unsupported_version' ? CLOSE.unsupportedVersion : CLOSE.badMessage;
      close(code, parsed.code, parsed.reason, parsed.field);
      return;
    }
    pause();
    state = { name: 'greeting', welcomed: greet(parsed.hello) };
  }

  async function greet(hello: Hello): Promise<void> {
    try {
      const token = options.headerToken ?? hello.token;
      if (token === undefined) {
        const reason =
          'A runner needs a token of scope ingest: "Authorization: Bearer …", or token in the hello.';
        close(CLOSE.unauthorized, 'unauthorized', reason);
        return;
      }
      const authorization = await options.authorizeToken(token, true);
      if (!authorization.ok) return refuse(authorization);
      const { actor } = authorization;
      const foreign = findForeign(actor, 'ingest', hello.project);
      if (foreign !== null) return close(CLOSE.forbidden, 'not_yours', foreign, 'project');
      const account = options.openAccount?.(actor.name);
      const entered = transport.sendCommand ? account?.enter('RUNNER_SOCKETS') : undefined;
      if (typeof entered === 'object') return limit(entered);
      leave = entered ?? null;
      const exceeded = account?.exceeded();
      if (exceeded) return limit(exceeded);
      const opened = await options.openStream(hello, account?.charge);
      const isBound = projectsOf(actor, ['ingest']) !== null;
      const charge = account && { charge: account.charge };
      const stream = { ...opened, ...charge, sender: actor.name, ...(isBound && { boundBy: actor.name }) };
      if (state.name === 'closed') return end();
      const clockAgrees = hello.now !== undefined && Math.abs(hello.now - now()) <= CLOCK_TOLERANCE_MS;
      state = { name: 'open', stream, token, clockAgrees, account };
      transport.send({ type: 'welcome', v: PROTOCOL_VERSION, server, limits, received: stream.received });
      if (transport.sendCommand && (hello.commands?.length ?? 0) > 0)
        endDelivery = options.deliverCommands?.(stream.streamId, transport.sendCommand) ?? null;
      resume();
    } catch (error) {
      if (error instanceof StreamTakenError) close(CLOSE.forbidden, 'stream_taken', error.message);
      else close(CLOSE.unavailable, 'unavailable', 'The server cannot reach its database at the moment.');
    }
  }

  function limit({ reason }: Exceeded): void {
    close(CLOSE.rateLimited, 'rate_limited', reason);
  }

  function refuse(authorization: Extract<Authorization, { ok: false }>): void {
    const { code, reason } = authorization;
    close(code === 'forbidden' ? CLOSE.forbidden : CLOSE.unauthorized, code, reason);
  }

  async function store(
    values: readonly unknown[],
    firstIndex: number,
    bytes: number,
    { stream, clockAgrees, account }: Extract<State, { name: 'open' }>,
  ): Promise<void> {
    const exceeded = account?.exceeded();
    if (exceeded) return limit(exceeded);
    account?.charge('BYTES', bytes);
    account?.charge('ITEMS', values.length);
    const sorted = sortItems(values, firstIndex);
    let outcomes: ItemOutcome[] = [];
    if (sorted.items.length > 0) {
      bytesInFlight += bytes;
      const answered = pump.submit({ stream, items: sorted.items, receivedAt: now(), clockAgrees }, bytes);
      if (bytesInFlight > MAX_BYTES_IN_FLIGHT || !pump.hasRoom()) pause();
      try {
        outcomes = await answered;
      } catch (error) {
        const reason = error instanceof StorageUnavailableError ? error.message : 'The server failed.';
        close(CLOSE.unavailable, 'unavailable', reason);
        return;
      } finally {
        bytesInFlight -= bytes;
        if (bytesInFlight <= MAX_BYTES_IN_FLIGHT) pump.whenRoom(resume);
      }
    }
    if (state.name === 'open') transport.send(buildAck(sorted, outcomes));
  }

  function pause(): void {
    if (paused) return;
    paused = true;
    transport.pause();
  }

  function resume(): void {
    if (!paused || bytesInFlight > MAX_BYTES_IN_FLIGHT) return;
    paused = false;
    if (state.name !== 'closed') transport.resume();
  }

  return {
    receive,
    expectHello() {
      if (state.name !== 'waiting_for_hello') return;
      close(
        CLOSE.helloTimeout,
        'hello_timeout',
        `A hello must arrive within ${limits.helloTimeoutMs / 1000} seconds.`,
      );
    },
    async checkToken() {
      if (state.name !== 'open') return;
      options.noteSeen?.(state.stream.runnerId).catch(() => undefined);
      const authorization = await options.authorizeToken(state.token, false).catch(() => null);
      if (authorization && !authorization.ok) refuse(authorization);
    },
    end,
  };
}
