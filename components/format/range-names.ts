const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const RANGE_NAMES = ['1h', '24h', '7d', '30d', '90d', '1y'] as const;
export type RangeName = (typeof RANGE_NAMES)[number];
export const DEFAULT_RANGE: RangeName = '24h';

export const RANGE_MS: Readonly<Record<RangeName, number>> = {
  '1h': HOUR,
  '24h': DAY,
  '7d': 7 * DAY,
  '30d': 30 * DAY,
  '90d': 90 * DAY,
  '1y': 365 * DAY,
};

export const RANGE_WORDS: Readonly<Record<RangeName, string>> = {
  '1h': 'the last hour',
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
  '30d': 'the last 30 days',
  '90d': 'the last 90 days',
  '1y': 'the last year',
};
