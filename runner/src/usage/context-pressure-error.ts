/** What the error of a full context carries. */
export interface ContextPressure {
  /** The session that is full, as the agent names it; empty where it never did. */
  sessionId: string;
  /** Sums over the context, tokens. */
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  /** Share of the limit in use: 0.9 for 90 %. */
  pressureRatio: number;
}

/** A context reached its restart threshold. Carries the sums of the context, not those of the last turn. */
export class ContextPressureError extends Error {
  override readonly name = 'ContextPressureError';
  readonly code = 'context_pressure';
  readonly sessionId: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly pressureRatio: number;

  constructor(pressure: ContextPressure) {
    const { sessionId, inputTokens, outputTokens, cacheReadTokens, pressureRatio } = pressure;
    const of = sessionId === '' ? '' : ` of session ${sessionId}`;
    const sums = `input=${inputTokens} output=${outputTokens} cache_read=${cacheReadTokens}`;
    super(`Context pressure${of}: ${formatPercent(pressureRatio)} (${sums})`);
    this.sessionId = sessionId;
    this.inputTokens = inputTokens;
    this.outputTokens = outputTokens;
    this.cacheReadTokens = cacheReadTokens;
    this.pressureRatio = pressureRatio;
  }
}

/** A share as people read it: 0.0318 is `3.2%`. */
export function formatPercent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}
