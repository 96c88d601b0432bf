export const HISTORY_GROUPINGS = ['project', 'runner', 'model'] as const;
export type HistoryGrouping = (typeof HISTORY_GROUPINGS)[number];
