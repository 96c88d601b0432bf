import { formatPercent } from '../usage/context-usage';

/** Number of fresh contexts in a row that may be full before their second turn. */
export const MAX_FULL_STARTS = 3;

/** The run stopped because three fresh contexts in a row were full before their second turn. */
export class EndlessRestartError extends Error {
  /** Name of the class. */
  override readonly name = 'EndlessRestartError';
  /** Identifies the error. */
  readonly code = 'endless_restart';
  /** Number of restarts before this error. */
  declare readonly continuations: number;
  /** The last checkpoint; null if the agent wrote none. */
  declare readonly checkpoint: string | null;
  /** Share of the limit in use when the last context ended. */
  declare readonly pressureRatio: number;

  constructor(
    run: string,
    {
      limit,
      ...fields
    }: Pick<EndlessRestartError, 'continuations' | 'checkpoint' | 'pressureRatio'> & { limit: number },
  ) {
    const share = fields.pressureRatio;
    // 0: the provider refused the first prompt.
    const size = share > 0 ? ` (${formatPercent(share)} of ${limit} tokens)` : '';
    super(
      `${run}: stopped after ${MAX_FULL_STARTS} fresh contexts in a row that were full before their second turn` +
        `${size}. Checkpoint and fixed prompt leave no room: shorten them, or correct "limit" or "threshold".`,
    );
    Object.assign(this, fields);
  }
}
