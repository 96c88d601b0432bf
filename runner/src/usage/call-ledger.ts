/**
 * The calls that a processor has counted. An agent sends several messages for each call, and then a result with the sum
 * of the calls of its turn. Each call counts once.
 */
import type { TurnUsage } from './read-usage';

/** The part of a report that is new. */
export interface Taken {
  /** Undefined: the call has no id of its own. */
  call: string | undefined;
  /** Usage of the whole call. */
  usage: TurnUsage | null;
  /** What no earlier message of the call has counted. */
  added: TurnUsage | null;
}

/** A message with usage. */
interface Report {
  call: string | undefined;
  usage: TurnUsage | null;
  /** `part`: a call of an agent's turn. `turn`: the result of an agent's turn. */
  role: 'part' | 'turn' | null;
}

const MAX_CALLS = 1_000;

export class CallLedger {
  readonly #calls = new Map<string, TurnUsage>();
  /** Output of the calls since the last result, tokens; null: no message was a call of a turn. */
  #output: number | null = null;
  #last: Report | null = null;

  /** Null: earlier messages have counted the whole report. */
  take(report: Report): Taken | null {
    const isSum = report.role === 'turn' && this.#output !== null;
    const { call, usage, role } = (isSum ? this.#endTurn(report.usage) : report) ?? {};
    if (isSum && call === undefined) return null;
    const taken = this.#takeCall(call, usage ?? null);
    if (role !== 'part' || taken === null) return taken;
    this.#output = (this.#output ?? 0) + (taken.added?.outputTokens ?? 0);
    this.#last = { call, usage: usage ?? null, role };
    return taken;
  }

  /** A fresh context: the next result does not complete a call of the last context. */
  startContext(): void {
    this.#last = null;
  }

  /**
   * The last call of a turn, with the output that the result has beyond the messages of the calls. These messages state
   * only the output at the start of the answer.
   */
  #endTurn(sum: TurnUsage | null): Report | null {
    const last = this.#last;
    const rest = (sum?.outputTokens ?? 0) - (this.#output ?? 0);
    this.#output = 0;
    this.#last = null;
    if (last === null || last.usage === null || rest <= 0) return null;
    const { outputTokens, contextTokens } = last.usage;
    const size = contextTokens === null ? null : contextTokens + rest;
    return {
      ...last,
      role: null,
      usage: { ...last.usage, outputTokens: outputTokens + rest, contextTokens: size },
    };
  }

  #takeCall(call: string | undefined, usage: TurnUsage | null): Taken | null {
    const known = call === undefined ? undefined : this.#calls.get(call);
    if (call === undefined || usage === null) return { call, usage, added: usage };
    // Some servers repeat ids. Such an id names no call.
    if (known !== undefined && !hasSamePrompt(known, usage)) return { call: undefined, usage, added: usage };
    const more = usage.outputTokens - (known?.outputTokens ?? 0);
    if (known !== undefined && more <= 0) return null;
    this.#calls.set(call, usage);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_CALLS && oldest !== undefined) this.#calls.delete(oldest);
    if (known === undefined) return { call, usage, added: usage };
    const none = { inputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 };
    return { call, usage, added: { ...usage, ...none, outputTokens: more } };
  }
}

function hasSamePrompt(a: TurnUsage, b: TurnUsage): boolean {
  return (
    a.inputTokens === b.inputTokens &&
    a.cacheReadTokens === b.cacheReadTokens &&
    a.cacheCreationTokens === b.cacheCreationTokens
  );
}
