import { keptRules } from './kept-rules';
import { ownRules } from './own-rules';
import { resolveEscapes } from './resolve-escapes';
import { type FoundSecret, gramsOf, type SecretRule } from './secret-rule';

const RULES: readonly SecretRule[] = [...keptRules, ...ownRules];
const MAX_FOUND = 20_000;

/** Unordered, possibly overlapping places in `text`; a place includes its escapes completely. */
export async function findSecrets(text: string): Promise<FoundSecret[]> {
  const found = await runRules(text);
  const resolved = resolveEscapes(text);
  if (resolved === null) return found;
  const { placeOf } = resolved;
  for (const { from, to, rule } of await runRules(resolved.text)) {
    found.push({ from: placeOf(from), to: placeOf(to), rule });
  }
  return found;
}

async function runRules(text: string): Promise<FoundSecret[]> {
  const grams = gramsOf(text);
  const found: FoundSecret[] = [];
  const report = (secret: FoundSecret) => {
    if (found.length >= MAX_FOUND) throw new TooManySecretsError();
    if (secret.to > secret.from) found.push(secret);
  };
  for (const rule of RULES) await rule(text, report, grams);
  return found;
}

export class TooManySecretsError extends Error {
  override readonly name = 'TooManySecretsError';
  constructor() {
    super('more places look like secrets than can be masked one by one');
  }
}
