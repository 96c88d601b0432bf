import { DEFAULT_THRESHOLDS, resolveThresholds } from '../../core/accounting/thresholds';
import type { Thresholds } from '../../core/accounting/types';

/** Lines of a project from its stored settings; ones that make no sense count as none. */
export function projectThresholds(settings: unknown): Thresholds {
  if (typeof settings !== 'object' || settings === null || !('thresholds' in settings))
    return DEFAULT_THRESHOLDS;
  const { thresholds } = settings;
  if (typeof thresholds !== 'object' || thresholds === null) return DEFAULT_THRESHOLDS;
  try {
    return resolveThresholds(thresholds);
  } catch (error) {
    if (error instanceof RangeError) return DEFAULT_THRESHOLDS;
    throw error;
  }
}
