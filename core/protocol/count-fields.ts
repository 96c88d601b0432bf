/** Fields that hold a number of tokens or items. An invalid value is refused as `invalid_count`. */
const COUNT_FIELDS: ReadonlySet<string> = new Set([
  'usage.input',
  'usage.output',
  'usage.cacheRead',
  'usage.cacheCreation',
  'contextTokens',
  'limit',
  'compactsAt',
  'preTokens',
  'postTokens',
  'tokensCleared',
  'before',
  'after',
  'count',
  'composition.roles.tokens',
  'composition.suggestions.tokensSaved',
  'composition.compression.tokensRemoved',
  'composition.compression.tokensLeft',
]);

/** @param field a path; indexes, as in `composition.roles.0.tokens`, are ignored */
export function isCountField(field: string): boolean {
  return COUNT_FIELDS.has(field.replaceAll(/\.\d+(?=\.)/g, ''));
}
