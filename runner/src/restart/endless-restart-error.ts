import { readByOldNames } from '../old-names';
import { formatPercent } from '../usage/context-usage';

/** Number of fresh contexts in a row that may be full before their second turn. */
export const MAX_FULL_STARTS = 3;

/** Number of contexts in a row that may end without a new checkpoint, so that the next context starts over. */
export const MAX_WITHOUT_CHECKPOINT = 5;

/**
 * The run stopped because its contexts make no progress: three fresh contexts in a row were full before their second
 * turn, or five contexts in a row left no new checkpoint.
 */
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
  declare readonly pressure: number;
  /** @deprecated Use `pressure`. @hidden */
  declare readonly pressureRatio: number;

  constructor(
    run: string,
    {
      limit,
      hadNoRoom,
      ...fields
    }: Pick<EndlessRestartError, 'continuations' | 'checkpoint' | 'pressure'> & {
      limit: number;
      /** Whether the contexts were full before their second turn, instead of without a new checkpoint. */
      hadNoRoom: boolean;
    },
  ) {
    const share = fields.pressure;
    // 0: the provider refused the first prompt.
    const size = share > 0 ? ` (${formatPercent(share)} of ${limit} tokens)` : '';
    super(
      hadNoRoom
        ? `${run}: stopped after ${MAX_FULL_STARTS} fresh contexts in a row that were full before their second turn` +
            `${size}. Checkpoint and fixed prompt leave no room: shorten them, or correct "limit" or "restartLine".`
        : `${run}: stopped after ${MAX_WITHOUT_CHECKPOINT} contexts in a row that were full${size} and left no new ` +
            'checkpoint, so each fresh context starts over. Correct the agent\'s "query", or raise "limit" or ' +
            '"restartLine".',
    );
    Object.assign(this, fields);
    readByOldNames<EndlessRestartError>('EndlessRestartError', this, { pressureRatio: 'pressure' });
  }
}
