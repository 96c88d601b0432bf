/** Rules that exist from the start, all off. The ids are fixed, so that a deleted rule does not return. */
import rules from './default-rules.json' with { type: 'json' };
import { type AlertRule, ruleDefinition } from './rule';

export const DEFAULT_RULES: readonly AlertRule[] = rules.map(({ id, ...definition }) => ({
  id,
  ...ruleDefinition.parse({ enabled: false, ...definition }),
}));
