import { type CallRecord, isUsageChunk, readInto } from './call-record';
import type { CallReporter } from './call-reporter';

/** Sees what passes between the provider and the owner, for one call. */
export interface CallWatch {
  /** A response, chunk or event passes. Returns whether the owner gets it. */
  see(value: unknown): boolean;
  /** Nothing more will pass. */
  end(): void;
}

export function watchCall(reporter: CallReporter, record: CallRecord): CallWatch {
  return {
    see(value) {
      const isLast = reporter.attempt('a response could not be read', () => readInto(record, value));
      if (isLast === true) reporter.finish(record);
      return !(record.hidesUsageChunk && isUsageChunk(value));
    },
    end: () => reporter.finish(record),
  };
}
